import { expect, test } from "vitest";
import type { TraceRecord } from "../records/trace.ts";
import { excludedBy, publishedFilters, stateCharacters } from "./filters.ts";
import { framesOfLines, framesOfTrace, renderFrames } from "./frames.ts";
import { renderAligned, renderTrace } from "./render.ts";
import { describeTraces, distribution } from "./statistics.ts";

const line = (code: string, state: TraceRecord["lines"][number]["state"], more = {}) => ({
  code,
  line: 1,
  helper: false,
  role: "step" as const,
  state,
  ...more,
});

const record: TraceRecord = {
  version: 1,
  source: "",
  call: "f(2)",
  code: "n = 2\nxs = [n]\nforloop0 = iter((xs))\nassert (n) == 2\n",
  lines: [
    line("n = 2", { n: 2 }, { role: "arguments" }),
    line("xs = [n]", { n: 2, xs: [2] }),
    line("forloop0 = iter((xs))", { n: 2, xs: [2] }, { helper: true }),
    line("assert (n) == 2", { n: 2 }, { role: "assert" }),
  ],
  result: 2,
  literal: "2",
  steps: 2,
  proven: true,
  python: { version: "3.14.2", wordBits: 32 },
  truncated: false,
  reason: null,
};

test("each format of a trace is the text that its header describes", () => {
  expect(renderTrace(record, "code")).toBe(record.code);
  expect(renderTrace(record, "states")).toBe(
    'n = 2\n{"n": 2}\nxs = [n]\n{"n": 2, "xs": [2]}\nforloop0 = iter((xs))\n{"n": 2, "xs": [2]}\nassert (n) == 2\n{"n": 2}\n',
  );
  expect(JSON.parse(renderTrace(record, "jsonl"))).toEqual(record);
  expect(renderTrace(record, "cwm")).toBe(
    [
      "<|frame_sep|><|line_sep|>{}<|action_sep|>n = 2",
      '<|frame_sep|><|line_sep|>{"n": "2"}<|action_sep|>xs = [n]',
      '<|frame_sep|><|line_sep|>{"n": "..", "xs": "[2]"}<|action_sep|>forloop0 = iter((xs))',
      '<|frame_sep|><|return_sep|>{"n": "..", "xs": ".."}<|action_sep|>assert (n) == 2<|arg_sep|>"2"',
      "<|frame_sep|>",
      "",
    ].join("\n"),
  );
});

test("aligned, each line shows what it changed and nothing else, and colours only that", () => {
  expect(renderAligned(record)).toBe(
    [
      "n = 2            # n = 2",
      "xs = [n]         # xs = [2]",
      "forloop0 = iter((xs))",
      "assert (n) == 2  # xs gone",
      "",
    ].join("\n"),
  );
  const marked = renderAligned(record, { width: 4, paint: (style, text) => `<${style} ${text}>` });
  expect(marked).toContain("n = 2  # <cyan n = 2>\n");
  expect(marked).toContain("<dim forloop0 = iter((xs))>\n");
});

test("the frames of a line trace elide what did not change since the frame before of the same call", () => {
  const event = (name: string, at: number, depth: number, state: Record<string, number>, more = {}) =>
    ({
      event: name,
      line: at,
      function: depth === 2 || name === "inner" ? "g" : "f",
      depth,
      state,
      ...more,
    }) as never; // a test's shorthand
  const text = renderFrames(
    framesOfLines({
      version: 1,
      source: "def f(n):\n    m = g(n)\n    return m\ndef g(k): return k",
      call: "f(2)",
      events: [
        event("call", 1, 0, { n: 2 }),
        event("line", 2, 1, { n: 2 }),
        event("call", 4, 1, { k: 2 }),
        event("line", 4, 2, { k: 2 }),
        event("return", 4, 1, { k: 2 }, { value: 2 }),
        event("line", 3, 1, { n: 2, m: 2 }),
        event("return", 3, 0, { n: 2, m: 2 }, { value: 2 }),
      ],
      result: 2,
      output: "",
      python: { version: "3.14.2", wordBits: 32 },
      truncated: false,
      reason: null,
    }),
  );
  expect(text.split("\n")).toEqual([
    '<|frame_sep|><|call_sep|>{"n": "2"}<|action_sep|>def f(n):',
    '<|frame_sep|><|line_sep|>{"n": ".."}<|action_sep|>    m = g(n)',
    '<|frame_sep|><|call_sep|>{"k": "2"}<|action_sep|>def g(k): return k',
    '<|frame_sep|><|line_sep|>{"k": ".."}<|action_sep|>def g(k): return k',
    '<|frame_sep|><|return_sep|>{"k": ".."}<|action_sep|>def g(k): return k<|arg_sep|>"2"',
    '<|frame_sep|><|line_sep|>{"n": "..", "m": "2"}<|action_sep|>    return m',
    '<|frame_sep|><|return_sep|>{"n": "..", "m": ".."}<|action_sep|>    return m<|arg_sep|>"2"',
    "<|frame_sep|>",
    "",
  ]);
  expect(framesOfTrace({ ...record, lines: [] })).toEqual([]);
});

test("a filter takes what is at its limit, and says what is above it", () => {
  expect(excludedBy({ ...record, steps: 50 }, publishedFilters.cruxeval)).toBeUndefined();
  expect(excludedBy({ ...record, steps: 51 }, publishedFilters.cruxeval)).toBe(
    "the trace has 51 steps, 50 are taken",
  );
  expect(stateCharacters(record)).toBe(9 + 20 + 20 + 9);
  expect(excludedBy(record, { stateCharacters: 58 })).toBeUndefined();
  expect(excludedBy(record, { stateCharacters: 57 })).toBe("the states have 58 characters, 57 are taken");
  expect(excludedBy(record, { codeCharacters: 10 })).toBe("the code has 53 characters, 10 are taken");
  expect(excludedBy({ ...record, proven: false }, {})).toBe("the trace is not proven");
  expect(excludedBy({ ...record, reason: "raises, line 3" }, {})).toBe("raises, line 3");
});

test("a distribution counts every value once", () => {
  expect(distribution([0, 4, 5, 9, 10, 99], 5, 3)).toEqual({
    mean: 127 / 6,
    median: 7,
    maximum: 99,
    histogram: [
      { from: 0, to: 4, count: 2 },
      { from: 5, to: 9, count: 2 },
      { from: 10, to: null, count: 2 },
    ],
  });
  expect(distribution([3], 5, 1).median).toBe(3);
  expect(distribution([], 5, 1).mean).toBe(0);
  expect(describeTraces([record, record])).toMatchObject({
    traces: 2,
    steps: { mean: 2 },
    variables: { maximum: 1 },
  });
});
