import { expect, test } from "vitest";
import { runPython } from "../../python/trace/python.test-helper.ts";
import { type PythonValue, parseTrace, type TracedRow, type TraceRecord } from "../../schemas/trace.ts";
import { benchInput, nothing } from "../bench-input.test-helper.ts";
import { executeAll, hasPython } from "../python.test-helper.ts";
import type { BenchInput, Question, QuestionSet } from "../question.ts";
import { lineStates } from "./variable-values.ts";

type State = Readonly<Record<string, PythonValue>>;

/** count of one turn: only variables that hold literals can be asked about. */
const states: readonly (readonly [code: string, role: "arguments" | "step" | "assert", state: State])[] = [
  ["arr, n = [7, 2], 1", "arguments", { arr: [7, 2], n: 1 }],
  ["total = 0", "step", { arr: [7, 2], n: 1, total: 0 }],
  ["turn = iter((range(n)))", "step", { turn: { object: "range_iterator" } }],
  ["i = next(turn)", "step", { i: 0, turn: { object: "range_iterator" }, unseen: 5 }],
  ["total += arr[i]", "step", { total: 7 }],
  ["assert (total) == 7", "assert", { total: 7 }],
];
const trace: TraceRecord = {
  ...{ version: 1, source: "def count(arr, n): ...", call: "count([7, 2], 1)", result: 7, literal: "7" },
  lines: states.map(([code, role, state]) => ({ code, line: 1, helper: false, role, state })),
  code: states.map(([code]) => `${code}\n`).join(""),
  ...{ steps: 4, proven: true, python: { version: "3.14.2", wordBits: 64 }, truncated: false, reason: null },
};
const row = (id: string, change: Partial<TraceRecord> = {}): TracedRow => ({
  ...{ id, program: id, expected: "7", trace: { ...trace, ...change } },
});
const input = (more: Partial<BenchInput<TracedRow>> = {}) =>
  benchInput({ arms: ["traced"], seed: 0, rows: [row("p")], ...more });
const params = { lines: 1, mostSteps: 50 };
const every = { ...params, lines: 99 };
const all = ({ count, question }: QuestionSet): Question[] =>
  Array.from({ length: count }, (_, i) => question(i));

test("the prompt shows the lines up to the one that is asked about, and none behind it", () => {
  const last = all(lineStates.prepare(every, input())).at(-1)!;
  expect([last.id, last.steps, last.expected]).toEqual(["p/5/total", 4, "7"]);
  expect(last.next([])).toMatch(
    /^Below are lines[^\n]+\n\n\[PYTHON\]\nn = 17\nassert n == \?\?\n\[\/PYTHON\]\n\[ANSWER\]\n17\n\[\/ANSWER\]\n\n[\s\S]+\[PYTHON\]\narr, n = \[7, 2\], 1\ntotal = 0\nturn = iter\(\(range\(n\)\)\)\ni = next\(turn\)\ntotal \+= arr\[i\]\nassert \(total\) == \?\?\n\[\/PYTHON\]\n\[ANSWER\]\n$/,
  );
  expect(last.next(["7"])).toBeUndefined();
  const [first] = all(lineStates.prepare(every, input()));
  expect(first.steps).toBe(0);
  expect(first.next([])).not.toContain("total");
});

test("of every line a literal is asked for, of a variable that was shown, once", () => {
  const seen = new Map<string, string>();
  for (let seed = 0; seed < 40; seed++) {
    const questions = all(lineStates.prepare(every, input({ seed })));
    expect(questions.map(({ steps }) => steps)).toEqual([0, 1, 3, 4]);
    for (const { id, expected } of questions) seen.set(id, expected);
  }
  expect(Object.fromEntries(seen)).toEqual({
    ...{ "p/1/arr": "[7, 2]", "p/1/n": "1", "p/2/arr": "[7, 2]", "p/2/n": "1", "p/2/total": "0" },
    ...{ "p/4/i": "0", "p/5/total": "7" },
  });
});

