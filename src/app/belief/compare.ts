/** @file Comparing filters of a hidden state: what is asked for, carried out step by step. */

import type { MarginalRule } from "../../analysis/belief/index.ts";
import type { RevealChoice } from "../../core/active-query.ts";
import type { ProgressDisplay } from "../../core/progress.ts";
import { activeWork } from "./active.ts";
import { adversaryWork, decayWork, fileWork, type Outcome, type Work } from "./filters.ts";

interface BeliefOrder {
  /** The table, what misleads marginals, or the file of an automaton. */
  readonly what: "table" | "adversary" | { readonly file: string };
  readonly variables: number;
  /** Of each swap, and commands per reveal; undefined for those of the reference rows. */
  readonly probability: number | undefined;
  readonly spacing: number | undefined;
  /** Counted reveals of each row. */
  readonly reveals: number;
  readonly seed: number;
  /** Of the adversary: commands and answers together, sequences kept, and the rules that it misleads. */
  readonly length: number;
  readonly beam: number;
  readonly rules: readonly MarginalRule[];
  /** Who chooses what is shown: then the table is of what remains, and filters are not compared. */
  readonly choices?: readonly RevealChoice[] | undefined;
}

/** undefined where the signal came before the end. */
export async function compareFilters(
  order: BeliefOrder,
  progress: ProgressDisplay,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const work = await workOf(order);
  try {
    for (let step = work.next(); ; step = work.next()) {
      if (step.done) return step.value;
      progress.update(step.value.name, { step: step.value.done, steps: step.value.of });
      await new Promise(setImmediate); // Ctrl-C is heard between two steps
      if (signal.aborted) return undefined;
    }
  } finally {
    progress.close();
  }
}

function workOf(order: BeliefOrder): Promise<Work> | Work {
  const { what, variables, probability, spacing, reveals, seed, length, beam, rules, choices } = order;
  const chosen = { probability, spacing, reveals, seed };
  if (choices !== undefined) return activeWork(choices, { ...chosen, variables });
  if (what === "table") return decayWork({ ...chosen, variables });
  if (what !== "adversary") return fileWork(what.file, chosen);
  return adversaryWork(rules, { variables, probability: probability ?? 0.5, length, beam, seed });
}
