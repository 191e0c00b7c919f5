import { expect, test } from "vitest";
import { parseHistory } from "../../schemas/execution-trace.ts";
import type { Limits, Outcome } from "./host.ts";
import { describeHosts } from "./hosts.test-helper.ts";

/** What CPython does with each, whichever it is: how `execute` says that it ends, and what else is asked or printed. */
const programs: readonly (readonly [
  name: string,
  code: string,
  end: string | RegExp,
  more?: { readonly expression?: string; readonly output?: string },
])[] = [
  ["nothing", "", "passed"],
  [
    "a print to both streams",
    "import sys\nprint('é', end='')\nprint('e', file=sys.stderr)",
    "passed",
    { output: "é" },
  ],
  ["an assertion with words", "assert 1 > 2, 'no'", "assertion AssertionError: no"],
  ["an exception", "def f(): return {}['k']\nf()", "raised KeyError: 'k'"],
  ["a user-defined exception", "class Mine(ValueError): pass\nraise Mine('x', 1)", "raised Mine: ('x', 1)"],
  [
    "a syntax error, with line and caret",
    "x = 1\ny = (1,\n",
    `syntax SyntaxError:   File "<program>", line 2\n    y = (1,\n        ^\nSyntaxError: '(' was never closed`,
  ],
  ["a true expression", "x = [1]", "passed", { expression: "x == [1]" }],
  [
    "one that is not true",
    "x = []",
    "assertion AssertionError: the expression is not true",
    { expression: "x" },
  ],
  ["one that raises", "", "raised ZeroDivisionError: division by zero", { expression: "1 / 0" }],
  ["an end by sys.exit", "raise SystemExit(0)", "raised SystemExit: 0"],
  ["input that is not there", "input()", "raised EOFError: EOF when reading a line"],
  [
    "a name guard, a dataclass and pickle, which ask for __main__",
    [
      "from dataclasses import dataclass",
      "import pickle",
      "@dataclass",
      "class P:\n    x: 'int'",
      "assert __name__ == '__main__' and pickle.loads(pickle.dumps(P(1))) == P(1)",
    ].join("\n"),
    "passed",
  ],
  [
    "recursion as deep as Python allows",
    "def f(n): return n and 1 + f(n - 1)\nassert f(900) == 900\nf(10**6)",
    /^raised RecursionError: maximum recursion depth exceeded/,
  ],
  [
    "big integers and floats",
    "assert 2**200 % 10**9 == 202376 + 301170000\nassert 0.1 + 0.2 != 0.3",
    "assertion AssertionError: ",
  ],
  [
    "sets in the order of a fixed seed",
    "assert list({'a', 'b'}) == list({'a', 'b'})\nimport sys\nassert sys.flags.hash_randomization == 0",
    "passed",
  ],
  ["a file that it writes", "open('/tmp/x', 'w').write('1')\nassert open('/tmp/x').read() == '1'", "passed"],
  ["a wait", "import time\nt = time.time()\ntime.sleep(0.05)\nassert time.time() - t >= 0.049", "passed"],
  ["an event loop", "import asyncio\nasync def f(): return 1\nassert asyncio.run(f()) == 1", "passed"],
  ["words that are no text", "raise ValueError('\\ud800')", "raised ValueError: \ud800"],
];

/** `raised KeyError: 'k'` */
function endOf(outcome: Outcome): string {
  if (outcome.kind !== "done") return outcome.words;
  const { outcome: end, exception, message } = outcome.value as Readonly<Record<string, string>>;
  return end === "passed" ? end : `${end} ${exception}: ${message}`;
}

/** Where the hosts differ, and why. Everything else is the same. */
const differences: readonly (readonly [reason: string, code: string, embedded: object, native: object])[] = [
  [
    "words have 32 bits in WebAssembly",
    "import sys\nprint(sys.maxsize)",
    { output: "2147483647\n" },
    { output: "9223372036854775807\n" },
  ],
  [
    "hashes are as long as words",
    "assert hash(2**31 - 1) == 0",
    { value: { outcome: "passed" } },
    { value: { outcome: "assertion" } },
  ],
  [
    "a null byte is a ValueError until Python 3.11.3",
    "eval('1\\0')",
    { value: { outcome: "raised", exception: "SyntaxError" } },
    { value: { outcome: "raised", exception: expect.stringMatching(/^(Syntax|Value)Error$/) } },
  ],
  [
    "WebAssembly has no threads here",
    "import threading\nt = threading.Thread(target=print)\nt.start()\nt.join()",
    { value: { exception: "RuntimeError" } },
    { value: { outcome: "passed" }, output: "\n" },
  ],
];

