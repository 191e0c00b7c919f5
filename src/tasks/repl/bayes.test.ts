import fc from "fast-check";
import { expect, test } from "vitest";
import { allPermutations } from "../../core/permutations.ts";
import { rngFrom } from "../../core/rng.ts";
import type { Example } from "../index.ts";
import { exampleFrom, exampleStream, prepareTask } from "../index.ts";
import { repl } from "../repl.ts";
import { windowedBayes } from "./bayes.ts";
import { readProgram } from "./parser.ts";

/**
 * The same numbers by enumeration, from the text alone: every state before the first visible command is tried, the
 * visible commands are run, and the states that contradict a visible print are dropped. The best guess is right with
 * the largest share of what is left, so over all truths the expected accuracy is that share.
 */
function enumerated(
  text: string,
  names: string[],
  digits: number | undefined,
  window: number,
  boundary: boolean,
) {
  const lines = text
    .split("\n")
    .map((line) => line.replace(/^>>> /, ""))
    .filter((line) => line !== "");
  const first = lines.findIndex((line) => line.includes(",")); // the first command or print
  const body = lines.slice(first).filter((line) => !line.startsWith("print"));
  const n = names.length;
  const everyDigits = (count: number): string[][] =>
    count === 0
      ? [[]]
      : everyDigits(count - 1).flatMap((rest) =>
          Array.from({ length: digits ?? 0 }, (_, d) => [...rest, `${d}`]),
        );
  const prior =
    digits === undefined ? allPermutations(n).map((p) => p.map((i) => `${i + 1}`)) : everyDigits(n);
  const initial = lines.slice(0, first).map((line) => line.split(" = ")[1]);

  return body.flatMap((asked, at) => {
    if (asked.includes("=")) return [];
    const commandsBefore = body.slice(0, at).flatMap((line, i) => (line.includes("=") ? [i] : []));
    const visible = commandsBefore.slice(-window);
    const everything = visible.length === commandsBefore.length && commandsBefore.length < window;
    let from = visible[0];
    if (everything) from = 0;
    else if (boundary) while (from > 0 && !body[from - 1].includes("=")) from--;
    const starts = everything ? [initial] : prior;
    const counts = new Map<string, number>();
    let consistent = 0;
    for (const start of starts) {
      const held = new Map(names.map((name, i) => [name, start[i]]));
      const agrees = body.slice(from, at).every((line) => {
        if (!line.includes("=")) return held.get(line[0]) === line.slice(2);
        const [left, right] = line.split(" = ").map((side) => side.split(", "));
        const moved = right.map((name) => held.get(name) as string);
        for (const [i, name] of left.entries()) held.set(name, moved[i]);
        return true;
      });
      if (!agrees) continue;
      consistent++;
      const value = held.get(asked[0]) as string;
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return [Math.max(...counts.values()) / consistent];
  });
}

test("the closed form equals enumeration of all states, whatever the program, the window and its edge", () => {
  const programs = fc.record({
    variables: fc.integer({ min: 2, max: 4 }),
    commandKind: fc.constantFrom("swap", "permutation"),
    commands: fc.integer({ min: 1, max: 14 }),
    spacing: fc.integer({ min: 1, max: 5 }),
    reveal: fc.constantFrom("partial", "full"),
    revealInitial: fc.boolean(),
  });
  fc.assert(
    fc.property(
      programs,
      fc.integer({ min: 1, max: 16 }),
      fc.boolean(),
      fc.nat(),
      (params, window, boundary, seed) => {
        const spacing = Math.min(params.spacing, params.commands);
        const prepared = prepareTask(repl, { ...params, spacing });
        const { text } = exampleFrom(prepared, rngFrom(seed));
        const closed = windowedBayes(readProgram(text), { window, boundary });
        const expected = enumerated(text, [...prepared.variables], undefined, window, boundary);
        expect(closed).toHaveLength(expected.length);
        for (const [i, accuracy] of closed.entries()) expect(accuracy).toBeCloseTo(expected[i], 12);
      },
    ),
    { numRuns: 1500 },
  );
});

test("the closed form equals enumeration of all digits where values repeat", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 3 }),
      fc.constantFrom("swap", "permutation"),
      fc.constantFrom("partial", "full"),
      fc.integer({ min: 1, max: 8 }),
      fc.boolean(),
      fc.nat(),
      (variables, commandKind, reveal, window, boundary, seed) => {
        const params = { variables, commandKind, reveal, commands: 8, spacing: 2, repeatedValues: true };
        const prepared = prepareTask(repl, params);
        const { text } = exampleFrom(prepared, rngFrom(seed));
        const closed = windowedBayes(readProgram(text), { window, boundary, digits: 10 });
        const expected = enumerated(text, [...prepared.variables], 10, window, boundary);
        for (const [i, accuracy] of closed.entries()) expect(accuracy).toBeCloseTo(expected[i], 12);
      },
    ),
    { numRuns: 150 },
  );
});

