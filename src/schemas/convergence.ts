/**
 * @file Who has learned what it was trained on. A model is compared only there: of who has not, nothing is said beyond it.
 *
 *     as trained   12/1 full  75.1 %    12/1  99.9 %    12/12  99.2 %    learned: 99.9 % of its densest reveals
 *                  12/1 full  33.3 %    12/1  33.7 %    12/12  98.0 %    not learned
 *     none asked   stage 1 of 5                                          not learned: what is asked never came
 *
 * The densest are the tests as trained with the fewest commands to a reveal; where a task has no such number, all tests as
 * trained. Of several the best counts: full reveals leave some curricula and may be forgotten, what came after them is known.
 */

import type { ExperimentResult, ResultRow } from "./experiment-result.ts";

/** The share of the densest reveals of its training that a model must name; of what can be known, where not all can. */
export const LEARNED = 0.95;

type Learning = Pick<ExperimentResult, "results" | "training">;
type Wanted = Partial<Pick<ResultRow, "setting" | "model" | "seed">>;

/** One run that has not learned its training: its accuracy in the densest reveals of it, or where its curriculum ended. */
export interface Unlearned extends Pick<ResultRow, "setting" | "model" | "seed" | "accuracy"> {
  /** The test, or the stage of the curriculum. */
  readonly at: string;
}

/** Every run (a setting, a model, a seed) that has not learned its training; who was not asked is not among them. */
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

/** Whether all these runs have learned their training; true where nothing tells. */
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

/** Nothing that was asked was in its training: then it is told by whether it came to the end of its curriculum. */
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

/** A list of spacings has programs of its least. */
const commandsPerReveal = ({ tested }: ResultRow) =>
  Math.min(...[tested.change.spacing ?? 0].flat().map(Number));

/** Where nobody can know the answers, of what the exact filter knows. */
function shareOfKnown({ accuracy, references }: ResultRow): number {
  const exact = Object.hasOwn(references, "exactBayes") ? references.exactBayes!.accuracy : 1;
  return accuracy / exact;
}
