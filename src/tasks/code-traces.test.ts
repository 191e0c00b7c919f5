import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTrace } from "../records/trace.ts";
import { hasPython, runPython } from "../trace/python.test-helper.ts";
import { type CodeTrace, codeTracesTask, wordsOfCode } from "./code-traces.ts";
import {
  batchWriter,
  emptyBatch,
  exampleFrom,
  exampleStream,
  leftOut,
  maximumLength,
  prepareTask,
  type StateForm,
  stateSizes,
  tokenizerNamed,
  wordTokenizer,
} from "./index.ts";

const traces = [
  { code: "n = 12\ntotal = n + 1\nassert (total) == 13\n", literal: "13" },
  { code: "xs = ['ab', 'a']\nassert (xs[0]) == 'ab'\n", literal: "'ab'" },
  { code: "forloop0 = iter((range(2)))\ni = next(forloop0)\nassert (i == 0) == True\n", literal: "True" },
  { code: "raise ValueError\n", literal: null },
];

test("examples are the traces themselves, and what is asked is all of what the last line asserts", () => {
  const prepared = prepareTask(codeTracesTask(traces), { folder: "traces" });
  const tokenizer = wordTokenizer(prepared.words);
  const seen = new Map<string, string>();
  for (let i = 0; i < 60; i++) {
    const { text, reveals } = exampleFrom(prepared, exampleStream(1, "train")(i));
    expect(reveals).toHaveLength(1);
    seen.set(text, text.slice(reveals[0].start, reveals[0].end));
    expect(tokenizer.encode(text)).toEqual(wordsOfCode(text).map((word) => prepared.words.indexOf(word)));
    expect(tokenizer.encode(text).length).toBeLessThanOrEqual(prepared.maximumWords);
  }
  const wanted = traces.flatMap(({ code, literal }) => (literal === null ? [] : [[code, literal] as const]));
  expect(seen).toEqual(new Map(wanted));
});

test("any text is the concatenation of its words, and is read back as them by the longest match", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", minLength: 1 }), { minLength: 1 }), (texts) => {
      const lists = texts.map(wordsOfCode);
      expect(lists.map((words) => words.join(""))).toEqual(texts);
      const tokenizer = wordTokenizer([...new Set(lists.flat())]);
      for (const [i, words] of lists.entries())
        expect(tokenizer.decode(tokenizer.encode(texts[i]))).toBe(words.join(""));
    }),
    { seed: 1 },
  );
});

test("a folder in which every trace is too long is refused in one sentence", () => {
  expect(() => prepareTask(codeTracesTask(traces), { folder: "data/traced", mostWords: 8 })).toThrow(
    'data/traced: expected traces of fewer than 8 words that end in an assert, got "none". 4 traces were read; make some by statelab data trace, or raise task.mostWords',
  );
});

/** What a batch of examples asks: for each program the text up to the token at which it is asked, and the state. */
function asked(
  given: readonly CodeTrace[],
  form: StateForm,
  { params = {}, kind = "word" }: { params?: object; kind?: "word" | "character" } = {},
) {
  const prepared = prepareTask(codeTracesTask(given), { folder: "traces", ...params });
  const tokenizer = tokenizerNamed(kind, prepared.words);
  const length = maximumLength(prepared, tokenizer);
  const sizes = stateSizes(prepared, tokenizer, form, length);
  const rows = 8 * given.length;
  const batch = emptyBatch(rows, length, sizes);
  const write = batchWriter(prepared, tokenizer, "next-token", { states: form });
  write(batch, exampleStream(1, "train"), rows); // so that the second one must clear what the first left
  write(batch, exampleStream(1, "train"), 0);
  const states = batch.states!; // sizes were given
  const programs = new Map<string, (readonly [before: string, state: string])[]>();
  for (let row = 0; row < rows; row++) {
    const tokens = (end: number) => tokenizer.decode(batch.tokens.subarray(row * length, end));
    const questions = Array.from({ length: sizes.questions }, (_, i) => row * sizes.questions + i)
      .filter((q) => states.weights[q] === 1)
      .map((q) => {
        const text = states.text.subarray(q * sizes.text, q * sizes.text + states.textLengths[q]);
        return [tokens(states.positions[q] + 1), tokenizer.decode(text)] as const;
      });
    programs.set(tokens(row * length + batch.lengths[row]), questions);
  }
  return { prepared, sizes, programs: [...programs.values()] };
}

