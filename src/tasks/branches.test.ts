import { describe, expect, test } from "vitest";
import { parseHistory } from "../records/history.ts";
import { executionLabels } from "../trace/execution-labels.ts";
import { hasPython, runPython } from "../trace/python.test-helper.ts";
import { branches } from "./branches.ts";
import { exampleFrom, exampleStream, prepareTask } from "./index.ts";

const drawn = (params: object, count: number, seed = 4) => {
  const prepared = prepareTask(branches, params);
  const examples = Array.from({ length: count }, (_, i) =>
    exampleFrom(prepared, exampleStream(seed, "train")(i)),
  );
  return { prepared, examples };
};

describe.skipIf(!hasPython)("against CPython's tracer (skipped without python3)", () => {
  test.each([
    [{}, 40],
    [{ conditions: [3, 6], lines: [1, 4], numbers: 60 }, 40],
  ])("labels of %j are those of the tracer's record: every line that ran, every value's class and type", (params, count) => {
    const { prepared, examples } = drawn(params, count);
    const sources = examples.map(({ text }) => text.slice(0, text.indexOf("assert")));
    const records = runPython(
      sources.map((source) => ({ operation: "history", source, call: "f()", options: {} })),
    );
    const { of, variables } = prepared.execution!;
    const seen = new Set<string>();
    let passed = 0;
    for (const [i, example] of examples.entries()) {
      const { lines, values } = executionLabels(parseHistory(records[i], "f()"));
      const labels = of(example);
      const numbers = labels.lines.map(({ end }) => sources[i].slice(0, end).trimEnd().split("\n").length);
      expect(numbers.filter((_, k) => labels.lines[k].ran)).toEqual(lines);
      passed += labels.lines.filter(({ ran }) => !ran).length;
      expect(Object.fromEntries(variables.map((name, k) => [name, labels.values[k]]))).toEqual(values);
      // every statement has a label, and nothing else: heads and `else` run nowhere
      const statements = sources[i].split("\n").flatMap((row, k) => (/^ +(?!else)\S/.test(row) ? [k + 1] : []));
      expect(numbers).toEqual(statements);
      for (const { value, type } of labels.values) seen.add(`${value} ${type}`);
    }
    expect(passed).toBeGreaterThan(count / 2);
    for (const each of ["zero int", "small int", "large int", "-small int", "null NoneType", "empty list", "filled list"])
      expect(seen, each).toContain(each);
  });
});

test("conditions hold about as often as not, so that a path is no guess", () => {
  const { examples } = drawn({ conditions: 2 }, 400);
  const held = examples.flatMap(({ reveals }) => reveals[1].value.split(", "));
  expect(held).toHaveLength(800);
  const share = held.filter((each) => each === "yes").length / held.length;
  expect(share).toBeGreaterThan(0.35);
  expect(share).toBeLessThan(0.65);
});

test.each([
  [{ numbers: 11 }, "branches: expected numbers"],
  [{ conditions: 7 }, "branches: expected conditions"],
  [{ conditions: [3, 1] }, "branches: expected a range of lengths [least, most], got [3,1]"],
])("%j is refused in one sentence", (params, message) => {
  expect(() => prepareTask(branches, params)).toThrow(message);
});
