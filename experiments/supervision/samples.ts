/**
 * @file How many samples it took until every held-out answer was right.
 *
 *     samples to perfect = steps * batch at the first test without a mistake; "> N" where all N samples were not enough
 */

import { counted, integer, listed } from "../../src/report/index.ts";
import type { TrainedRun } from "../../src/work/run/trained.ts";
import type { Measuring, UnreadResult } from "../engine/experiment.ts";
import { defineMeasurement } from "../engine/measurements.ts";
import type { MethodName } from "./methods.ts";

export const samplesToPerfect = defineMeasurement({
  id: "samplesToPerfect",
  label: "samples until every held-out answer was right",
  at: {},
  values: { samples: "samples", perfect: "reached (1) or not (0)" },
});

export function* measureSamples({ config, step, perfectAt }: TrainedRun): Measuring {
  yield { done: 0, of: 1 };
  const samples = (perfectAt ?? step) * config.train.batch;
  return [samplesToPerfect.row({ values: { samples, perfect: Number(perfectAt !== undefined) } })];
}

export interface Samples {
  readonly seed: number;
  readonly samples: number;
  /** false: after all these samples there were still mistakes. */
  readonly perfect: boolean;
}

export function samplesOf(
  result: Pick<UnreadResult, "measurements">,
  setting: string,
  model: MethodName,
): Samples[] {
  return samplesToPerfect.of(result, { setting, model }).map(({ seed, values }) => ({
    seed,
    samples: values.samples,
    perfect: values.perfect === 1,
  }));
}

/** In every seed, and there is one. */
export function alwaysPerfect(result: UnreadResult, setting: string, model: MethodName): boolean {
  const samples = samplesOf(result, setting, model);
  return samples.length > 0 && samples.every(({ perfect }) => perfect);
}

/** `length 64, linear: 320,000 samples were not enough in 1 of 3 seeds.`: mistakes to the end; nothing where there are none. */
export function notEnough(
  result: Pick<UnreadResult, "measurements">,
  setting: string,
  model: MethodName,
): string[] {
  const samples = samplesOf(result, setting, model);
  const missed = samples.filter(({ perfect }) => !perfect);
  if (missed.length === 0) return [];
  const budgets = [...new Set(missed.map(({ samples: count }) => integer(count)))];
  return [
    `${setting}, ${model}: ${listed(budgets)} samples were not enough in ${missed.length} of ${counted(samples.length, "seed")}.`,
  ];
}

/** `12,800 and > 192,000`: one a seed. */
export function inWords(samples: readonly Samples[]): string {
  if (samples.length === 0) return "not run";
  return listed(samples.map(({ samples: count, perfect }) => `${perfect ? "" : "> "}${integer(count)}`));
}

/**
 * For each seed how many times the samples of `one` the samples of `other` are: a bound from below where `other` was not
 * perfect, from above where `one` was not; nothing where neither was.
 */
export function timesTheSamples(
  result: Pick<UnreadResult, "measurements">,
  setting: string,
  one: MethodName,
  other: MethodName,
): number[] {
  const others = samplesOf(result, setting, other);
  return samplesOf(result, setting, one).flatMap(({ seed, samples, perfect }) => {
    const against = others.find((each) => each.seed === seed);
    return against === undefined || !(perfect || against.perfect) ? [] : [against.samples / samples];
  });
}
