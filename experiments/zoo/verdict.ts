/**
 * @file What a cell shows, and what it does not.
 *
 *     solved          a run with at least 99 % of its last answers at the trained length, and 95 % at four times that
 *     can             weights exist: one run has solved it, or they are set by hand (constructed.ts)
 *     learned         a run with at least 99 % at the trained length, whatever it has beyond
 *     cannot          theory says so, a run has learned it, and none of at least ten, over all learning rates, has solved it
 *     contradicted    theory says it cannot, and a run has solved it
 *     not solved      a run has learned it, and none has solved it: of what theory says can, that shows nothing more
 *     not learned     no run has learned even the trained length, which shows nothing
 */

import { binomialInterval } from "../../src/math/beta.ts";
import { median } from "../../src/math/statistics.ts";
import type { ZooCell, ZooRun } from "../../src/records/zoo.ts";
import type { Prediction } from "./predictions.ts";

export const SOLVED = { trained: 0.99, longer: 0.95 } as const;
/** So many runs without one that solves it are needed to say that none will. */
export const ENOUGH = 10;

export const isSolved = ({ trained, longer }: Pick<ZooRun, "trained" | "longer">) =>
  trained >= SOLVED.trained && longer >= SOLVED.longer;

export const hasLearned = ({ trained }: Pick<ZooRun, "trained">) => trained >= SOLVED.trained;

export type Verdict = "can" | "cannot" | "contradicted" | "not solved" | "not learned";

export interface Standing {
  /** Of the reported seeds. */
  readonly solved: number;
  readonly of: number;
  /** Of the reported seeds those that learned the trained length. */
  readonly learned: number;
  /** Where the share of seeds that solve it lies, at 95 %: Clopper and Pearson's. */
  readonly bounds: readonly [low: number, high: number];
  /** Over the reported seeds, at four times the trained length. */
  readonly median: number;
  readonly best: number;
  readonly verdict: Verdict;
}

export function standingOf(
  { runs, grid }: Pick<ZooCell, "runs" | "grid">,
  prediction: Prediction | undefined,
  constructed: boolean,
): Standing {
  const solved = runs.filter(isSolved).length;
  const longer = runs.map((run) => run.longer);
  return {
    ...{
      solved,
      of: runs.length,
      learned: runs.filter(hasLearned).length,
      bounds: binomialInterval(solved, runs.length),
    },
    ...{ median: median(longer), best: Math.max(...longer) },
    verdict: verdictOf([...runs, ...grid], prediction, constructed),
  };
}

function verdictOf(
  all: readonly ZooRun[],
  prediction: Prediction | undefined,
  constructed: boolean,
): Verdict {
  const found = all.some(isSolved);
  if (found && prediction === "cannot") return "contradicted";
  if (found || constructed) return "can";
  if (!all.some(hasLearned)) return "not learned";
  return prediction === "cannot" && all.length >= ENOUGH ? "cannot" : "not solved";
}