describeHosts(
  (host) => {
    const run = (request: object, limits: Partial<Limits> = {}, signal?: AbortSignal) =>
      host.run({ operation: "execute", ...request }, limits, signal);

    test("answers as CPython does", async () => {
      const outcomes = await Promise.all(
        programs.map(([, code, , { expression } = {}]) =>
          run({ code, ...(expression !== undefined && { expression }) }),
        ),
      );
      for (const [i, [what, , end, { output = "" } = {}]] of programs.entries()) {
        const matching = typeof end === "string" ? end : expect.stringMatching(end);
        const wanted = [matching, expect.objectContaining({ output })];
        expect([endOf(outcomes[i]), outcomes[i]], what).toEqual(wanted);
      }
    });

    test("differs only where it must", async () => {
      for (const [reason, code, embedded, onNative] of differences) {
        expect(await run({ code }), reason).toMatchObject(host.name === "embedded" ? embedded : onNative);
      }
    });

    test("says which Python it is", async () => {
      const outcome = await run({
        code: "import sys, struct; print(sys.version.split()[0], struct.calcsize('P') * 8)",
      });
      if (outcome.kind !== "done") throw new Error(outcome.words);
      const { version, wordBits } = outcome.python;
      expect(outcome.output).toBe(`${version} ${wordBits}\n`);
      expect(outcome.python).toMatchObject({ host: host.name, implementation: "cpython" });
    });

    test("records a comprehension as one visit of its line, and a loop as many", async () => {
      const source =
        "def g(v):\n    return range(v * 2)\ndef f(n):\n    x = [v + 1 for v in g(n)]\n    d = {k: v for k, v in zip(x, x)}\n    for v in x: n += v\n    return n";
      const outcome = await host.run({ operation: "history", source, call: "f(2)", options: {} });
      if (outcome.kind !== "done") throw new Error(outcome.words);
      const { events } = parseHistory(outcome.value, "history");
      const lines = events.filter(({ event, function: of }) => event === "line" && of === "f");
      const visits = (line: number) => lines.filter((each) => each.line === line).length;
      expect([4, 5, 6, 7].map(visits)).toEqual([1, 1, visits(6), 1]);
      expect(visits(6)).toBeGreaterThan(4);
    });

    test("tells each limit from the others, and from the program's own failure", async () => {
      const kind = async (code: string, limits: object) => (await run({ code }, limits)).kind;
      expect(await kind("while True: pass", { wallSeconds: 0.3 })).toBe("time");
      expect(await kind("x = bytearray(10**9)", { memoryBytes: 2 ** 28 })).toBe("memory");
      expect(await kind("print('x' * 1001)", { outputBytes: 1000 })).toBe("output");
      expect(await kind("print('x' * 999)", { outputBytes: 1000 })).toBe("done");
      expect(await kind("raise ValueError('x' * 1000)", { resultBytes: 500 })).toBe("result-size");
      expect(await kind("import os; os._exit(0)", {})).toBe("exited");
    });

    test("gives a program neither what another one left nor what it is doing", async () => {
      const leave =
        "import builtins, random, sys\nbuiltins.len = None\nrandom.seed(5)\nopen('/tmp/left', 'w').close()\nsys.path.append('/tmp')\nleft = 1";
      const look =
        "import os, sys\nassert len('ab') == 2 and 'left' not in globals() and sys.path[-1] != '/tmp' and not os.path.exists('/tmp/left')";
      const outcomes = await Promise.all([leave, look, leave, look].map((code) => run({ code })));
      for (const outcome of outcomes)
        expect(outcome).toMatchObject({ kind: "done", value: { outcome: "passed" } });
    });

    test("gives up a request that is aborted, waiting or running, and goes on", async () => {
      const controller = new AbortController();
      const running = Array.from({ length: 4 }, () =>
        run({ code: "while True: pass" }, {}, controller.signal),
      );
      setTimeout(() => controller.abort(new Error("enough")), 200);
      for (const outcome of await Promise.allSettled(running))
        expect(outcome).toMatchObject({ status: "rejected", reason: new Error("enough") });
      expect(await run({ code: "" })).toMatchObject({ kind: "done" });
    });

    test("reports an operation that is not there as the lab's fault, not the program's", async () => {
      expect(await host.run({ operation: "no_such" })).toMatchObject({ kind: "crashed", words: /no_such/ });
    });
  },
  { atMost: 2 },
);
