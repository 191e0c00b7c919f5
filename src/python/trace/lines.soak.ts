import { expect } from "vitest";
import { parseLineTrace } from "../../schemas/trace.ts";
import { pythonTest, runPython } from "./python.test-helper.ts";

const lines = (source: string, call: string, options = {}) =>
  parseLineTrace(runPython([{ operation: "lines", source, call, options }])[0], call);

const brief = (record: ReturnType<typeof lines>) =>
  record.events
    .filter((event) => event.function !== "<module>")
    .map(({ event, function: name, line, depth, state }) => [event, name, line, depth, state]);

pythonTest("a line trace has every call, line and return with the state before it", () => {
  const source =
    "k = 2\ndef g(x):\n    return x * k\n\ndef f(n):\n    m = [g(i) for i in range(n)]\n    n += 1\n    return m\n";
  const record = lines(source, "f(1)");
  expect(brief(record)).toEqual([
    ["call", "f", 5, 0, { n: 1 }],
    ["line", "f", 6, 1, { n: 1 }],
    ["call", "g", 2, 1, { x: 0 }],
    ["line", "g", 3, 2, { x: 0 }],
    ["return", "g", 3, 1, { x: 0 }],
    ["line", "f", 7, 1, { n: 1, m: [0] }],
    ["line", "f", 8, 1, { n: 2, m: [0] }],
    ["return", "f", 8, 0, { n: 2, m: [0] }],
  ]);
  expect(record.result).toEqual([0]);
  expect(record.reason).toBeNull();
});

pythonTest("an exception, a syntax error and a bound each say what happened", () => {
  const raised = lines("def f(n):\n    return [][n]\n", "f(1)");
  expect(raised.events.find(({ event }) => event === "exception")?.exception).toEqual({
    type: "IndexError",
    message: "list index out of range",
    arguments: { tuple: ["list index out of range"] },
  });
  expect(raised.reason).toBe("the call raises IndexError: list index out of range");
  expect(lines("def f(n:\n", "f(1)").reason).toBe("'(' was never closed, line 1");
  const endless = lines("def f(n):\n    for i in range(n): n += 1\n    return n\n", "f(10)", {
    maximumSteps: 5,
  });
  expect([endless.events.length, endless.truncated, endless.reason]).toEqual([5, true, "more than 5 events"]);
});

const reasons: readonly [source: string, call: string, reason: string, proven: boolean][] = [
  ["def f(n):\n    while True:\n        n += 1\n", "f(0)", "the trace is longer than 9 lines, line 3", false],
  [
    "def f(n):\n    while True: pass\n",
    "f(0)",
    "the program is still running after 450 statements, line 2",
    false,
  ],
  ["def f(n):\n    break\n", "f(0)", "'break' outside loop, line 2", false],
  ["def f(n): return n", "f(0", "'(' was never closed, the call", false],
  ["def f(n): return n", "g(0)", "the call g(0) is of no function of the program; it defines f", false],
  ["", "f()", "the call f() is of no function of the program; it defines none", false],
  [
    "def f(n):\n    m = locals()\n    return len(m)",
    "f(0)",
    "locals reads the variables of its own call, line 2",
    false,
  ],
  [
    "import os\ndef f(n): return os.urandom(n)",
    "f(1)",
    "the program draws from the system's randomness (os.urandom); --python embedded pins it, line 2",
    false,
  ],
  [
    "import time\ndef f(n):\n    m = n\n    return time.time() > m",
    "f(1)",
    "the program reads the clock (time.time); --python embedded pins it, line 4",
    false,
  ],
  [
    "def f(n):\n    while True: yield n",
    "f(0)",
    "the result has no literal to compare with (more than 1000 values)",
    false,
  ],
  [
    "def f(n):\n    return object()",
    "f(0)",
    "the result has no literal to compare with (object), line 2",
    false,
  ],
  [
    "def f(n): return n",
    "f(1, 2)",
    "the call raises TypeError, line 1: f() takes 1 positional argument but 2 were given",
    true,
  ],
];

pythonTest("what goes wrong in a trace is said with its line", () => {
  const answers = runPython(
    reasons.map(([source, call]) => ({ operation: "trace", source, call, options: { maximumSteps: 9 } })),
  ) as { reason: string; proven: boolean }[];
  expect(answers.map(({ reason, proven }) => [reason, proven])).toEqual(
    reasons.map(([, , reason, proven]) => [reason, proven]),
  );
});
