import { expect, test } from "vitest";
import { parseLineTrace, type TraceRecord } from "../../schemas/trace.ts";
import { renderFrames } from "./cwm-format.ts";
import { describeTraces, distribution, excludedBy, publishedFilters, stateCharacters } from "./filters.ts";
import { pythonTest, runPython } from "./python.test-helper.ts";
import { renderAligned, renderTrace } from "./render.ts";

const line = (code: string, state: TraceRecord["lines"][number]["state"], more = {}) => ({
  ...{ code, line: 1, helper: false, role: "step" as const, state, ...more },
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
});

test("aligned, each line shows what it changed and nothing else, and colours only that", () => {
  expect(renderAligned(record)).toBe(
    [
      "1  n = 2            # n = 2",
      "1  xs = [n]         # xs = [2]",
      "1  forloop0 = iter((xs))",
      "1  assert (n) == 2  # xs gone",
      "",
    ].join("\n"),
  );
  const marked = renderAligned(record, { width: 4, paint: (style, text) => `<${style} ${text}>` });
  expect(marked).toContain("n = 2  # <cyan n = 2>\n");
  expect(marked).toContain("<dim forloop0 = iter((xs))>\n");
});

test("aligned, a long value is cut, an assignment of the same value is marked, and what was printed stands at the end", () => {
  const lines = ["a = 'x' * 300", "a = a", "a == a"].map((code, i) => ({
    ...{ code, line: i + 1, helper: false, role: "step", state: { a: "x".repeat(300) } },
  }));
  const text = renderAligned({ ...record, lines, output: "1\n2\n" } as never);
  expect(text).toBe(
    [
      `1  a = 'x' * 300  # a = '${"x".repeat(199)}... (302 characters)`,
      "2  a = a          # a unchanged",
      "3  a == a",
      "printed:",
      "1",
      "2",
      "",
    ].join("\n"),
  );
});

pythonTest(
  "frames elide what did not change in their call; a raise is an exception frame in each call that it passes",
  () => {
    const source = [
      "class Odd(Exception): pass",
      "def g(a):",
      "    if a > 1: raise KeyError('k', a)",
      "    if a > 0: raise Odd",
      "    return 1 // a",
      "def f(n):",
      "    try:",
      "        g(n)",
      "    except ZeroDivisionError as e:",
      "        m = str(e)",
      "    return g(n)",
      "g(-1)",
    ].join("\n");
    const whole = (call: string) => {
      const [answer] = runPython([{ operation: "lines", source, call }]);
      return renderFrames(parseLineTrace(answer, "answer")).split("<|frame_sep|>");
    };
    const frames = (call: string) => whole(call).slice(1, -1);
    const shown = source.replace("def f(n):", "def f(n):  # << START_OF_TRACE");
    const [begin, ...returning] = whole("f(-1)");
    expect(begin).toBe(`<|begin_of_text|><|trace_context_start|>${shown}`);
    expect(returning.slice(2)).toEqual([
      '<|line_sep|>{"n": ".."}<|action_sep|>        g(n)',
      '<|call_sep|>{"a": "-1"}<|action_sep|>def g(a):',
      '<|line_sep|>{"a": ".."}<|action_sep|>    if a > 1: raise KeyError(\'k\', a)',
      '<|line_sep|>{"a": ".."}<|action_sep|>    if a > 0: raise Odd',
      '<|line_sep|>{"a": ".."}<|action_sep|>    return 1 // a',
      '<|return_sep|><|action_sep|>    return 1 // a<|arg_sep|>"-1"',
      '<|line_sep|>{"n": ".."}<|action_sep|>    return g(n)',
      '<|call_sep|>{"a": "-1"}<|action_sep|>def g(a):',
      '<|line_sep|>{"a": ".."}<|action_sep|>    if a > 1: raise KeyError(\'k\', a)',
      '<|line_sep|>{"a": ".."}<|action_sep|>    if a > 0: raise Odd',
      '<|line_sep|>{"a": ".."}<|action_sep|>    return 1 // a',
      '<|return_sep|><|action_sep|>    return 1 // a<|arg_sep|>"-1"',
      '<|return_sep|><|action_sep|>    return g(n)<|arg_sep|>"-1"',
      "<|end_of_text|>\n",
    ]);
    const division = `"ZeroDivisionError('integer division or modulo by zero')"`;
    expect(frames("f(0)")).toEqual([
      '<|call_sep|>{"n": "0"}<|action_sep|>def f(n):',
      '<|line_sep|>{"n": ".."}<|action_sep|>    try:',
      '<|line_sep|>{"n": ".."}<|action_sep|>        g(n)',
      '<|call_sep|>{"a": "0"}<|action_sep|>def g(a):',
      '<|line_sep|>{"a": ".."}<|action_sep|>    if a > 1: raise KeyError(\'k\', a)',
      '<|line_sep|>{"a": ".."}<|action_sep|>    if a > 0: raise Odd',
      '<|line_sep|>{"a": ".."}<|action_sep|>    return 1 // a',
      `<|exception_sep|><|action_sep|>    return 1 // a<|arg_sep|>${division}`,
      `<|exception_sep|><|action_sep|>        g(n)<|arg_sep|>${division}`,
      '<|line_sep|>{"n": ".."}<|action_sep|>    except ZeroDivisionError as e:',
      expect.stringMatching(/^<\|line_sep\|>\{"n": "\.\.", "e": .*<\|action_sep\|> {8}m = str\(e\)$/),
      `<|line_sep|>{"n": "..", "m": "'integer division or modulo by zero'"}<|action_sep|>    return g(n)`,
      '<|call_sep|>{"a": "0"}<|action_sep|>def g(a):',
      '<|line_sep|>{"a": ".."}<|action_sep|>    if a > 1: raise KeyError(\'k\', a)',
      '<|line_sep|>{"a": ".."}<|action_sep|>    if a > 0: raise Odd',
      '<|line_sep|>{"a": ".."}<|action_sep|>    return 1 // a',
      `<|exception_sep|><|action_sep|>    return 1 // a<|arg_sep|>${division}`,
      `<|exception_sep|><|action_sep|>    return g(n)<|arg_sep|>${division}`,
    ]);
    expect(frames("f(2)").slice(-2)).toEqual([
      '<|line_sep|>{"n": ".."}<|action_sep|>    except ZeroDivisionError as e:',
      `<|exception_sep|><|action_sep|>    except ZeroDivisionError as e:<|arg_sep|>"KeyError('k', 2)"`,
    ]);
    expect(frames("f(1)").at(-1)).toBe(
      '<|exception_sep|><|action_sep|>    except ZeroDivisionError as e:<|arg_sep|>"Odd()"',
    );
    expect(frames("g(g(-1))").at(0)).toBe('<|call_sep|>{"a": "-1"}<|action_sep|>def g(a):');
  },
);

test("a filter takes what is at its limit, and says what is above it", () => {
  expect(excludedBy({ ...record, steps: 50 }, publishedFilters.cruxeval)).toBeUndefined();
  expect(excludedBy({ ...record, steps: 51 }, publishedFilters.cruxeval)).toBe(
    "the trace has 51 steps, 50 are taken",
  );
  expect(stateCharacters(record)).toBe(9 + 20 + 20 + 9);
  expect(excludedBy(record, { stateCharacters: 58 })).toBeUndefined();
  expect(excludedBy(record, { stateCharacters: 57 })).toBe("the states have 58 characters, 57 are taken");
  expect(excludedBy(record, { codeCharacters: 10 })).toBe("the code has 53 characters, 10 are taken");
  expect(excludedBy({ ...record, proven: false }, {})).toBe("the trace is not verified");
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
