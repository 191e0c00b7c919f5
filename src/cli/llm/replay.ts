/** @file statelab llm replay: computes an evaluation again from its saved answers and names what differs. */

import { replayEval } from "../../app/llm/replay.ts";
import { fail } from "../../core/error.ts";
import { defineCommand } from "../lib/command.ts";
import { evalConfig, evalOptions } from "../lib/eval.ts";
import { progressOn } from "../lib/progress.ts";

export const command = defineCommand({
  name: "llm replay",
  summary: "compute an evaluation again from its saved answers, and name what differs",
  usage: "llm replay --bench NAME --model NAME ... [--out DIR]",
  options: evalOptions,
  examples: [
    "llm replay --bench cruxeval --base-url http://localhost:8000/v1 --model NAME",
    "llm replay --bench parity --answers answers.jsonl",
  ],
  notes:
    "The flags are those that llm eval had. No model is asked and nothing is written. Exit code 3: a sample or a number does not\n" +
    "follow from answers.jsonl, or a byte of answers.jsonl was changed.",

  async run({ values, json, print, signal }) {
    const config = evalConfig(values);
    if (config.models.length > 1) fail("llm replay", "one --model", String(config.models.length));
    const replay = await replayEval({ config, signal, progress: progressOn(process.stderr) });
    const { folder, answers, samples } = replay;
    const words = `${folder}: ${answers} answers, ${samples} samples: computed again, nothing differs`;
    print(json ? JSON.stringify(replay) : words);
  },
});
