/** @file statelab llm score: scores saved answers, or the replies in a log of another harness, without a model. */

import { readReplies } from "../../app/llm/saved-replies.ts";
import { scoreFile, scoreReplies } from "../../app/llm/score.ts";
import { parseChoice } from "../../core/did-you-mean.ts";
import { fail, Words } from "../../core/error.ts";
import { askTable } from "../../report/ask.ts";
import { textTable } from "../../report/text-table.ts";
import type { Score } from "../../schemas/samples.ts";
import { readInput } from "../../storage/index.ts";
import { defineCommand } from "../lib/command.ts";
import { benchmarkOptions, questionOptions } from "../lib/eval.ts";
import { sandboxOptions, seedOption } from "../lib/flags.ts";
import { progressOn } from "../lib/progress.ts";

export const command = defineCommand({
  name: "llm score",
  summary: "score saved answers, without a model",
  usage: "llm score BENCH FILE [OPTIONS]",
  positionals: { least: 2, most: 2 },
  options: {
    ...questionOptions,
    seed: seedOption,
    ...sandboxOptions,
  },
  examples: [
    "llm score cruxeval generations.json --predict output --scoring upstream --json",
    "llm score cruxeval generations.json --predict input --data data/cruxeval.jsonl",
    "llm score parity logs/LOG.eval",
  ],
  notes:
    "FILE is a log of inspect_ai (.eval or .json), samples_*.jsonl of lm-evaluation-harness, or for cruxeval a file of answers, with --predict. Replies are matched to questions by id or prompt. A log of llm export --to hub has the options of its benchmark; for others, give those of llm eval.\n" +
    'A file of answers maps each program to its answers: {"sample_0": ["17", ...], ...}. A list in the order of the benchmark, a list of {id, answers} and the samples.jsonl of llm eval work too. Intervals are 95 % confidence intervals over programs. Writes nothing.\n' +
    "More: docs/how-to/evaluate-llm.md",

  async run({ positionals: [bench, file], values, json, print, say, signal }) {
    const { scoring, seed, data, python: host } = values;
    const progress = progressOn(process.stderr);
    const options = {
      ...{ host, signal },
      onWarning: (sentence: string) => say(`statelab: ${sentence}`),
      onProgress: (step: number, steps: number) => progress.update("programs", { step, steps }),
    };
    try {
      const replies = readReplies(readInput(file), file);
      if (replies !== undefined) {
        const score = await scoreReplies(replies, file, benchmarkOptions(bench, values), options);
        progress.close();
        print(json ? JSON.stringify(score) : askTable(score));
        return;
      }
      if (bench !== "cruxeval")
        fail(file, "a log of inspect_ai, or samples of lm-evaluation-harness", new Words("another format"));
      if (values.predict.length !== 1)
        fail("llm score", "--predict input or --predict output", new Words("neither"));
      const predict = parseChoice("--predict", values.predict[0], ["input", "output"] as const);
      const score = await scoreFile(file, { ...options, predict, scoring, seed, data });
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
