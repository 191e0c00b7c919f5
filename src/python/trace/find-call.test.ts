import { expect, test } from "vitest";
import { definedNames, findCall, parseAssert } from "./find-call.ts";

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

const long = 200_000;

test.each([
  ["blank lines", `${program}${"\n".repeat(long)}assert f(1) == 2`],
  ["lines of blanks", `${program}${" \n".repeat(long)}f(1)`],
  ["blanks before a name", `${program}async${" ".repeat(long)}\nf(1)`],
  ["a string of backslashes that does not end", `${program}assert f(1) == "${'\\"'.repeat(long)}`],
  ["quotes of both kinds", `${program}assert f(${`"'`.repeat(long)}) == 2`],
  ["triple quotes that do not end", `${program}assert f(1) == ${`"""a'''`.repeat(long)}`],
  ["brackets", `${program}assert ${"(".repeat(long)}f(1)`],
  ["names", `${program}print(${"f".repeat(long)}`],
  ["names and blanks", `${program}${"f ".repeat(long)}`],
  ["parentheses at the end", `${program}f(${"(".repeat(long)}`],
])("a program with %s is looked through in time that grows with its length alone", (_, text) => {
  const before = process.cpuUsage();
  findCall(text);
  const { user, system } = process.cpuUsage(before);
  expect(user + system).toBeLessThan(1_000_000); // microseconds; it took up to a minute
});

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
