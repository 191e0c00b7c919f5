import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { silent } from "../../core/progress.ts";
import type { PythonHost } from "../../python/sandbox/host.ts";
import { openHost } from "../../python/sandbox/open.ts";
import { TracedRow } from "../../schemas/trace.ts";
import { readLog } from "../../storage/index.ts";
import { traceBenchmark } from "../trace/benchmark.ts";
import { openFunctions } from "./functions.ts";

const folder = tmpFolder("functions");
const signal = new AbortController().signal;
let host: PythonHost;
beforeAll(async () => {
  host = await openHost("embedded", { atMost: 1 });
}, 60_000);
afterAll(async () => {
  await host.close();
});

const open = async (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  const { rows } = await openFunctions(join(folder, name), { host, license: "mit", signal });
  return rows.map(({ calls, unreadable }) => ({
    calls: calls.map(({ call, expected }) => [call, expected]),
    left: unreadable.map(({ reason }) => reason),
    source: calls[0]?.sources[0] ?? "",
  }));
};

test("calls are those of doctests and asserts; what stands before a doctest goes with it", async () => {
  const source = [
    "def f(n):",
    "    '''",
    "    >>> f(2)",
    "    3",
    "    >>> x = [5]",
    "    >>> f(x[0])",
    "    6",
    "    >>> f('a')",
    "    Traceback (most recent call last):",
    "    TypeError: no",
    "    '''",
    "    return n + 1",
    "assert f(3) == 4",
    "def test_f():",
    "    for i in range(2):",
    "        assert f(i) == i + 1",
    "    assert not f(-1)",
  ].join("\n");
  const [found] = await open("f.py", source);
  expect(found.calls).toEqual([
    ["f(2)", "3"],
    ["case_1()", "6"],
    ["f(3)", "4"],
    ["f(-1)", ""],
  ]);
  expect(found.left).toEqual(["the assert needs i"]);
  expect(found.source.split("\n")[12]).toBe("");
  expect(found.source).toContain("def case_1():\n    f(2)\n    x = [5]\n    return f(x[0])\n");
});

test("examples pass that doctest passes: without output, several on a line, printed, with ELLIPSIS, raising", async () => {
  const cart = [
    "class Cart:",
    '    """',
    "    >>> c = Cart()",
    '    >>> c.add("x", 2)',
    "    >>> c.count()",
    "    2",
    '    """',
    "    def __init__(self): self.items = {}",
    "    def add(self, n, q): self.items[n] = self.items.get(n, 0) + q",
    "    def count(self): return sum(self.items.values())",
  ].join("\n");
  const everything = [
    '"""',
    ">>> from d import *",
    ">>> total([1, 2])",
    "3",
    '"""',
    "class Stack:",
    '    """',
    "    >>> s = Stack()",
    "    >>> s.push(1); s.push(5)",
    "    >>> s.top(); s.size() # doctest: +SKIP",
    "    4",
    "    >>> s",
    "    Stack(1, 5)",
    "    >>> s.pop()",
    "    5",
    "    >>> s.pop(); s.size()",
    "    1",
    "    0",
    "    >>> s.pop()",
    "    Traceback (most recent call last):",
    "      ...",
    "    IndexError: pop from empty list",
    "    >>> for i in range(3):",
    "    ...     s.push(i * 2)",
    "    >>> s.show()",
    "    0",
    "    <BLANKLINE>",
    "    2",
    "    <BLANKLINE>",
    "    4",
    "    <BLANKLINE>",
    "    >>> print(s.size())",
    "    3",
    "    >>> s.items  # doctest: +NORMALIZE_WHITESPACE",
    "    [0,   2,",
    "       4]",
    '    """',
    "    def __init__(self):",
    "        self.items = []",
    "    def __repr__(self):",
    "        return f\"Stack({', '.join(map(str, self.items))})\"",
    "    def push(self, x):",
    "        self.items.append(x)",
    "    def pop(self):",
    "        return self.items.pop()",
    "    def size(self):",
    "        return len(self.items)",
    "    def show(self):",
    "        for x in self.items:",
    "            print(x)",
    "            print()",
    "def total(xs):",
    '    """',
    "    >>> total(range(20))  # doctest: +ELLIPSIS",
    "    1...",
    "    >>> [total(range(i)) for i in range(9)]  # doctest: +ELLIPSIS",
    "    [0, 0, ..., 28]",
    "    >>> for i in range(3): print(total(range(i)))",
    "    0",
    "    0",
    "    1",
    '    """',
    "    n = 0",
    "    for x in xs:",
    "        n = n + x",
    "    return n",
    "def noted(xs):",
    '    """',
    "    >>> noted([1, 2])",
    "    sum 3",
    "    6",
    "    >>> def inner(n):",
    "    ...     return noted([n])",
    "    ...",
    "    >>> inner(4)",
    "    sum 4",
    "    8",
    '    """',
    '    print("sum", total(xs))',
    "    return total(xs) * 2",
  ].join("\n");
  for (const [text, count] of [
    [cart, 1],
    [everything, 12],
  ] as const) {
    const [{ calls, source, left }] = await open("d.py", text);
    expect([calls.length, left]).toEqual([count, []]);
    const tests = calls.map(([call, expected]) => `(${call}) == (${expected})`);
    const outcome = await host.run({ operation: "outcomes", source, tests });
    expect(outcome).toMatchObject({ value: { outcomes: tests.map(() => "passed") } });
    const faulty = source.replace("get(n, 0) + q", "get(n, 0) - q").replace("n = n + x", "n = n - x");
    const faulted = await host.run({ operation: "outcomes", source: faulty, tests });
    expect(JSON.stringify(faulted)).toContain("failed");
  }
});

