import { expect } from "vitest";
import { pythonTest } from "../trace/python.test-helper.ts";
import type { RandomProgram } from "../trace/random-program.test-helper.ts";
import { compareWithBdb } from "./bdb.test-helper.ts";

const written: readonly RandomProgram[] = [
  {
    source:
      "def count(n):\n    i = 0\n    while i < n:\n        sent = yield i\n        i += 1 if sent is None else sent\n    return i\n\ndef f(n):\n    total = 0\n    for each in count(n):\n        total += each\n    c = count(3)\n    a = next(c)\n    b = c.send(2)\n    both = [x + y for x, y in zip(count(2), count(3))]\n    return total, a, b, both, list(c)\n",
    call: "f(4)",
  },
  {
    source:
      "def inner_of(n):\n    def add(k):\n        nonlocal n\n        n += k\n        return n\n    return add\n\ndef f(a, b):\n    add = inner_of(a)\n    add(b)\n    xs = list(map(add, [1, 2]))\n    xs.sort(key=lambda x: -x)\n    return add(0), xs\n",
    call: "f(1, 2)",
  },
  {
    source:
      "class Manager:\n    def __init__(self, log):\n        self.log = log\n    def __enter__(self):\n        self.log.append(1)\n        return self\n    def __exit__(self, *error):\n        self.log.append(2)\n        return True\n\ndef f(n):\n    log = []\n    with Manager(log) as manager:\n        log.append(n // 0)\n    try:\n        log[9]\n    except IndexError as error:\n        text = str(error)\n    match log:\n        case [first, *rest]:\n            n = first\n    return log, text, n, rest\n",
    call: "f(3)",
  },
  {
    source:
      "import functools\n\ndef twice(g):\n    @functools.wraps(g)\n    def wrapped(*xs):\n        return g(*xs) * 2\n    return wrapped\n\n@twice\ndef g(x, y=3):\n    z = (x +\n         y)\n    return z\n\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n\ndef f(n):\n    for i in range(n): n = g(i); n += 1\n    a = b = [n]\n    b.append(fib(4))\n    return a\n",
    call: "f(2)",
  },
  { source: "def f(n):\n    if n > 2:\n        raise KeyError(n)\n    return f(n + 1)\n", call: "f(0)" },
];

pythonTest(
  "forward it stops where bdb stops, and back comes to what was on the way: generators, closures, decorators, managers, recursion and exceptions that leave",
  () => {
    expect(compareWithBdb(written, 100).findings).toEqual([]);
  },
);
