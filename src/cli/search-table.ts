/** @file What `sweep --search` prints: the trials that it would begin, and what each came to. */

import type { PlannedTrial } from "../app/search/plan.ts";
import { drawnInWords, ranked } from "../report/search-trials.ts";
import { percent } from "../report/shares.ts";
import type { Table } from "../report/text-table.ts";
import type { SearchRecord } from "../schemas/search-space.ts";

export function planTable(planned: readonly PlannedTrial[]): Table {
  const keys = Object.keys(planned[0]?.drawn ?? {});
  return {
    columns: ["trial", ...keys, "steps"],
    rows: planned.map(({ trial, drawn, config }) => [
      trial,
      ...keys.map((key) => drawnInWords(drawn[key])),
      config.train.steps,
    ]),
  };
}

/** The best first: those that came farthest, and of these the better. */
export function trialsTable({ trials, chosen }: SearchRecord): Table {
  const keys = Object.keys(trials[0]?.drawn ?? {});
  return {
    columns: ["trial", ...keys, "programs", "stage", "seconds", "score"],
    rows: ranked(trials).map((trial) => {
      const at = trial.scores.at(-1);
      const name = `${trial.trial}${trial.trial === chosen ? " *" : ""}`;
      const drawn = keys.map((key) => drawnInWords(trial.drawn[key]));
      if (at === undefined) return [name, ...drawn, "", "", "", trial.failure === undefined ? "" : "failed"];
      return [name, ...drawn, at.programs, at.stage + 1, at.seconds.toFixed(0), percent(at.score)];
    }),
  };
}
