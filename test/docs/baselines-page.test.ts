import { expect, test } from "vitest";
import {
  exactBayes,
  exampleFrom,
  exampleStream,
  prepareTask,
  readProgram,
  tasks,
  windowedBayes,
} from "../../src/index.ts";
import { page, tableOf } from "./docs.test-helper.ts";

const text = page("docs/concepts/baselines.md");
const PROGRAMS = 500;

/** Mean over sessions of the test split of seed 0, for each reveal. */
function accuracies(spacing: number, reference: (program: ReturnType<typeof readProgram>) => number[]) {
  const prepared = prepareTask(tasks.repl, { commands: 48, spacing });
  const sums: number[] = [];
  for (let i = 0; i < PROGRAMS; i++) {
    const program = readProgram(exampleFrom(prepared, exampleStream(0, "test")(i)).text);
    for (const [at, share] of reference(program).entries()) sums[at] = (sums[at] ?? 0) + share / PROGRAMS;
  }
  return sums;
}

const mean = (shares: readonly number[]) => shares.reduce((sum, share) => sum + share) / shares.length;

test("the table of docs/concepts/baselines.md is what the windowed filter scores", () => {
  for (const [spacing, ...shown] of tableOf(text, "spacing"))
    for (const [i, window] of [2, 8, 24].entries()) {
      const found = mean(
        accuracies(Number(spacing), (program) => windowedBayes(program, { window, boundary: true })),
      );
      expect((100 * found).toFixed(1), `spacing ${spacing}, W = ${window}`).toBe(shown[i]);
    }
});

test("33, 50 or 83 %, by what counts at the window's edge", () => {
  const seen = (window: number, boundary: boolean) =>
    accuracies(24, (program) => windowedBayes(program, { window, boundary }));
  // With one command more the window shows both the initial values and the reveal.
  const found = [seen(24, false), seen(24, true), seen(25, true)];
  const shown = tableOf(text, "what counts at the edge").map(([, ...cells]) => cells.map(share));
  expect(shown).toHaveLength(found.length);
  for (const [row, reveals] of found.entries())
    for (const [at, accuracy] of [...reveals, mean(reveals)].entries())
      expect(Math.abs(accuracy - shown[row][at]), `row ${row}, cell ${at}`).toBeLessThan(0.02);
});

/** Of `1/3`, `1` or `33 %`. */
function share(cell: string): number {
  const [above, below = cell.endsWith("%") ? 100 : 1] = cell.split("/");
  return Number.parseInt(above, 10) / Number(below);
}

test("the example by hand", () => {
  const prepared = prepareTask(tasks.repl, { commands: 6, spacing: 2 });
  const program = readProgram(exampleFrom(prepared, exampleStream(5, "train")(0)).text);
  const found = windowedBayes(program, { window: 2, boundary: true });
  expect(text).toContain(`[ ${found.join(", ")} ]`);
  expect(exactBayes(program)).toEqual([1, 1, 1]);
});