const shared = { id: 1, is: [1, 2] };
/** By hand: two variables, one that changes, another name for it, nothing, the first name gone, both its values others. */
const byHand = [
  ["arr, n = [1], 2", { arr: [1], n: 2 }, "arr [1]\nn 2", "arr [1]\nn 2"],
  ["arr.append(n)", { arr: [1, 2], n: 2 }, "arr [1, 2]\nn 2", "arr [1, 2]"],
  ["a = arr", { arr: shared, n: 2, a: { ref: 1 } }, "arr [1, 2]\nn 2\na [1, 2]", "a [1, 2]"],
  ["n += 0", { arr: shared, n: 2, a: { ref: 1 } }, "arr [1, 2]\nn 2\na [1, 2]", ""],
  ["del arr", { n: 2, a: [1, 2] }, "n 2\na [1, 2]", ""],
  ["a[0] = 'x y'", { n: 2, a: ["x y", 2] }, "n 2\na ['x y', 2]", "a ['x y', 2]"],
] as const;
const assert = "assert (a) == ['x y', 2]";
const handWritten: CodeTrace = {
  code: [...byHand.map(([code]) => code), assert, ""].join("\n"),
  literal: "['x y', 2]",
  lines: [
    ...byHand.map(([code, state]) => ({ code, state })),
    { code: assert, state: { n: 2, a: ["x y", 2] } },
  ],
};
const codeUpTo = (line: number) =>
  byHand
    .slice(0, line + 1)
    .map(([code]) => `${code}\n`)
    .join("");

test.each(["word", "character"] as const)(
  "after each line the state is asked for as it was worked out by hand, by %s",
  (kind) => {
    for (const [state, column] of [
      ["all", 2],
      ["changed", 3],
    ] as const) {
      const { programs, sizes } = asked([handWritten], { state, position: "newline" }, { kind });
      const wanted = byHand.map((line, i) => [codeUpTo(i), line[column]]).filter(([, text]) => text !== "");
      expect(programs).toEqual([wanted]);
      expect(sizes).toMatchObject({ questions: byHand.length, variables: 0 });
    }
  },
);

test("at every token of a line the state after it is asked for", () => {
  const params = { mostStates: 100 };
  const { programs } = asked([handWritten], { state: "all", position: "line" }, { params });
  const words = byHand.flatMap(([code, , text], i) =>
    wordsOfCode(`${code}\n`).map((_, k, line) => [
      (i === 0 ? "" : codeUpTo(i - 1)) + line.slice(0, k + 1).join(""),
      text,
    ]),
  );
  expect(programs).toEqual([words]);
});

test("a state of more words than mostStateWords is left out, counted, and gives the vocabulary nothing", () => {
  const params = { mostStateWords: 12 }; // arr [1, 2] \n n 2
  const { programs, prepared, sizes } = asked(
    [handWritten],
    { state: "all", position: "newline" },
    { params },
  );
  const kept = [0, 1, 4];
  expect(programs).toEqual([kept.map((i) => [codeUpTo(i), byHand[i][2]])]);
  expect(sizes.text).toBe(12);
  expect(leftOut(prepared.writtenStates!, "all")).toEqual({ states: 6, tooLong: 3 });
  expect(leftOut(prepared.writtenStates!, "changed")).toEqual({ states: 4, tooLong: 0 });
  const long = { code: "s = t()\nassert (1) == 1\n", literal: "1" };
  const lines = [
    { code: "s = t()", state: { s: "{? + ?}" } },
    { code: "assert (1) == 1", state: { s: "{? + ?}" } },
  ];
  const words = (most: number) =>
    prepareTask(codeTracesTask([{ ...long, lines }]), { folder: "traces", mostStateWords: most }).words;
  expect(words(11)).toEqual(words(64));
  expect(words(64).filter((word) => !words(10).includes(word))).toEqual(["'", "+", "?", "{", "}"]);
});

