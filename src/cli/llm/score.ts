/** @file statelab llm score: scores answers that a model gave before, without asking it again. */

import { scoreFile } from "../../app/llm/score.ts";
import { parseChoice } from "../../core/did-you-mean.ts";
import { fail, Words } from "../../core/error.ts";
import { textTable } from "../../report/text-table.ts";
import type { Score } from "../../schemas/samples.ts";
import { defineCommand } from "../lib/command.ts";
import { flag, sandboxOptions, seedOption } from "../lib/flags.ts";
import { progressOn } from "../lib/progress.ts";

export const command = defineCommand({
  name: "llm score",
  summary: "score saved answers, without a model",
  usage: "llm score cruxeval GENERATIONS.json --predict input|output [OPTIONS]",
  positionals: { least: 2, most: 2 },
  options: {
    predict: flag.choice("WHAT", "what the answers predict: input or output", ["input", "output"]),
    scoring: flag.choice(
      "RULES",
      "strict (same value and types) or upstream (CRUXEval's evaluator)",
      ["upstream", "strict"],
      { default: "strict" },
    ),
    data: flag.text("FILE", "cruxeval.jsonl [the imported file, or in STATELAB_DATA]"),
    seed: seedOption,
    ...sandboxOptions,
  },
  examples: [
    "llm score cruxeval generations.json --predict output --scoring upstream --json",
    "llm score cruxeval generations.json --predict input --data data/cruxeval.jsonl",
  ],
  notes:
    'GENERATIONS.json maps each program to its answers: {"sample_0": ["17", ...], ...}. A list in the order of the benchmark, a list of {id, answers} and the samples.jsonl of llm eval work too. Intervals are 95 % confidence intervals over programs. Writes nothing.\n' +
    "More: docs/how-to/evaluate-llm.md",

  async run({ positionals: [bench, file], values, json, print, say, signal }) {
    parseChoice("llm score", bench, ["cruxeval"]);
    if (values.predict === undefined)
      fail("llm score", "--predict input or --predict output", new Words("neither"));
    const { predict, scoring } = values;
    const progress = progressOn(process.stderr);
    try {
      const score = await scoreFile(file, {
        ...{ predict, scoring, seed: values.seed, data: values.data, signal },
        host: values.python,
        onWarning: (sentence) => say(`statelab: ${sentence}`),
        onProgress: (step, steps) => progress.update("programs", { step, steps }),
      });
      progress.close();
      print(json ? JSON.stringify(score) : asTable(score));
    } finally {
      progress.close();
    }
  },
});

function asTable({ passAt1, passAt5, intervals, answers, scoring, predict }: Score): string {
  const percent = (value: number | null) => (value === null ? "\u2013" : value.toFixed(2));
  const range = (bounds: readonly [number, number] | null) =>
    bounds === null ? "\u2013" : bounds.map((bound) => bound.toFixed(2)).join(" to ");
  const { given, correct, wrong, unreadable } = answers;
  return [
    textTable({
      columns: [`${predict}, ${scoring}`, "%", "95 % interval"],
      rows: [
        ["pass@1", percent(passAt1), range(intervals.passAt1)],
        ["pass@5", percent(passAt5), range(intervals.passAt5)],
      ],
    }),
    `${given} answers: ${correct} correct, ${wrong} wrong, ${unreadable} unreadable`,
  ].join("\n");
}
