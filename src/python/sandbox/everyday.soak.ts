import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { hasPython, runPython } from "../trace/python.test-helper.ts";
import { openHost } from "./open.ts";

/** Everyday Python that was refused, or that broke the lab, once. */
const programs: readonly (readonly [name: string, source: string, call: string])[] = [
  [
    "an exception raised from one that has a name",
    "def f(s):\n    try:\n        return int(s)\n    except ValueError as e:\n        raise KeyError('a') from e\ndef g(s):\n    try:\n        return f(s)\n    except KeyError as e:\n        return type(e.__cause__).__name__\n",
    "g('x')",
  ],
  [
    "a local variable without a value",
    "def f(n):\n    try:\n        return x\n    except UnboundLocalError as e:\n        return str(e)\n    x = 1\n",
    "f(2)",
  ],
  [
    "the exception that is being handled",
    "import sys\ndef f(n):\n    try:\n        1 / 0\n    except ZeroDivisionError:\n        return sys.exc_info()[0].__name__\n",
    "f(2)",
  ],
  [
    "the text of the exception that is being handled",
    "import traceback\ndef f(n):\n    try:\n        1 / 0\n    except ZeroDivisionError:\n        return traceback.format_exc().splitlines()[-1]\n",
    "f(2)",
  ],
  [
    "the context of an exception",
    "def f(s):\n    try:\n        try:\n            int(s)\n        except ValueError:\n            raise KeyError('b')\n    except KeyError as k:\n        return type(k.__context__).__name__\n",
    "f('x')",
  ],
  [
    "a bare raise in a helper",
    "def h():\n    raise\ndef f(n):\n    try:\n        1 / 0\n    except ZeroDivisionError:\n        try:\n            h()\n        except ZeroDivisionError:\n            return 7\n",
    "f(2)",
  ],
  [
    "a generator that a break closes",
    "log = []\ndef g():\n    try:\n        yield 1\n        yield 2\n    finally:\n        log.append('done')\ndef f(n):\n    for x in g():\n        break\n    return list(log)\n",
    "f(2)",
  ],
  [
    "a generator that a return closes after its value is known",
    "log = []\ndef g():\n    try:\n        yield 1\n        yield 2\n    finally:\n        log.append('done')\ndef f(n):\n    for x in g():\n        return list(log)\ndef h():\n    return f(1), list(log)\n",
    "h()",
  ],
  [
    "arguments without a literal that are unpacked",
    "def f(g, x, *more, tol=1, **rest):\n    y = g(x)\n    if more:\n        y += g(more[0])\n    return y + tol + len(rest)\n",
    "f(lambda n: n * 2, *[3, 4], **{'tol': 5, 'a': abs})",
  ],
  ["a generator function", "def f(n):\n    for i in range(n):\n        yield i * i\n", "f(3)"],
  [
    "a generator function in an expression",
    "def f(n):\n    for i in range(n):\n        yield i * i\n",
    "sum(f(3))",
  ],
  [
    "a coroutine",
    "import asyncio\nasync def f(n):\n    await asyncio.sleep(0)\n    return n\n",
    "asyncio.run(f(2))",
  ],
  [
    "a function that a decorator has made",
    "import functools\ndef twice(g):\n    @functools.wraps(g)\n    def w(*a):\n        return g(*a) * 2\n    return w\n@twice\ndef f(n):\n    return n + 1\n",
    "f(2)",
  ],
  ["NaN", "def f(n):\n    return [n, float('nan')]\n", "f(3)"],
  [
    "a deque",
    "from collections import deque\ndef f(n):\n    d = deque([1], 3)\n    d.append(n)\n    return d\n",
    "f(3)",
  ],
  ["a decimal", "from decimal import Decimal\ndef f(n):\n    return Decimal(n) / 3\n", "f(1)"],
  ["a fraction", "from fractions import Fraction\ndef f(n):\n    return Fraction(n, 3)\n", "f(1)"],
  [
    "a date",
    "from datetime import date, timedelta\ndef f(n):\n    return date(2020, 1, 1) + timedelta(n)\n",
    "f(1)",
  ],
  [
    "a member of an enumeration",
    "from enum import Enum\nclass C(Enum):\n    A = 1\ndef f(n):\n    return C(n)\n",
    "f(1)",
  ],
  [
    "an object of its own",
    "class P:\n    def __init__(self, x):\n        self.x = x\ndef f(n):\n    return P([n])\n",
    "f(1)",
  ],
  [
    "objects of its own in a list",
    "class P:\n    def __init__(self, x):\n        self.x = x\ndef f(n):\n    return [P(n), P(2)]\n",
    "f(1)",
  ],
  [
    "a dataclass",
    "from dataclasses import dataclass, field\n@dataclass(order=True)\nclass P:\n    x: int\n    ys: list = field(default_factory=list)\ndef f(n):\n    return max(P(n), P(2))\n",
    "f(1)",
  ],
  ["a map", "def f(n):\n    return map(abs, [n, -1])\n", "f(1)"],
  ["keys", "def f(d):\n    return d.keys()\n", "f({1: 2})"],
  ["a function as the result", "def f(n):\n    def g(x):\n        return x + n\n    return g\n", "f(1)"],
  [
    "a group of exceptions",
    "def f(n):\n    try:\n        raise ExceptionGroup('a', [ValueError(1), TypeError(2)])\n    except* ValueError as e:\n        n = len(e.exceptions)\n    except* TypeError:\n        n += 10\n    return n\n",
    "f(2)",
  ],
  [
    "a method of a new object",
    "class P:\n    def __init__(self, x):\n        self.x = x\n    def m(self, y):\n        self.x += y\n        return self.x\n",
    "P(1).m(2)",
  ],
  ["a class", "class P:\n    def __init__(self, x):\n        self.x = x\n", "P(1)"],
  ["a static method", "class P:\n    @staticmethod\n    def m(y):\n        return y + 1\n", "P.m(2)"],
  [
    "annotations of the future",
    "from __future__ import annotations\ndef f(x: Unknown) -> Other:\n    y: Unknown = x\n    return y\n",
    "f(2)",
  ],
  ["an integer of 17,000 digits", "def f(n):\n    return 7 ** n\n", "f(20000)"],
  [
    "a cached recursion of 365 calls",
    "from functools import cache\n@cache\ndef g(n):\n    return 0 if n == 0 else g(n - 1) + n\ndef f(n):\n    return g(n)\n",
    "f(365)",
  ],
  ["a call that is never reached", "def f(n):\n    return n + 1\n", "True or f(2)"],
  ["a call in a condition's other half", "def f(n):\n    return n + 1\n", "7 if f(1) == 2 else f(2)"],
  ["a call for each of a list", "def f(n):\n    return n + 1\n", "sum(f(x) for x in [1, 2])"],
  ["a call that is compared only if the first holds", "def f(n):\n    return n + 1\n", "3 < 2 < f(2)"],
  ["a recursion of 400 calls", "def f(n):\n    return 0 if n == 0 else f(n - 1) + n\n", "f(400)"],
];

