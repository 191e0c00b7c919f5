/** @file Functions of the task `branches` run by CPython under the tracer: the labels of its records and those of the task. */

import { executionLabels } from "../python/trace/execution-labels.ts";
import { runPython } from "../python/trace/python.test-helper.ts";
import { parseHistory } from "../schemas/execution-trace.ts";
import { branches } from "./branches.ts";
import { exampleFrom, exampleStream, prepareTask } from "./index.ts";

export function compareWithTracer(params: object, count: number, seed: number) {
  const prepared = prepareTask(branches, params);
  const examples = Array.from({ length: count }, (_, i) =>
    exampleFrom(prepared, exampleStream(seed, "train")(i)),
  );
  const sources = examples.map(({ text }) => text.slice(0, text.indexOf("assert")));
  const records = runPython(
    sources.map((source) => ({ operation: "history", source, call: "f()", options: {} })),
  );
  const { of, variables } = prepared.execution!;
  const problems: string[] = [];
  const seen = new Set<string>();
  let passed = 0;
  for (const [i, example] of examples.entries()) {
    const theirs = executionLabels(parseHistory(records[i], "f()"));
    const { lines, values } = of(example);
    const numbers = lines.map(({ end }) => sources[i].slice(0, end).trimEnd().split("\n").length);
    const ours = {
      lines: numbers.filter((_, k) => lines[k].ran),
      values: Object.fromEntries(variables.map((name, k) => [name, values[k]])),
    };
    // every statement has a label, and nothing else: heads and `else` run nowhere
    const statements = sources[i].split("\n").flatMap((row, k) => (/^ +(?!else)\S/.test(row) ? [k + 1] : []));
    const same = [ours, numbers].map((each) => JSON.stringify(each, sorted));
    const wanted = [theirs, statements].map((each) => JSON.stringify(each, sorted));
    if (same.join() !== wanted.join()) problems.push(`${same}, by the tracer ${wanted}:\n${sources[i]}`);
    passed += lines.filter(({ ran }) => !ran).length;
    for (const { value, type } of values) seen.add(`${value} ${type}`);
  }
  return { problems, passed, seen };
}

/** Keys in a canonical order. */
const sorted = (_: string, value: unknown) =>
  value !== null && typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
    : value;
