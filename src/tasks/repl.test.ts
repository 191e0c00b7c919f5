import fc from "fast-check";
import { expect, test } from "vitest";
import { type Rng, rngFrom } from "../core/rng.ts";
import { exampleFrom, exampleStream, prepareTask } from "./index.ts";
import { interpret } from "./python-interpreter.test-helper.ts";
import { repl } from "./repl.ts";

const anyParams = fc
  .record({
    variables: fc.integer({ min: 2, max: 8 }),
    commandKind: fc.constantFrom("swap", "permutation"),
    commands: fc.integer({ min: 1, max: 40 }),
    reveal: fc.constantFrom("partial", "full"),
    revealInitial: fc.boolean(),
    repeatedValues: fc.boolean(),
    promptStyle: fc.constantFrom("repl", "script"),
  })
  .chain((params) => {
    const one = fc.integer({ min: 1, max: params.commands });
    return fc
      .oneof(one, fc.array(one, { minLength: 1, maxLength: 4 }))
      .map((spacing) => ({ ...params, spacing }));
  });

test("an independent interpreter of the text agrees with every printed value and every state", () => {
  fc.assert(
    fc.property(anyParams, fc.nat(), (params, seed) => {
      const { text, reveals, states } = exampleFrom(prepareTask(repl, params), rngFrom(seed));
      const run = interpret(text);
      expect(run.shown).toEqual(run.printed);
      expect(run.shown).toEqual(reveals.map(({ variable, value }) => `${variable} ${value}`));
      // The initial state is complete after the last of the first `variables` lines.
      expect(states).toEqual(run.states.slice(params.variables - 1));
      expect(states).toHaveLength(params.commands + 1);
    }),
    { numRuns: 300 },
  );
});

test("with the right draws the writer gives the published sample, character by character", () => {
  const draws = [0, 2, 1, 0, 0, 0, 0]; // spacing; order 1 2 3; print a; swap the first with the next; print a
  const scripted: Rng = { ...rngFrom(0), below: () => draws.shift() ?? 0 };
  const prepared = prepareTask(repl, { commands: 1, spacing: 1, revealInitial: true });
  expect(exampleFrom(prepared, scripted).text).toBe(
    [
      ">>> a = 1",
      ">>> b = 2",
      ">>> c = 3",
      ">>> print('a', a)",
      "a 1",
      ">>> a, b = b, a",
      ">>> print('a', a)",
      "a 2",
      "",
    ].join("\n"),
  );
});

test("reveals follow every spacing-th command, and a list of spacings is drawn from evenly", () => {
  const prepared = prepareTask(repl, { commands: 12, spacing: [1, 5, 12] });
  const counts = new Map<string, number>();
  for (let i = 0; i < 3000; i++) {
    const after = exampleFrom(prepared, exampleStream(3, "train")(i)).reveals.map(({ commands }) => commands);
    counts.set(after.join(" "), (counts.get(after.join(" ")) ?? 0) + 1);
  }
  expect([...counts.keys()].toSorted()).toEqual(["1 2 3 4 5 6 7 8 9 10 11 12", "12", "5 10"]);
  for (const count of counts.values())
    expect(Math.abs(count - 1000)).toBeLessThan(5 * Math.sqrt(1000 * (2 / 3)));
});

test("all swaps, all permutations, all initial orders and all revealed variables are equally likely", () => {
  const tally = (params: object, pick: (lines: string[]) => string | undefined) => {
    const prepared = prepareTask(repl, params);
    const counts = new Map<string, number>();
    for (let i = 0; i < 4800; i++) {
      const picked = pick(exampleFrom(prepared, exampleStream(5, "train")(i)).text.split("\n"));
      if (picked !== undefined) counts.set(picked, (counts.get(picked) ?? 0) + 1);
    }
    const expected = 4800 / counts.size;
    for (const count of counts.values())
      expect(Math.abs(count - expected)).toBeLessThan(5 * Math.sqrt(expected));
    return counts.size;
  };
  const one = { variables: 4, commands: 1, spacing: 1 };
  expect(tally(one, (lines) => lines[4])).toBe(6);
  expect(tally({ ...one, commandKind: "permutation" }, (lines) => lines[4])).toBe(24);
  expect(tally(one, (lines) => lines.slice(0, 4).join())).toBe(24);
  expect(tally(one, (lines) => lines[5])).toBe(4);
  expect(tally({ ...one, repeatedValues: true }, (lines) => lines[2])).toBe(10);
});

test("values repeat only where they may", () => {
  const repeats = (repeatedValues: boolean) => {
    const prepared = prepareTask(repl, { variables: 5, repeatedValues });
    return Array.from({ length: 200 }, (_, i) => exampleFrom(prepared, exampleStream(2, "train")(i))).filter(
      ({ states }) => new Set(Object.values(states[0].values)).size < 5,
    ).length;
  };
  expect(repeats(false)).toBe(0);
  expect(repeats(true)).toBeGreaterThan(100); // 1 - 10 * 9 * 8 * 7 * 6 / 10^5 = 70 %
});

test("the vocabulary does not change with commands, spacing or kind, so a curriculum may change them", () => {
  const words = (params: object) => prepareTask(repl, { variables: 4, ...params }).words;
  const same = words({});
  expect(words({ commands: 50, spacing: [1, 50], reveal: "full", commandKind: "permutation" })).toEqual(same);
});

test.each([
  [{ spacing: 13 }, "repl: expected every spacing to be at most the number of commands (12), got 13"],
  [{ spacing: [4, 13] }, "got 13. With a wider spacing no reveal would follow a command"],
  [{ spacing: 0 }, "repl: expected spacing to be at least 1, got 0"],
  [{ spacing: [4, "x"] }, 'repl: expected spacing.1 to be a number, got "x"'],
  [{ variables: 9 }, "repl: expected variables to be at most 8, got 9"],
  [{ variables: "3" }, 'repl: expected variables to be a number, got "3"'],
  [{ commandKind: "swaps" }, 'repl: expected commandKind to be "swap" or "permutation", got "swaps"'],
  [{ comands: 3 }, 'got "comands". Did you mean commands?'],
])("%j is refused in one sentence", (params, message) => {
  expect(() => prepareTask(repl, params)).toThrow(message);
});