const ends: readonly (readonly [source: string, raised: string])[] = [
  ["def f(n):\n    if n > 5:\n        x = 1\n    return x\n", "UnboundLocalError"],
  [
    "def f(s):\n    try:\n        return int('a')\n    except ValueError as e:\n        raise KeyError('a') from e\n",
    "KeyError",
  ],
];

interface Traced {
  readonly code: string;
  readonly compared?: string;
  readonly proven: boolean;
  readonly reason: string | null;
}

const requests = [
  ...programs.map(([, source, call]) => ({ operation: "trace", source, call, options: {} })),
  ...ends.map(([source]) => ({ operation: "trace", source, call: "f(2)", options: {} })),
];

async function embedded(asked: typeof requests): Promise<Traced[]> {
  const host = await openHost("embedded", { atMost: 1 });
  try {
    const records: Traced[] = [];
    for (const request of asked) {
      const outcome = await host.run(request);
      if (outcome.kind !== "done") throw new Error(outcome.words);
      records.push(outcome.value as Traced); // the record of lab.trace
    }
    return records;
  } finally {
    await host.close();
  }
}

/** Of each program what is wrong where its trace runs in plain CPython, against what the program itself gives there. */
const witness = `
import ast, json, sys, types
sys.set_int_max_str_digits(0)
ways = {"repr": "repr({})", "fields": "vars({})", "each": "[vars(x) for x in {}]", "list": "list({})", "name": "({}).__name__"}
def problem(given):
    trace = sys.modules["program"] = types.ModuleType("program")
    exec(given["code"], vars(trace))
    claim = ast.parse(given["code"]).body[-1].test
    program = sys.modules["program"] = types.ModuleType("program")
    exec(given["source"], vars(program))
    own = eval(ways.get(given["compared"], "({})").format(given["call"]), vars(program))
    right = eval(ast.unparse(claim.comparators[0]))
    return None if own == right else repr([own, right])
print(json.dumps([problem(each) for each in json.load(sys.stdin)]))
`;

function checkAll(records: readonly Traced[]): void {
  for (const [i, [name]] of programs.entries())
    expect([name, records[i].proven, records[i].reason]).toEqual([name, true, null]);
  for (const [i, [, raised]] of ends.entries()) {
    const { proven, reason } = records[programs.length + i];
    expect([proven, reason]).toEqual([true, expect.stringContaining(raised)]);
  }
  if (!hasPython) return;
  const given = programs.map(([, source, call], i) => ({ compared: null, ...records[i], source, call }));
  const { stdout, stderr } = spawnSync("python3", ["-I", "-c", witness], {
    input: JSON.stringify(given),
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(JSON.parse(stdout)).toEqual(programs.map(() => null));
}

test("the embedded Python proves each, as plain CPython has it", async () => {
  checkAll(await embedded(requests));
}, 120_000);

test.skipIf(!hasPython)(
  "the native Python proves each, as plain CPython has it (skipped without python3)",
  () => {
    checkAll(runPython(requests) as Traced[]);
  },
  120_000,
);

test("a type alias, which CPython has since 3.12, is a line of the trace", async () => {
  const source = "type X = int\ndef f(n):\n    y: X = n\n    return y\n";
  const [record] = await embedded([{ operation: "trace", source, call: "f(2)", options: {} }]);
  expect(record).toMatchObject({ proven: true, literal: "2" });
});

test.each([
  ["KeyError", "def f(i, xs):\n    return map(lambda x: x[i], xs)\n", "list(f('a', [{}]))"],
  ["TypeError", "def f(n):\n    return n + 1\n", "'%i %s' % f(2)"],
  ["IndexError", "def f(n):\n    for i in range(3):\n        n += i\n    return [n]\n", "int(f(2)[4])"],
])("a %s behind the end of the call is proven as the call's own", async (error, source, call) => {
  const [record] = await embedded([{ operation: "trace", source, call, options: {} }]);
  expect(record).toMatchObject({ proven: true, reason: expect.stringContaining(`the call raises ${error}`) });
});
