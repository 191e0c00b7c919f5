/**
 * @file Whether runs have learned their training: only those are compared beyond it. And curricula that stalled before their last stage.
 *
 *     as trained   12/1 full  75.1 %    12/1  99.9 %    12/12  99.2 %    learned: 99.9 % of its densest reveals
 *                  12/1 full  33.3 %    12/1  33.7 %    12/12  98.0 %    not learned
 *     none asked   stage 1 of 5                                          not learned: the tests were never trained
 *
 * The densest tests are those as trained with the fewest commands per reveal, or all tests as trained if the task has no such number. The
 * best of several counts: full reveals leave some curricula and may be forgotten, while later stages are retained.
 *
 *     stalled      curriculum stopped at stage 2 of 4; untrained: spacing 4; spacing 12
 */

import { z } from "zod";
import type { ExperimentResult, ResultRow } from "./experiment-result.ts";
import type { RunConfig } from "./run-config.ts";
import { testName } from "./test-result.ts";

/** Required accuracy on the densest reveals of the training, relative to what can be known. */
export const LEARNED = 0.95;

type Learning = Pick<ExperimentResult, "results" | "training">;
type Wanted = Partial<Pick<ResultRow, "setting" | "model" | "seed">>;

/** A run that has not learned its training: its accuracy on the densest reveals, or at the end of its curriculum. */
interface Unlearned extends Pick<ResultRow, "setting" | "model" | "seed" | "accuracy"> {
  /** The test, or the stage of the curriculum. */
  readonly at: string;
}

/** Every run (setting, model, seed) that was tested and has not learned its training. */
export function unlearned({ results, training }: Learning, wanted: Wanted = {}): Unlearned[] {
  const own = results.filter((row) => isOf(row, wanted));
  const runs = new Map(own.map((row) => [`${row.setting}\0${row.model}\0${row.seed}`, row]));
  return [...runs.values()].flatMap(({ setting, model, seed }): Unlearned[] => {
    const run = { setting, model, seed };
    const trained = own.filter((row) => row.tested.asTrained && isOf(row, run));
    const missed =
      trained.length > 0 ? belowLearned(trained) : endedEarly(training.find((curve) => isOf(curve, run)));
    return missed === undefined ? [] : [{ ...run, ...missed }];
  });
}

/** Whether all these runs have learned their training; true without data. */
export const hasLearned = (result: Learning, wanted: Wanted = {}): boolean =>
  unlearned(result, wanted).length === 0;

type Missed = Pick<Unlearned, "accuracy" | "at">;

function belowLearned(trained: readonly ResultRow[]): Missed | undefined {
  const least = Math.min(...trained.map(commandsPerReveal));
  const densest = trained.filter((row) => commandsPerReveal(row) === least);
  const [best] = densest.toSorted((a, b) => shareOfKnown(b) - shareOfKnown(a));
  if (best === undefined || shareOfKnown(best) >= LEARNED) return undefined;
  return { accuracy: best.accuracy, at: best.tested.name };
}

/** Without a test as trained, a run has learned if it reached the last stage. */
function endedEarly(curve: Learning["training"][number] | undefined): Missed | undefined {
  const last = curve?.points.at(-1);
  if (curve?.stages === undefined || curve.stages.reached === curve.stages.of || last === undefined)
    return undefined;
  return { accuracy: last.accuracy, at: `stage "${last.stage}"` };
}

const isOf = (row: Required<Wanted>, { setting, model, seed }: Wanted) =>
  (setting ?? row.setting) === row.setting &&
  (model ?? row.model) === row.model &&
  (seed ?? row.seed) === row.seed;

/** A list of spacings counts as its smallest. */
const commandsPerReveal = ({ tested }: ResultRow) =>
  Math.min(...[tested.change.spacing ?? 0].flat().map(Number));

/** Accuracy relative to the exact filter, if the task has hidden chance. */
function shareOfKnown({ accuracy, references }: ResultRow): number {
  const exact = Object.hasOwn(references, "exactBayes") ? references.exactBayes!.accuracy : 1;
  return accuracy / exact;
}

export const Stalled = z.strictObject({
  /** The last stage that was trained, from 1. */
  reached: z.int(),
  of: z.int(),
  /** The hardest change of each stage that was not reached, in order. */
  never: z.array(z.string()),
});
export type Stalled = z.infer<typeof Stalled>;

/** For a run whose last step was in `stage` (from 0); undefined for the last stage. */
export function stalledAt(
  { curriculum: { stages } }: Pick<RunConfig, "curriculum">,
  stage: number,
): Stalled | undefined {
  if (stage >= stages.length - 1) return undefined;
  const never = stages.slice(stage + 1).map((changes) => testName(changes.at(-1)!)); // not empty
  return { reached: stage + 1, of: stages.length, never };
}

/** A sentence for tables and pages with results of such a run. */
export function stalledWords({ reached, of, never }: Stalled): string {
  return `curriculum stopped at stage ${reached} of ${of}; untrained: ${never.join("; ")}`;
}
