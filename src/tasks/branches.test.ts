import { describe, expect, test } from "vitest";
import { hasPython } from "../python/trace/python.test-helper.ts";
import { compareWithTracer } from "./branches.test-helper.ts";
import { branches } from "./branches.ts";
import { exampleFrom, exampleStream, prepareTask } from "./index.ts";

describe.skipIf(!hasPython)("against CPython's tracer (skipped without python3)", () => {
  test("labels are those of the tracer's record: every line that ran, every value's class and type", () => {
    const { problems, passed, seen } = compareWithTracer({ conditions: [1, 6], lines: [1, 4] }, 16, 4);
    expect(problems).toEqual([]);
    expect(passed).toBeGreaterThan(8);
    expect(seen.size).toBeGreaterThan(4);
  });
});

test("arguments and steps are no larger than is asked, and a stage may have fewer conditions", () => {
  const sizes = { conditions: [1, 2], lines: [1, 2], numbers: 5, starts: 3, mostStep: 2 };
  const prepared = prepareTask(branches, sizes);
  expect(prepareTask(branches, { ...sizes, conditions: 1 }).values).toEqual(prepared.values);
  for (const i of Array(200).keys()) {
    const { text } = exampleFrom(prepared, exampleStream(5, "train")(i));
    const [, ...given] = /a=(\d+), b=(\d+)/.exec(text)!.map(Number);
    const moved = [...text.matchAll(/[+-]= (\d+)/g)].map(([, by]) => Number(by));
    expect(Math.max(...given)).toBeLessThan(3);
    expect(Math.max(0, ...moved)).toBeLessThan(3);
  }
});
