import { expect, test } from "vitest";
import { cruxeval } from "./cruxeval.ts";

const row = { code: "def f(n):\n    return n", input: "17", output: "17", id: "sample_0" };

test("a row of another benchmark is refused by its layout, and never asked about as f", () => {
  expect(cruxeval.row(row, "line 1").calls[0]).toMatchObject({ call: "f(17)", expected: "17" });
  // LiveCodeBench's execution split has these fields, too, and others
  const other = {
    ...row,
    ...{ code: "def minimumCost(s: str) -> int:\n    return 0", input: "minimumCost(s = '0011')" },
    ...{ function_name: "minimumCost", question_id: 2777 },
  };
  expect(() => cruxeval.row(other, "line 1")).toThrow(
    'line 1: expected a row of CRUXEval, {code, input, output, id}, got "one with function_name, question_id"',
  );
  const { function_name: _, question_id: __, ...same } = other;
  expect(() => cruxeval.row(same, "line 1")).toThrow(/whose code defines f, got "def minimumCost/);
});
