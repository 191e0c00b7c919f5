import { expect, test } from "vitest";
import { exampleFrom, exampleStream, prepareTask, tasks } from "../../tasks/index.ts";
import type { Prepared } from "../../tasks/task.ts";
import { withSampledPath } from "./reconstructed.ts";

const params = { probability: 0.25, commands: 8, spacing: 4 };
const prepared = prepareTask(tasks.pfsa, params);
const examples = (of: Prepared, count: number) =>
  Array.from({ length: count }, (_, i) => exampleFrom(of, exampleStream(4, "train")(i)));

test("the text and what is asked are the same; the states fit every print, and are not always the true ones", () => {
  const drawn = examples(withSampledPath(prepared), 200);
  const truth = examples(prepared, 200);
  let others = 0;
  for (const [i, example] of drawn.entries()) {
    expect(example.text).toBe(truth[i].text);
    expect(example.reveals).toEqual(truth[i].reveals);
    expect(example.states.map(({ end }) => end)).toEqual(truth[i].states.map(({ end }) => end));
    for (const { start, variable, value } of example.reveals) {
      const before = example.states.findLast(({ end }) => end <= start)!;
      expect(before.values[variable]).toBe(value);
    }
    expect(example.states[0]).toEqual(truth[i].states[0]); // the start is shown
    others += Number(JSON.stringify(example.states) !== JSON.stringify(truth[i].states));
  }
  expect(others).toBeGreaterThan(50);
  expect(examples(withSampledPath(prepared), 5)).toEqual(drawn.slice(0, 5)); // a function of the seed
});

/** How many of the commands of each program moved something: 0 .. 8. */
function moves(of: Prepared, count: number): number[] {
  const counts = new Array<number>(9).fill(0);
  for (const { states } of examples(of, count))
    counts[
      states.filter(
        ({ values }, s) => s > 0 && JSON.stringify(values) !== JSON.stringify(states[s - 1].values),
      ).length
    ]++;
  return counts;
}

test("over all texts drawn paths move as often as true ones do: binomially; with a wrong rate they do not", () => {
  const count = 3000;
  const choose = [1, 8, 28, 56, 70, 56, 28, 8, 1];
  const wanted = choose.map((ways, k) => count * ways * 0.25 ** k * 0.75 ** (8 - k));
  const square = (counts: readonly number[]) => {
    // Cells that are hardly ever met are one.
    const joined = (cells: readonly number[]) => [
      ...cells.slice(0, 5),
      cells.slice(5).reduce((sum, each) => sum + each),
    ];
    const [met, due] = [joined(counts), joined(wanted)];
    return met.reduce((sum, each, k) => sum + (each - due[k]) ** 2 / due[k], 0);
  };
  const limit = 5 + 5 * Math.sqrt(10);
  expect(square(moves(prepared, count))).toBeLessThan(limit);
  expect(square(moves(withSampledPath(prepared), count))).toBeLessThan(limit);
  for (const assumed of [0.1, 0.5])
    expect(square(moves(withSampledPath(prepared, assumed), count))).toBeGreaterThan(10 * limit);
});

test("of an automaton, too, paths fit its answers", () => {
  const lamp = prepareTask(tasks.automaton, { commands: 9, spacing: 3 });
  for (const { states, reveals } of examples(withSampledPath(lamp), 100)) {
    expect(states).toHaveLength(10);
    for (const { start, variable, value } of reveals)
      expect(states.findLast(({ end }) => end <= start)!.values[variable]).toBe(value);
  }
  const wrong = withSampledPath(lamp, 0.5);
  expect(() => examples(wrong, 1)).toThrow("automaton: expected the probabilities in the file, got 0.5");
});

test("where nothing is hidden by chance it is refused in one sentence", () => {
  expect(() => withSampledPath(prepareTask(tasks.repl, {}))).toThrow(
    'objective: expected "reconstructed" with pfsa or automaton, got "another task". This task has no hidden randomness',
  );
});
