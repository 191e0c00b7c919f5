/**
 * @file Cells: an agent in a Python interpreter writes cells from templates, with one of two habits. Which cell is next?
 *
 *     budget 12 step 5 runtime persistent     reuse                     rederive
 *     >                                       list fresh inspect 0 5 ;  paste list show 0 5 ;
 *      ok                                     it succeeded
 *     >                                       inspect 5 10 ;            paste list show 5 10 ;
 *      ok
 *     >                                       inspect 10 12 ;           paste list show 10 12 ;
 *      ok
 *     >                                       take ;                    paste take ;
 *
 * The hidden state is the next cell: the progress of the inspections, step by step, and the remaining budget. `reuse` relies on names
 * of earlier cells, `rederive` rewrites what it needs. Each word represents lines of Python (src/eval/agents/policies/cell-
 * language.ts); these sessions equal, word for word, the output of the scripts with these names in the knapsack of docs/how-to/agents.md.
 *
 * References: `exactBayes` sees all. Source: the two kinds of traces of mrcabbage972/agents-learn-runtime, reduced to the habit.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import type { Rng } from "../core/rng.ts";
import { Length, type LengthRange, lengthRange } from "./length.ts";
import { defineTask, type Prepared } from "./task.ts";

/** Budgets up to this have separate words. */
const largestBudget = 40;

const habits = ["reuse", "rederive"] as const;
type Habit = (typeof habits)[number];
/** The runtime of a habit's traces. */
const runtimeOf = { reuse: "persistent", rederive: "stateless" } as const satisfies Record<Habit, string>;

const CellsParams = z.strictObject({
  habit: z
    .enum([...habits, "fitting"])
    .default("reuse")
    .describe(
      "The policy: `reuse`, `rederive`, or `fitting`, which reuses names exactly if the runtime keeps them",
    ),
  budget: Length.default([5, largestBudget]).describe("Number of inspections, at most 40"),
  step: Length.default(5).describe("Inspections per cell"),
  part: z
    .enum(["all", "trained", "held-out"])
    .default("all")
    .describe("Sessions: all, those for training, or those reserved for tests"),
});
type CellsParams = z.infer<typeof CellsParams>;

export const cells = defineTask<CellsParams>({
  name: "cells",
  summary: "cells that an agent writes into a Python interpreter: which cell is next?",
  source: "mrcabbage972/agents-learn-runtime",
  params: CellsParams,
  prepare: prepareCells,
});

const numbers = Array.from({ length: largestBudget + 1 }, (_, i) => `${i} `);
const words = [
  ...["budget ", "step ", "runtime ", "unknown\n", "persistent\n", "stateless\n", "> ", ";"],
  ...["list ", "fresh ", "paste ", "inspect ", "show ", "take "],
  // the last two occur in no trace: the response to a failed cell is not trained
  ...[" ok\n", " NameError\n", " error\n"],
  ...numbers,
];
const wordAt = new Map(words.map((word, i) => [word, i]));

/** The cells of a habit, in order, each as its words. */
export function cellsOf(habit: Habit, budget: number, step: number): string[][] {
  const inspecting = Array.from({ length: Math.ceil(budget / step) }, (_, cell) => {
    const range = [`${cell * step} `, `${Math.min(budget, (cell + 1) * step)} `];
    if (habit === "rederive") return ["paste ", "list ", "show ", ...range, ";"];
    return [...(cell === 0 ? ["list ", "fresh "] : []), "inspect ", ...range, ";"];
  });
  return [...inspecting, [...(habit === "rederive" ? ["paste "] : []), "take ", ";"]];
}

function prepareCells({ habit, budget, step, part }: CellsParams): Prepared {
  const [budgets, steps] = [lengthRange(budget, "cells"), lengthRange(step, "cells")];
  if (budgets.most > largestBudget) fail("cells", `a budget of at most ${largestBudget}`, budgets.most);
  if (steps.most > largestBudget) fail("cells", `a step of at most ${largestBudget}`, steps.most);
  const pairs = pairsOf(budgets, steps).filter(
    ([size, each]) => part === "all" || partOf(size, each) === part,
  );
  if (pairs.length === 0) fail("cells", `a budget and a step of which some are ${part}`, { budget, step });
  const values = everyCell(steps);
  const valueAt = new Map(values.map((value, i) => [value, i]));
  const drawn = habit === "fitting" ? habits : [habit];
  const written = pairs.flatMap(([size, each]) => drawn.map((own) => cellsOf(own, size, each)));
  return {
    words,
    variables: ["next"],
    values,
    maximumWords: Math.max(...written.map(wordsOf)),
    maximumStates: Math.max(...written.map(({ length }) => length)),
    write(rng, sink) {
      const [size, each] = pairs[rng.below(pairs.length)];
      const own = drawn[rng.below(drawn.length)];
      const word = (text: string) => sink.word(wordAt.get(text)!); // every text below is one of them
      const runtime = runtimeWord(habit, own, rng);
      for (const text of ["budget ", `${size} `, "step ", `${each} `, "runtime ", runtime]) word(text);
      for (const [i, cell] of cellsOf(own, size, each).entries()) {
        if (i > 0) word(" ok\n");
        const value = valueAt.get(cell.join(""))!;
        sink.state([value]);
        word("> ");
        sink.reveal(0, value, cell.length);
        for (const text of cell) word(text);
      }
    },
    references: { exactBayes: ({ reveals }) => reveals.map(() => 1) },
  };
}

/** Every budget with every step, uniformly. */
const pairsOf = (budgets: LengthRange, steps: LengthRange) =>
  fromTo(budgets).flatMap((budget) => fromTo(steps).map((step) => [budget, step] as const));

const fromTo = ({ least, most }: LengthRange) =>
  Array.from({ length: most - least + 1 }, (_, i) => least + i);

export const partOf = (budget: number, step: number) =>
  (7 * budget + step) % 8 === 0 ? "held-out" : "trained";

/** Half of the sessions of one habit do not state their runtime. */
const runtimeWord = (habit: CellsParams["habit"], own: Habit, rng: Rng) =>
  habit !== "fitting" && rng.below(2) === 0 ? "unknown\n" : `${runtimeOf[own]}\n`;

/** Six words of the beginning; each cell has its mark, and all but the last an outcome. */
const wordsOf = (written: readonly (readonly string[])[]) =>
  written.reduce((sum, cell) => sum + cell.length + 2, 5);

/** The words that any budget needs with either habit. */
function everyCell(steps: LengthRange): string[] {
  const pairs = pairsOf({ least: 1, most: largestBudget }, steps);
  const every = pairs.flatMap(([budget, step]) =>
    habits.flatMap((habit) => cellsOf(habit, budget, step).map((cell) => cell.join(""))),
  );
  return [...new Set(every)];
}