test("HumanEval's candidate is the function, and each test method of ClassEval a case", async () => {
  const human = {
    ...{ prompt: "def g(n):\n", canonical_solution: "    return n\n", entry_point: "g" },
    test: "def check(candidate):\n    assert candidate(1) == 1\n    assert abs(candidate(2) - 2) < 1e-6\n",
  };
  expect((await open("h.jsonl", `${JSON.stringify(human)}\n`))[0].calls).toEqual([
    ["g(1)", "1"],
    ["abs(g(2) - 2) < 1e-06", ""],
  ]);
  const classes = {
    ...{ class_name: "C", solution_code: "class C:\n    def m(self, x): return x" },
    test: "class T:\n    def setUp(self):\n        self.c = C()\n    def test_m(self):\n        r = self.c.m(1)\n        self.assertEqual(r, 1)\n",
  };
  const [found] = await open("c.json", JSON.stringify([classes]));
  expect(found.calls).toEqual([["case_1()", "1"]]);
  expect(found.source).toContain("def case_1():\n    self_c = C()\n    r = self_c.m(1)\n    return r\n");
});

test("a file without calls says so", async () => {
  const [{ calls, left }] = await open("none.py", "def f(n):\n    return n + 1\n");
  expect([calls, left]).toEqual([[], ["no doctest and no assert calls a function"]]);
});

test("a folder is traced to the end, and what was left out is counted by reason", async () => {
  const own = join(folder, "own");
  mkdirSync(own);
  writeFileSync(join(own, "a.py"), "def f(n):\n    return [n]\nassert f(1) == [1]\nassert f(2) == [2]\n");
  writeFileSync(join(own, "b.py"), "def g(n):\n    return object()\nassert g(1) == 1\nassert g(2) == 1\n");
  const { benchmark, rows } = await openFunctions(own, { host, license: "mit", signal });
  const out = join(folder, "out");
  const { coverage } = await traceBenchmark(benchmark, {
    ...{ rows, out, signal, split: "test", filter: "none", calls: "inline", anonymous: false, jobs: 1 },
    ...{ maximumSteps: 100, wallSeconds: 30, host: "embedded", progress: silent },
  });
  expect(coverage).toMatchObject({ programs: 2, calls: 4, proven: 2, samples: 2 });
  expect(coverage.reasons).toEqual([
    { reason: "the result has no literal to compare with (object)", count: 2 },
  ]);
  expect(readLog(join(out, "traces.jsonl"), TracedRow).map(({ id }) => id)).toEqual(["a/1", "a/2"]);
  expect(readFileSync(join(out, "README.md"), "utf8")).toContain("license: mit");
});

test("a row whose expected value differs from what its function gives says so", async () => {
  const source = [
    "from collections import namedtuple",
    "P = namedtuple('P', 'x y')",
    "def f(n): return n",
    "def p(n): return P(n, n)",
    "def nan(): return float('nan')",
    "assert f(2) == 3",
    "assert f(2) == 2.0",
    "assert f([1]) == [2]",
    "assert f(2)",
    "assert f([])",
    "assert p(1) == (1, 1)",
    "assert p(1) == (1, 2)",
  ];
  const path = join(folder, "differ");
  mkdirSync(path);
  writeFileSync(join(path, "a.py"), source.join("\n"));
  const rows = await openFunctions(path, { host, license: "mit", signal });
  const out = join(folder, "differ-out");
  const { coverage } = await traceBenchmark(rows.benchmark, {
    ...{ rows: rows.rows, out, signal, split: "test", filter: "none", calls: "inline", anonymous: false },
    ...{ jobs: 1, maximumSteps: 100, wallSeconds: 30, host: "embedded", progress: silent },
  });
  const differing = coverage.differing.map(({ expected, result }) => [result, expected]);
  expect(differing.slice(0, 3)).toEqual([
    ["2", "3"],
    ["[1]", "[2]"],
    ["[]", ""],
  ]);
  expect(differing.map(([, expected]) => expected)).toEqual(["3", "[2]", "", "(1, 2)"]);
  const differ = readLog(join(out, "traces.jsonl"), TracedRow).map(({ differs }) => differs);
  expect(differ).toEqual([true, undefined, true, undefined, true, undefined, true]);
});

test("a file without rows is refused", async () => {
  const path = join(folder, "empty.jsonl");
  writeFileSync(path, "");
  await expect(openFunctions(path, { host, license: "mit", signal })).rejects.toThrow(
    /expected at least one row/,
  );
});
