import { expect, test } from "vitest";
import { parseAssert } from "./parse-assert.ts";

const source = "def g(a, b):\n    return a\n";

test.each([
  ["assert g(1, 2) == 3", "g(1, 2)", "3"],
  ['assert g("a == b", [1]) == "x, y"', 'g("a == b", [1])', '"x, y"'],
  ["assert g({1: (2 == 3)}, '\\'') == [1, 2], 'a message'", "g({1: (2 == 3)}, '\\'')", "[1, 2]"],
  ["assert int(g(5, 3)) == 35", "int(g(5, 3))", "35"],
  ["assert (g(1,2))==(1,)", "(g(1,2))", "(1,)"],
  ["  assert g('''a\n== ''', 1) ==\\\n 2", "g('''a\n== ''', 1)", "\\\n 2"],
])("%j is a call with what it should give", (text, call, expected) => {
  expect(parseAssert(text, source)).toEqual({ name: "g", call, expected });
});

test.each([["assert g(1)"], ["assert h(1) == 2"], ["assert g(1) =="], ["g(1) == 2"], ["assert g(1) > 2"]])(
  "%j is none",
  (text) => {
    expect(parseAssert(text, source)).toBeUndefined();
  },
);
