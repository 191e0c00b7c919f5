import { expect } from "vitest";
import { parseTrace } from "../../schemas/trace.ts";
import { pythonTest, runPython } from "./python.test-helper.ts";

const traces = (source: string, ...calls: string[]) =>
  runPython(calls.map((call) => ({ operation: "trace", source, call }))).map((answer) =>
    parseTrace(answer, "answer"),
  );

pythonTest("a method of an object that is made in the same expression is written out", () => {
  const source = [
    "from dataclasses import dataclass",
    "class Solution:",
    "    def climb(self, n):",
    "        a = b = 1",
    "        for _ in range(n):",
    "            a, b = b, a + b",
    "        return a",
    "class Sub(Solution):",
    "    def twice(self, n): return self.climb(n) + Sub().climb(n)",
    "@dataclass",
    "class P:",
    "    x: int",
    "    def m(self, k): return self.x + k",
    "class Made:",
    "    def __new__(cls): return Sub.__new__(Sub)",
    "    def climb(self, n): return 0",
    "def f(n): return Sub().twice(n), P(n).m(2)",
  ].join("\n");
  const [climb, both, made] = traces(source, "Solution().climb(3)", "f(2)", "Made().climb(2)");
  expect([climb.proven, climb.literal, climb.kept]).toEqual([true, "3", undefined]);
  expect(climb.lines.filter(({ line }) => line === 6)).toHaveLength(3);
  expect([both.proven, both.literal, both.kept]).toEqual([true, "(4, 4)", undefined]);
  expect(both.code).toContain("climb2_self, climb2_n = Sub(), twice1_n\n");
  expect([made.proven, made.literal]).toEqual([true, "2"]);
});

pythonTest("a record says which calls are not written out, and why", () => {
  const source = [
    "import asyncio",
    "def cube(v): return v ** 3",
    "async def main(): return await part()",
    "async def part(): return 1",
    "def gen(n):",
    "    yield n",
    "    yield n + 1",
    "def loud(fn): return lambda *a: fn(*a)",
    "@loud",
    "def double(x): return 2 * x",
    "def plain(n): return n",
    "def f(xs): return [cube(v) for v in xs], plain(3)",
    "def g(xs): return sorted(xs, key=cube), asyncio.run(main()), list(gen(3)), double(2)",
  ].join("\n");
  const [comprehension, others, all] = traces(source, "f([1, 2])", "g([2, 1])", "plain(4)");
  expect([comprehension.proven, comprehension.kept]).toEqual([
    true,
    [{ function: "cube", why: "expression", calls: 2 }],
  ]);
  expect([others.proven, others.kept]).toEqual([
    true,
    [
      { function: "cube", why: "expression", calls: 2 },
      { function: "main", why: "coroutine", calls: 1 },
      { function: "part", why: "coroutine", calls: 1 },
      { function: "gen", why: "generator", calls: 1 },
      { function: "double", why: "decorator", calls: 1 },
    ],
  ]);
  expect([all.proven, all.kept]).toEqual([true, undefined]);
});

pythonTest("a value of a class that extends a plain one has no literal, and is compared by its data", () => {
  const source = [
    "from collections import Counter, OrderedDict, defaultdict, namedtuple",
    "from enum import IntEnum",
    "P = namedtuple('P', 'x y')",
    "class Color(IntEnum): RED = 1",
    "class Word(str): pass",
    "def f(n):",
    "    a = [P(1, 2), Counter('aa'), Color.RED, OrderedDict(a=1), defaultdict(list, a=[1]), Word('s'), {'k': [P(1, 2)]}]",
    "    return a[n]",
    "def g(n): return (1, True, {'a': 2})",
  ].join("\n");
  const records = traces(source, ...[0, 1, 2, 3, 4, 5, 6].map((n) => `f(${n})`), "g(0)");
  const ends = records.map(({ proven, literal, compared, lines }) => {
    expect(proven).toBe(true);
    return [lines.at(-1)?.code.split(" == ")[1], literal, compared];
  });
  expect(ends).toEqual([
    ["(1, 2)", null, "data"],
    ["{'a': 2}", null, "data"],
    ["1", null, "data"],
    ["{'a': 1}", null, "data"],
    ["{'a': [1]}", null, "data"],
    ["'s'", null, "data"],
    ["{'k': [(1, 2)]}", null, "data"],
    ["(1, True, {'a': 2})", "(1, True, {'a': 2})", undefined],
  ]);
});
