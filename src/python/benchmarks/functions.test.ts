import { expect, test } from "vitest";
import { LabError } from "../../core/error.ts";
import { cruxeval } from "./cruxeval.ts";
import { benchmarkRow, type FunctionRow, functionRow } from "./functions.ts";

const read = (value: unknown) => functionRow(value, 6, "rows.jsonl, row 7");

test("a row of each layout is recognised by its fields, as those who made it write them", () => {
  const code = "def g(n): return n";
  const both = { source: code, calls: [{ call: "g(2)", expected: "2" }] };
  expect(
    read({
      ...{ task_id: "HumanEval/0", prompt: "def g(n):\n", canonical_solution: "    return n\n" },
      ...{ entry_point: "g", test: "T" },
    }),
  ).toEqual({ id: "HumanEval/0", source: "def g(n):\n    return n\n", tests: "T", candidate: "g" });
  expect(
    read({ question_id: 2777, id: "sample_0", function_name: "g", code, input: "g(n = 2)", output: "2" }),
  ).toMatchObject({ id: "sample_0", source: code, calls: [{ call: "g(n = 2)", expected: "2" }] });
  expect(
    read({ task_id: "DREval/3", code, entry_point: "g", inputs: ["(2,)"], outputs: ["2"], test: null }),
  ).toEqual({ id: "DREval/3", ...both });
  expect(
    read({
      ...{ task_id: "ClassEval_1", class_name: "C", import_statement: ["import math"] },
      ...{ solution_code: "class C: pass", test: "T", skeleton: "" },
    }),
  ).toEqual({ id: "ClassEval_1", source: "import math\nclass C: pass", tests: "T" });
  expect(read({ id: "sample_1", code: "def f(s): return s", input: "'a'", output: "'a'" })).toMatchObject({
    calls: [{ call: "f('a')", expected: "'a'" }],
  });
  expect(read({ source: code, calls: ["g(2)", { call: "g(3)", expected: "3" }] })).toMatchObject({
    id: "7",
    calls: [
      { call: "g(2)", expected: "" },
      { call: "g(3)", expected: "3" },
    ],
  });
  expect(read({ source: code })).toEqual({ id: "7", source: code });
});

test("REval's arguments are a tuple with a comma at its end, and its classes are tested by methods", () => {
  const of = { task_id: "DREval/0", code: "def g(a, b=0): return a" };
  const row = { ...of, entry_point: "g", outputs: ["[1]", "(3,)"] };
  expect(read({ ...row, inputs: ["([1], 0.5,)", "((3,),)"] })).toMatchObject({
    calls: [
      { call: "g([1], 0.5)", expected: "[1]" },
      { call: "g((3,))", expected: "(3,)" },
    ],
  });
  expect(read({ ...row, inputs: ["g([1])", "2"] })).toMatchObject({
    calls: [{ call: "g([1])" }, { call: "g(2)" }],
  });
  const classes = { ...row, entry_point: "C", inputs: ["c = C()\nassertEqual(c.m(1), 1)\n"] };
  expect(read({ ...classes, test: "class T: pass" })).toEqual({
    ...{ id: "DREval/0", source: row.code, tests: "class T: pass" },
  });
});

test("a function of another name than f is called by it where it is the only one", () => {
  const row = { id: "1", input: "2", output: "2" };
  const callOf = (code: string) => read({ ...row, code }).calls?.[0].call;
  expect(callOf("def g(n): return n")).toBe("g(2)");
  expect(callOf("def g(n): return n\ndef f(n): return g(n)")).toBe("f(2)");
  expect(() => callOf("def g(n): return n\ndef h(n): return g(n)")).toThrow(
    'row 7: expected one function, f, or function_name, got "g, h"',
  );
});

test("what LiveCodeBench leaves to its evaluator is put before a program that is run, and not shown", () => {
  const row = { id: "s", code: "def g(n: List[int]): return n", input: "g(n = [2])", output: "[2]" };
  const { calls } = benchmarkRow(...withCalls(read({ ...row, function_name: "g" })));
  expect(calls[0]).toMatchObject({ id: "s/1", program: "s", call: "g(n = [2])" });
  expect(calls[0].sources[0]).toBe(row.code);
  expect(calls[0].sources[1]).toBe(`${calls[0].imports}\n${row.code}`);
  expect(calls[0].imports).toContain("List");
});

const withCalls = (row: FunctionRow) => [row, row.calls ?? []] as const;

test("a row of another layout than the one that is asked for is refused", () => {
  const row = { id: "s", code: "def f(n): return n", input: "2", output: "2" };
  expect(functionRow(row, 0, "rows.jsonl, row 1").calls).toHaveLength(1);
  expect(() => functionRow(row, 0, "rows.jsonl, row 1", "LiveCodeBench")).toThrow(
    'rows.jsonl, row 1: expected the fields of LiveCodeBench, got "id, code, input, output"',
  );
});

test("a row with the fields of no layout is refused with its place", () => {
  expect(() => read({ body: "def g(): pass" })).toThrow(LabError);
  expect(() => read({ body: "def g(): pass" })).toThrow(
    "rows.jsonl, row 7: expected the fields of HumanEval",
  );
});

test.each([["f()"], [[{ call: "f()", expected: {} }]], [{}]])("calls that are %j are refused", (calls) => {
  expect(() => read({ source: "def f(): return 1", calls })).toThrow("row 7, calls: expected a list of ");
  expect(read({ source: "def f(): return 1", calls: null }).calls).toBeUndefined();
});

test.each([
  ["first", "Solution().first([1, 2])", "Solution().first([1, 2])"],
  ["first", "Solution().first(items = [1])", "Solution().first(items = [1])"],
  ["first", "first([1])", "first([1])"],
  ["first", "other.first(1)", "other.first(1)"],
  ["first", "first_of(1)", "first(first_of(1))"],
  ["first", "[1, 2], 3", "first([1, 2], 3)"],
  ["f(", "1", "f((1)"],
])("a row of %s with the input %s is the call %s", (function_name, input, call) => {
  const row = { id: 1, code: "class Solution: ...", function_name, input, output: "1" };
  expect(functionRow(row, 0, "row").calls?.[0].call).toBe(call);
});

const ownRow = { code: "def f(n):\n    return n", input: "17", output: "17", id: "sample_0" };

test("a row of another benchmark is refused by its layout, and never asked about as f", () => {
  expect(cruxeval.row(ownRow, "line 1").calls[0]).toMatchObject({ call: "f(17)", expected: "17" });
  // LiveCodeBench's execution split has these fields, too, and others
  const other = {
    ...ownRow,
    ...{ code: "def minimumCost(s: str) -> int:\n    return 0", input: "minimumCost(s = '0011')" },
    ...{ function_name: "minimumCost", question_id: 2777 },
  };
  expect(() => cruxeval.row(other, "line 1")).toThrow(
    'line 1: expected a row of CRUXEval, {code, input, output, id}, got "one with function_name, question_id"',
  );
  const { function_name: _, question_id: __, ...same } = other;
  expect(() => cruxeval.row(same, "line 1")).toThrow(/whose code defines f, got "def minimumCost/);
});