test("what is drawn depends on the seed and the program alone", () => {
  const ids = (seed: number, names: readonly string[]) =>
    all(lineStates.prepare(params, input({ seed, rows: names.map((name) => row(name)) }))).map(
      ({ id }) => id,
    );
  const names = Array.from({ length: 30 }, (_, i) => `p${i}`);
  expect(ids(1, names)).toEqual(ids(1, names));
  expect(ids(1, names)).not.toEqual(ids(2, names));
  expect(ids(1, names.toReversed())).toEqual(ids(1, names).toReversed());
  expect(new Set(ids(1, names).map((id) => id.split("/")[1]))).toEqual(new Set(["1", "2", "4", "5"]));
});

test.each([
  ["7", "correct", "7"],
  [" 7 [/ANSWER] and more", "correct", "7"],
  ["assert (total) == 7", "correct", "7"],
  ["8", "wrong", "8"],
  ["7.0", "wrong", "7.0"],
  ["3 + 4", "unreadable", "3 + 4"],
  ["", "unreadable", null],
])("the reply %j is %s, and nothing is run", async (reply, kind, extracted) => {
  const judged = await all(lineStates.prepare(every, input())).at(-1)!.judge([reply], nothing);
  expect([judged.grade.kind, judged.extracted]).toEqual([kind, extracted]);
});

test("a trace that cannot be asked about is named with its reason", () => {
  const empty = trace.lines.map((line) => ({ ...line, state: null }));
  const rows = [
    row("long", { steps: 51 }),
    row("unproven", { proven: false }),
    row("empty", { lines: empty }),
    row("p"),
  ];
  const set = lineStates.prepare(params, input({ rows }));
  expect(set.count).toBe(1);
  expect(set.excluded).toEqual([
    { id: "long", reason: "the trace has 51 steps, 50 are taken" },
    { id: "unproven", reason: "the trace is not verified" },
    { id: "empty", reason: "no variable holds a literal" },
  ]);
  expect(lineStates.prepare({ ...params, programs: 1 }, input({ rows })).count).toBe(0);
});

test("its data are rows of traces, and the rules of upstream are refused", () => {
  expect(lineStates.data?.row(row("p"), "traces.jsonl:1", 0)).toEqual(row("p"));
  expect(() => lineStates.data?.row({ id: "p" }, "traces.jsonl:2", 1)).toThrow("traces.jsonl:2: expected");
  expect(() => lineStates.prepare(params, input({ scoring: "upstream" }))).toThrow(
    "--scoring: expected strict for line-states",
  );
});

test.skipIf(!hasPython)(
  "python3 finds every expected value after the lines that are shown, and no other (skipped without python3)",
  () => {
    const loop = `def f(words, n):
    seen = {}
    for i, word in enumerate(words):
        if len(word) > n:
            seen[word] = (i, word.upper())
            n += 0.5
    def twice(k):
        return k * 2
    rest = {twice(k) for k in range(3)}
    return seen, rest, n`;
    const traced = runPython([
      { operation: "trace", source: loop, call: 'f(["a", "bcd", "it\'s"], n=1)', options: {} },
    ]);
    const rows = traced.map((record) => row("f", parseTrace(record, "f")));
    const questions = all(lineStates.prepare(every, input({ rows })));
    expect(questions.length).toBeGreaterThan(8);
    const asked = questions.map((question) => ({
      text: question.next([])!.split("[PYTHON]\n").at(-1)!.split("\n[/PYTHON]")[0],
      expected: question.expected,
    }));
    const right = asked.map(({ text, expected }) => ({ code: text.replace("??", expected) }));
    expect(executeAll(right)).toEqual(asked.map(() => ({ kind: "passed" })));
    const wrong = executeAll(asked.map(({ text }) => ({ code: text.replace("??", "'another'") })));
    expect(wrong.map(({ kind }) => kind)).toEqual(asked.map(() => "failed"));
  },
);
