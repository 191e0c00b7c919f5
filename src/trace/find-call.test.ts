import { expect, test } from "vitest";
import { definedNames, findCall } from "./find-call.ts";

const program = "def f(n):\n    return n + 1\n";

test.each([
  ["f(2)", "f(2)"],
  ["print(f(2))", "f(2)"],
  ["assert f(2) == 3", "f(2)"],
  ["f([1, 'a)'])", "f([1, 'a)'])"],
])("the last line %s is the call %s of the lines before it", (last, call) => {
  expect(findCall(`${program}${last}\n\n`)).toEqual({ source: program, call });
});

test.each([
  ["nothing", ""],
  ["a line of the function", "    return n + 2"],
  ["a call of another function", "g(2)"],
  ["an assignment", "x = f(2)"],
])("%s at the end is no call", (_, last) => {
  expect(findCall(`${program}${last}`)).toBeUndefined();
});

test("functions inside of others are not callable from outside", () => {
  expect(
    definedNames("def f():\n    def g(): pass\nasync def h(): pass\nclass C:\n    def m(self): pass\n"),
  ).toEqual(["f", "h"]);
});