test("the text is read back as the commands that made its states", () => {
  const prepared = prepareTask(repl, {
    variables: 6,
    commandKind: "permutation",
    commands: 20,
    spacing: [1, 7],
  });
  for (let i = 0; i < 50; i++) {
    const example: Example = exampleFrom(prepared, exampleStream(4, "train")(i));
    const { variables, initial, commands, reveals } = readProgram(example.text);
    let held: readonly string[] = initial;
    for (const [t, state] of example.states.entries()) {
      if (t > 0) held = commands[t - 1].map((from) => held[from]);
      expect(Object.values(state.values)).toEqual(held);
    }
    expect(
      reveals.map(({ variable, value, commands }) => ({ variable: variables[variable], value, commands })),
    ).toEqual(example.reveals.map(({ variable, value, commands }) => ({ variable, value, commands })));
  }
});

test("a boundary reveal of one of three raises the share from 1/3 to 2/3 when the variable asked is random", () => {
  // With a full window between two partial reveals: the slot asked is the known one in 1/3, else one of two is guessed.
  const prepared = prepareTask(repl, { commands: 48, spacing: 24 });
  let withBoundary = 0;
  let without = 0;
  const size = 4000;
  for (let i = 0; i < size; i++) {
    const program = readProgram(exampleFrom(prepared, exampleStream(6, "test")(i)).text);
    withBoundary += windowedBayes(program, { window: 24, boundary: true })[1] / size;
    without += windowedBayes(program, { window: 24, boundary: false })[1] / size;
  }
  expect(Math.abs(withBoundary - 2 / 3)).toBeLessThan(0.02); // five standard errors: each share is 1/2 or 1
  expect(without).toBeCloseTo(1 / 3, 12);
});

test("initial values count only where fewer than W commands precede the reveal", () => {
  const prepared = prepareTask(repl, { commands: 6, spacing: 2 });
  const program = readProgram(exampleFrom(prepared, rngFrom(3)).text);
  expect(windowedBayes(program, { window: 3, boundary: true })[0]).toBe(1);
  expect(windowedBayes(program, { window: 2, boundary: true })[0]).toBeCloseTo(1 / 3, 12);
});

test.each([
  ["a = 1\na, b = b, a\n", "line 2", "b"],
  ["a = 1\nprint('a', a)\nb 1\n", "line 3", "the output of print('a', a)"],
  ["a = 1\nimport os\n", "line 2", "import os"],
  ["a = 1\nb = 2\na, b = b\n", "line 3", "as many values"],
  ["a = 1\nb = 2\na, b = b, a\nb = 2\n", "line 4", "before the first command"],
])("%j is refused with its line", (text, line, reason) => {
  expect(() => readProgram(text)).toThrow(line);
  expect(() => readProgram(text)).toThrow(reason);
});

test("a window of less than one command is refused", () => {
  const program = readProgram("a = 1\nb = 2\na, b = b, a\nprint('a', a)\na 2\n");
  for (const window of [0, -1, Number.NaN])
    expect(() => windowedBayes(program, { window, boundary: true })).toThrow("window");
});