test("of a program with more states than mostStates each is asked for equally often, in order", () => {
  const form = { state: "changed", position: "newline" } as const;
  const prepared = prepareTask(codeTracesTask([handWritten]), { folder: "traces", mostStates: 3 });
  const tokenizer = wordTokenizer(prepared.words);
  const length = maximumLength(prepared, tokenizer);
  const rows = 1000;
  const batch = emptyBatch(rows, length, stateSizes(prepared, tokenizer, form, length));
  batchWriter(prepared, tokenizer, "next-token", { states: form })(batch, exampleStream(1, "train"), 0);
  const { positions, weights } = batch.states!; // its sizes were given
  expect(weights.every((weight) => weight === 1)).toBe(true);
  const times = new Map<number, number>();
  for (let row = 0; row < rows; row++) {
    const own = [...positions.subarray(3 * row, 3 * row + 3)].map((position) => position - row * length);
    expect(own).toEqual(own.toSorted((a, b) => a - b));
    for (const at of new Set(own)) times.set(at, (times.get(at) ?? 0) + 1);
  }
  // Three of four; the standard deviation of each count is 14.
  expect(times.size).toBe(4);
  for (const count of times.values()) expect(Math.abs(count - 750)).toBeLessThan(60);
});

test("programs without states, and a limit that none keeps, are refused in one sentence", () => {
  const form = { state: "all", position: "newline" } as const;
  expect(() => asked(traces, form)).toThrow(
    'stateSupervision: expected programs that tell the state after each line, got "none". The rows of statelab data trace have it',
  );
  expect(() => asked([handWritten], form, { params: { mostStateWords: 2 } })).toThrow(
    'task.mostStateWords: expected a limit that some state keeps, got "none of 6". Raise it',
  );
});

const sources = [
  [
    "def f(xs):\n    total = 0\n    for x in xs:\n        if x > 1:\n            total += x\n    return total\n",
    "f([1, 2, 3])",
  ],
  [
    "def f(s):\n    parts = s.split(' ')\n    first = parts\n    first.append(s[::-1])\n    del s\n    return parts\n",
    "f('it\\'s a \"b\"')",
  ],
  [
    "def f(n):\n    d = {}\n    while n > 0:\n        d[n] = (n, n / 2)\n        n -= 1\n    return d\n",
    "f(3)",
  ],
  [
    "def f(a):\n    b = [a, a]\n    b[0].append(True)\n    seen = {3}\n    c, a = a, None\n    return c\n",
    "f([[], 1.5])",
  ],
];
/** Runs each program by itself, and tells its variables as repr writes them. */
const EXECUTE = `
import json, sys
def run(code):
    space = {}
    exec(code, space)
    return {name: repr(value) for name, value in space.items() if name != "__builtins__"}
print(json.dumps([run(code) for code in json.load(sys.stdin)]))
`;

test.skipIf(!hasPython)(
  "of real traces every state asked for is what Python holds after running the text so far (skipped without python3)",
  () => {
    const records = runPython(sources.map(([source, call]) => ({ operation: "trace", source, call })));
    const given = records.map((record, i) => parseTrace(record, sources[i][1]));
    const texts = given.map(({ lines }) =>
      lines
        .slice(0, -1)
        .map((_, i) => lines.slice(0, i + 1).reduce((text, { code }) => `${text}${code}\n`, "")),
    );
    const input = JSON.stringify(texts.flat());
    const { stdout } = spawnSync("python3", ["-I", "-c", EXECUTE], { input, encoding: "utf8" });
    const held: Record<string, string>[] = JSON.parse(stdout);
    const helper = /^(forloop|return|manager|caught)\d+$/;
    for (const state of ["all", "changed"] as const) {
      let at = 0;
      const wanted = texts.map((own) => {
        const first = at;
        return own.flatMap((text) => {
          const before = at === first ? {} : held[at - 1];
          const kept = Object.entries(held[at++]).filter(
            ([name, value]) => !helper.test(name) && (state === "all" || before[name] !== value),
          );
          return kept.length === 0 ? [] : [[text, kept.map(([name, value]) => `${name} ${value}`).sort()]];
        });
      });
      const form = { state, position: "newline" } as const;
      const { programs } = asked(given, form, { params: { mostStateWords: 200 } });
      const found = programs.map((questions) =>
        questions.map(([before, text]) => [before, text.split("\n").sort()]),
      );
      // Programs come in the order in which they are drawn.
      expect(new Set(found)).toEqual(new Set(wanted));
      expect(wanted.flat().length).toBeGreaterThan(20);
    }
  },
);
