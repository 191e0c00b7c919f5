import { expect, test } from "vitest";
import { type Rng, rngFrom } from "../core/rng.ts";
import { exampleFrom, prepareTask } from "./index.ts";
import { repl } from "./repl.ts";

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
