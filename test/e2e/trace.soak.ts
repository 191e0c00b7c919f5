import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findNative } from "../../src/python/sandbox/native.ts";
import { parseTrace } from "../../src/schemas/trace.ts";
import { main, statelab } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const root = tmpFolder("trace");

/** By default the host that starts in a tenth of the time; limits of the embedded one: src/app/trace/limits.test.ts. */
const native = findNative().kind === "missing" ? [] : ["--python", "native"];

const count = fileURLToPath(new URL("../../examples/count.py", import.meta.url));

/** `statelab trace - ARGS` with the program on stdin. */
function traced(program: string | Buffer, ...args: string[]) {
  const host = args.includes("--python") ? [] : native;
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, "trace", "-", ...host, ...args], {
    input: program,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  return { code: status, stdout, stderr };
}

test("the trace stands beside what each line changed, and its code alone is a program that Python accepts", async () => {
  const { code, stdout } = await statelab(root, "trace", count, "--call", "count([1, 2, 2])");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^1 {2}numbers = \[1, 2, 2\] +# numbers = \[1, 2, 2\]$/m);
  expect(stdout).toMatch(/^5 {2}counts\[number\] \+= 1 +# counts = \{1: 1, 2: 2\}$/m);
  expect(stdout).toMatch(/^# verified: CPython 3\.\d+\.\d+ \(32 bit, PYTHONHASHSEED=0\)$/m);
  const alone = await statelab(root, "trace", count, "--call", "count([1, 2, 2])", "--format", "code");
  expect(spawnSync("python3", ["-c", alone.stdout]).status).toBe(0);
  const wrong = alone.stdout.replace("== 2", "== 3");
  expect(wrong).not.toBe(alone.stdout);
  expect(spawnSync("python3", ["-c", wrong]).status).toBe(1);
}, 60_000);

test("--json is the record; the call may stand in the program's last line", () => {
  const { code, stdout } = traced("def f(n):\n    m = n * n\n    return m\nprint(f(7))\n", "--json");
  expect(code).toBe(0);
  const record = parseTrace(JSON.parse(stdout), "stdout");
  expect(record).toMatchObject({
    call: "f(7)",
    result: 49,
    literal: "49",
    steps: 1,
    proven: true,
    reason: null,
  });
  expect(record.lines.map(({ code: text, line }) => [text, line])).toEqual([
    ["n = 7", 1],
    ["m = n * n", 2],
    ["assert (m) == 49", 3],
  ]);
}, 60_000);

test("a call that raises gives the trace up to there, and the exception", () => {
  const { code, stdout, stderr } = traced("def f(n):\n    m = n - 1\n    return 1 / m\nf(1)\n");
  expect(code).toBe(0);
  expect(stdout).toContain("m = n - 1");
  expect(stdout).toContain("# verified");
  expect(stderr).toBe(
    "statelab: stdin: verified: the call raises ZeroDivisionError, line 3: division by zero\n",
  );
}, 60_000);

test.each(["embedded", "native"])(
  "a syntax error shows the line and Python's caret, with fields in --json (%s)",
  (host) => {
    const program = 'def f():\n\té = "漢"; return = 3\n';
    const { code, stderr } = traced(program, "--call", "f()", "--python", host);
    if (code === 6) return; // no such sandbox here
    const wanted = [
      "statelab: stdin: refused: invalid syntax, line 2",
      '      é = "漢"; return = 3',
      `${" ".repeat(23)}^`,
    ];
    expect(stderr).toBe(`${wanted.join("\n")}\n`);
    expect(code).toBe(1);
    const { stdout } = traced(program, "--call", "f()", "--python", host, "--json");
    expect(parseTrace(JSON.parse(stdout), "stdout").syntax).toEqual({
      type: "SyntaxError",
      message: "invalid syntax",
      in: "program",
      place: { line: 2, column: 18, endLine: 2, endColumn: 19, text: '\té = "漢"; return = 3' },
    });
  },
  60_000,
);

test("neither source, values nor messages of a program steer a terminal", () => {
  const { stdout, stderr } = traced(
    'def f():\n    x = "\u001b[2J" # \u202e\n    raise ValueError(x + "\\n")\nf()\n',
  );
  expect(stdout).toContain('x = "\\u001b[2J"');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  expect(stderr).toBe("statelab: stdin: verified: the call raises ValueError, line 3: \\u001b[2J\\n\n");
}, 60_000);

test.each([
  ["bytes that are no text", Buffer.from([0xff, 0xfe, 0x61]), [], 3, /expected text in UTF-8/],
  ["a line of two megabytes", "a".repeat(2 ** 21), [], 3, /expected at most 1048576 bytes/],
  [
    "a program that does not end",
    "def f(): \n while True: pass\nf()\n",
    ["--timeout", "1"],
    1,
    /longer than 1 s/,
  ],
  [
    "a program that takes a moment, and its trace long",
    "def f(n):\n    xs = []\n    for i in range(n):\n        xs.append(i)\n    return len(xs)\nf(20000)\n",
    ["--timeout", "1"],
    1,
    /refused: tracing took longer than 1 s \(the program itself took .*\); --timeout N gives it more(, after line \d+)?$/,
  ],
  [
    "a setting of the lab that a program asks for",
    "import sys\ndef f():\n    return 'json' in sys.modules\nf()\n",
    [],
    1,
    /refused: the program asks which modules are loaded \(sys\.modules\), the lab's own among them, line 3$/,
  ],
  [
    "a trace that is not the program's",
    "import inspect\ndef f():\n    x = len(inspect.stack())\n    y = x\n    return 1\nf()\n",
    [],
    1,
    /refused: the proof failed: another state before line 4: x is \d+ in the trace and is \d+ in the program$/,
  ],
])(
  "%s is one sentence and its exit code",
  (_, program, args, wanted, words) => {
    const { code, stderr } = traced(program, ...args);
    expect(stderr.trimEnd()).toMatch(words);
    expect(stderr.trimEnd()).not.toContain("\n");
    expect(code).toBe(wanted);
  },
  60_000,
);

test.each(["embedded", "native"])(
  "a trace stands as deep as the program's module, a frame above its call (%s)",
  (host) => {
    const program = "import inspect\ndef f(x=len(inspect.stack())):\n    y = x\n    return 1\nf()\n";
    const { code, stdout, stderr } = traced(program, "--python", host);
    if (code === 6) return; // no such sandbox here
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain('environment: machine ["inspect.stack"]');
  },
  60_000,
);
