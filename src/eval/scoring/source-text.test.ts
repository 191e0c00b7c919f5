import { expect, test } from "vitest";
import { callParts, parts, renamed } from "./source-text.ts";

test("separators inside of strings, brackets and comments do not cut", () => {
  expect(parts("f([1, 2], 'a == b') == 3", "==")).toEqual(["f([1, 2], 'a == b') ", " 3"]);
  expect(parts('"""a, "b""", \'c\\\',\', (d, e) # f, g', ",")).toEqual([
    '"""a, "b"""',
    " 'c\\','",
    " (d, e) # f, g",
  ]);
  expect(parts("a <= b, c != d, e = f == g", "=")).toEqual(["a <= b, c != d, e ", " f == g"]);
  expect(parts("", ",")).toEqual([""]);
});

test("one call is taken apart, and nothing else is", () => {
  expect(callParts("f(1, [2])")).toEqual({ name: "f", input: "1, [2]" });
  expect(callParts(" g_2 (')') # end")).toEqual({ name: "g_2", input: "')'" });
  for (const text of ["f(1) + 1", "f(1)(2)", "f", "f(1", "(1)", "1", "f(1) or f(2)", "f(x\ny", "assert f(1)"])
    expect([text, callParts(text)]).toEqual([text, undefined]);
});

test("names are exchanged, but not in strings, comments, attributes and keywords of calls", () => {
  const source = "def add(x):  # add\n    return x.add + add(add=x) + len('add') == add";
  const shown = "def f(x):  # add\n    return x.add + f(add=x) + len('add') == f";
  expect(renamed(source, new Map([["add", "f"]]))).toBe(shown);
});

test("an unclosed string of a hundred thousand escapes takes no more than linear time", () => {
  const began = performance.now();
  const open = `f("""${"\\t".repeat(50_000)}`;
  expect(callParts(open)).toBeUndefined();
  expect(parts(`'${"\\'".repeat(50_000)}`, ",")).toHaveLength(1);
  expect(performance.now() - began).toBeLessThan(2000);
});
