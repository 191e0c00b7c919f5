/**
 * @file What the experiments on state supervision share: how a run is made, and how many samples it took until every
 * held-out answer was right.
 *
 *     samples to perfect = steps * batch at the first test without a mistake; "> N" where all N samples were not enough
 */

import { mean } from "../../src/math/statistics.ts";
import { RunConfig } from "../../src/records/run.ts";
import { counted, integer, listed } from "../../src/report/index.ts";
import type { TrainedRun } from "../../src/work/run/trained.ts";
import type { Measuring, PlannedRun, PlannedTest, UnreadResult } from "../engine/experiment.ts";
import { measurementsOf } from "../engine/views.ts";

interface Method {
  readonly label: string;
  readonly summary: string;
  readonly supervision?: Readonly<Record<string, unknown>>;
  /** Lengths are drawn from 2 up to the one that is asked about. */
  readonly curriculum?: boolean;
}

export const methods = {
  linear: {
    label: "linear head",
    summary: "state supervision: a linear classifier on the hidden vector after each line",
    supervision: { head: "linear" },
  },
  decoder: {
    label: "decoder head",
    summary:
      "state supervision: a 2-layer, 64-wide Transformer spells the state from the hidden vector after each line",
    supervision: { head: "decoder" },
  },
  "contrastive 0.1": {
    label: "contrastive, weight 0.1",
    summary:
      "state supervision: the hidden vector after each line is told to be near its state, as the model reads it",
    supervision: { head: "contrastive", weight: 0.1 },
  },
  "contrastive 1": {
    label: "contrastive, weight 1",
    summary: "the same with ten times the weight",
    supervision: { head: "contrastive", weight: 1 },
  },
  curriculum: {
    label: "curriculum",
    summary: "no state supervision; lengths drawn from 2 to the longest (Zaremba and Sutskever)",
    curriculum: true,
  },
  unsupervised: { label: "unsupervised", summary: "no state supervision, no curriculum" },
} as const satisfies Record<string, Method>;
export type MethodName = keyof typeof methods;

export function describedMethods(names: readonly MethodName[]) {
  return Object.fromEntries(
    names.map((name) => [name, { label: methods[name].label, summary: methods[name].summary }]),
  );
}

/**
 * What trials on a laptop's budget came to. Small batches: steps count for more than samples. The gradient jumps, hence
 * the long memory of its square; it calms down, and the last mistakes go, as the rate falls.
 */
export const SMALL_BATCHES = {
  batch: 16,
  learningRate: 1e-3,
  beta2: 0.99,
  warmupSteps: 50,
  schedule: "cosine",
  finalShare: 0.02,
} as const;

export interface SupervisedSetup {
  readonly task: { readonly name: string; readonly length: number; readonly [field: string]: unknown };
  readonly model: { readonly name: string; readonly [field: string]: unknown };
  /** Over the method's own fields. */
  readonly supervision?: Readonly<Record<string, unknown>>;
  readonly train: Readonly<Record<string, unknown>> & { readonly steps: number; readonly batch: number };
  /** The curriculum's budget, if it is another. */
  readonly curriculumSteps?: number | undefined;
  /** Held-out programs on which training stops, and steps between the times that they are asked about. */
  readonly programs: number;
  readonly every: number;
  /** Programs for the accuracy at the end. The held-out ones are the first of them, and were chosen to be right: ask about many more. */
  readonly tested: number;
  readonly chance: number;
  readonly device: "cpu" | "cuda";
}

/** A run by a method, asked at its end about the task as it is. */
export function supervisedRun(
  setup: SupervisedSetup,
  method: MethodName,
  seed: number,
  setting: string,
): PlannedRun {
  const { task, model, train, programs, every, tested, chance, device } = setup;
  const { supervision, curriculum }: Method = methods[method];
  const steps = (curriculum && setup.curriculumSteps) || train.steps;
  const config = RunConfig.parse({
    seed,
    task,
    model,
    train: { ...train, steps, untilPerfect: { every, programs } },
    curriculum: { stages: [[curriculum ? { length: [2, task.length] } : {}]] },
    ...(supervision !== undefined && { stateSupervision: { ...supervision, ...setup.supervision } }),
    evaluate: { programs: tested },
    // Written to go on from, not to look at.
    checkpointEvery: 1000,
    device,
  });
  const test: PlannedTest = { name: `length ${task.length}`, change: {}, asTrained: true, chance };
  return { setting, model: method, config, tests: [test] };
}

/** One size of a task, and what is special to it: other methods than all, another budget than the setup's. */
export interface Sized {
  readonly size: number;
  readonly methods?: readonly MethodName[];
  readonly steps?: number;
  readonly curriculumSteps?: number;
  /** Of the seeds that are asked for, the first so many only: what costs much. */
  readonly seeds?: number;
}

/** The methods at every size of a task, for each seed: one setting a size. */
export function supervisedRuns(
  sizes: readonly Sized[],
  compared: readonly MethodName[],
  seeds: readonly number[],
  of: (size: number) => { readonly setup: SupervisedSetup; readonly setting: string },
): PlannedRun[] {
  return seeds.flatMap((seed, i) =>
    sizes.flatMap(({ size, methods = compared, steps, curriculumSteps, seeds: most = seeds.length }) => {
      if (i >= most) return [];
      const { setup, setting } = of(size);
      const train = { ...setup.train, steps: steps ?? setup.train.steps };
      const budget = { train, curriculumSteps: curriculumSteps ?? setup.curriculumSteps };
      return methods.map((method) => supervisedRun({ ...setup, ...budget }, method, seed, setting));
    }),
  );
}

const SAMPLES = "samples until every held-out answer was right";

export function* measureSamples({ config, step, perfectAt }: TrainedRun): Measuring {
  yield { done: 0, of: 1 };
  const samples = (perfectAt ?? step) * config.train.batch;
  return [{ name: SAMPLES, values: { samples, "reached (1) or not (0)": Number(perfectAt !== undefined) } }];
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
  return measurementsOf(result, { name: SAMPLES, setting, model }).map(({ seed, values }) => ({
    seed,
    samples: values.samples!,
    perfect: values["reached (1) or not (0)"] === 1,
  }));
}

/** In every seed, and there is one. */
export function alwaysPerfect(result: UnreadResult, setting: string, model: MethodName): boolean {
  const samples = samplesOf(result, setting, model);
  return samples.length > 0 && samples.every(({ perfect }) => perfect);
}

/** The seeds with mistakes to the end: `64,000 samples were not enough in 1 of 3 seeds.`; nothing where there are none. */
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
    `${listed(budgets)} samples were not enough in ${missed.length} of ${counted(samples.length, "seed")}.`,
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

/** The loss of the training batches, over the last tenth of what two runs of a seed both did: [one, other] a seed. */
export function lossesOf(
  result: UnreadResult,
  setting: string,
  one: MethodName,
  other: MethodName,
): [number, number][] {
  const curve = (model: MethodName, seed: number) =>
    result.training.find((each) => each.setting === setting && each.model === model && each.seed === seed);
  return result.seeds.flatMap((seed): [number, number][] => {
    const [first, second] = [curve(one, seed), curve(other, seed)];
    if (first === undefined || second === undefined) return [];
    const end = Math.min(...[first, second].map(({ points }) => points.at(-1)?.step ?? 0));
    const late = ({ points }: typeof first) =>
      points.filter(({ step }) => step > 0.9 * end && step <= end).map(({ loss }) => loss);
    return late(first).length === 0 || late(second).length === 0
      ? []
      : [[mean(late(first)), mean(late(second))]];
  });
}
