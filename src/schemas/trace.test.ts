import { expect, test } from "vitest";
import { LabError } from "../core/error.ts";
import { isPythonValue, parseTrace } from "./trace.ts";

test.each([
  [null],
  [[1, "a", [true]]],
  [{ int: "1152921504606846976" }],
  [{ dict: [["a", { tuple: [] }], { cut: 3 }] }],
  [{ id: 1, is: [{ ref: 1 }] }],
  [{ object: "Point", fields: { x: { float: "0.5" } } }],
  [{ object: "Counter", data: { dict: [] } }],
  [{ text: "aaa", cut: 9 }],
  [{ bytes: "00", cut: 1 }],
  [{ range: ["0", "2", "1"] }],
])("%j is a value", (value) => {
  expect(isPythonValue(value)).toBe(true);
});

test.each([
  [0.5],
  [2 ** 60],
  [undefined],
  [{}],
  [{ tuple: 3 }],
  [{ dict: [["a"]] }],
  [{ id: 1 }],
  [{ id: 0, is: null }],
  [{ cut: 0 }],
  [{ object: "Point", fields: [1] }],
  [{ set: [0.1] }],
  [{ tuple: [], extra: 1 }],
  [{ constant: "None" }],
  [{ toString: "a" }],
])("%j is none", (value) => {
  expect(isPythonValue(value)).toBe(false);
});

const record = {
  version: 1,
  source: "def f(n): return n",
  call: "f(1)",
  code: "n = 1\nassert (n) == 1\n",
  lines: [
    { code: "n = 1", line: 1, helper: false, role: "arguments", state: { n: 1 } },
    { code: "assert (n) == 1", line: 1, helper: false, role: "assert", state: { n: 1 } },
  ],
  result: 1,
  literal: "1",
  steps: 0,
  proven: true,
  python: { version: "3.14.2", wordBits: 32 },
  truncated: false,
  reason: null,
};

test("a record is read as it is, and one with a wrong part is refused with its place", () => {
  expect(parseTrace(record, "trace.jsonl:1")).toEqual(record);
  const wrong = { ...record, lines: [{ ...record.lines[0], state: { n: 0.5 } }] };
  expect(() => parseTrace(wrong, "trace.jsonl:2")).toThrow(LabError);
  expect(() => parseTrace(wrong, "trace.jsonl:2")).toThrow(
    'trace.jsonl:2: expected a trace record, got "lines.0.state.n: expected a value of Python in the lab\'s form"',
  );
  expect(() => parseTrace({ ...record, version: 2 }, "a")).toThrow(/version/);
});
