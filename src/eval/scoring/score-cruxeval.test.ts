import { expect, test } from "vitest";
import type { BenchmarkRow } from "../../python/benchmarks/index.ts";
import { benchInput, nothing } from "../bench-input.test-helper.ts";
import { functionBenches } from "../benchmarks/functions.ts";
import type { Execute } from "../execute.ts";
import { scoreCruxeval } from "./score-cruxeval.ts";

/** Expected values, each with the reason for which no answer can be compared, and a right answer. */
const outputs: readonly (readonly [output: string, reason: RegExp | undefined, answer: string])[] = [
  ["nan", /NaN/, "nan"],
  ["[1, nan]", /NaN/, "[1, nan]"],
  ["{'a': float('nan')}", /NaN/, "{'a': nan}"],
  ["'\\N{BULLET}'", /by its name/, "'\u2022'"],
  ["<object at 0x1>", /no literal/, "None"],
  ["Fraction(1, 2)", /no literal/, "0.5"],
  ["Ellipsis", undefined, "..."],
  ["...", undefined, "Ellipsis"],
  ["(Ellipsis, 1)", undefined, "(..., 1)"],
  ["inf", undefined, "float('inf')"],
  ["-inf", undefined, "-inf"],
  ["[1e999]", undefined, "[inf]"],
  ["-0.0", undefined, "-0.0"],
  ["(1+2j)", undefined, "1 + 2j"],
  ["{3, 1}", undefined, "{1, 3}"],
  ["set()", undefined, "set([])"],
  ["b'\\xff'", undefined, 'b"\\xff"'],
  ["{'b': 1, 'a': (2,)}", undefined, "{'a': (2,), 'b': 1}"],
];
const rows = outputs.map(([output], i) => ({
  ...{ id: `sample_${i}`, code: "def f(n):\n    return n", input: "1", output },
}));

test("rows with which nothing can be compared are left out by name, all others are read alike by score and ask", async () => {
  const left = outputs.flatMap(([, reason], i) => (reason === undefined ? [] : [`sample_${i}`]));
  const score = await scoreCruxeval({
    ...{ rows, predict: "output", scoring: "strict", seed: 0, execute: nothing, atMost: 2 },
    generations: Object.fromEntries(outputs.map(([, , answer], i) => [`sample_${i}`, [answer]])),
  });
  expect(score.excluded?.map(({ id }) => id)).toEqual(left);
  for (const { id, reason } of score.excluded ?? [])
    expect(reason).toMatch(outputs[Number(id.split("_")[1])][1]!);
  expect(score.passAt1).toBe(100);
  expect(Object.keys(score.verdicts)).toHaveLength(outputs.length - left.length);

  const asked: BenchmarkRow[] = rows.map((row, i) => functionBenches.cruxeval.data!.row(row, "row", i));
  const set = functionBenches.cruxeval.prepare(
    { split: "test" },
    benchInput<BenchmarkRow>({ seed: 0, rows: asked }),
  );
  expect(set.excluded.map(({ id }) => id)).toEqual(left);
  for (let index = 0; index < set.count; index++) {
    const question = set.question(index);
    const answer = outputs[Number(question.id.split("_")[1])][2];
    const { grade } = await question.judge([`[ANSWER]${answer}[/ANSWER]`], nothing);
    expect([question.expected, answer, grade.kind]).toEqual([question.expected, answer, "correct"]);
  }
});

test("an answer with a character by its name is run to be read, by score as by ask", async () => {
  const run: string[] = [];
  const execute: Execute = async ({ expression = "" }) => {
    run.push(expression);
    return { kind: "passed" };
  };
  const score = await scoreCruxeval({
    rows: [{ ...rows[0], output: "'\u2022'" }],
    ...{ predict: "output", scoring: "strict", seed: 0, execute, atMost: 1 },
    generations: { sample_0: ["'\\N{BULLET}'"] },
  });
  expect([score.answers.correct, run.length]).toEqual([1, 1]);
});
