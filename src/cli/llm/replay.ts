/** @file statelab llm replay: computes an evaluation again from its saved answers and names what differs. */

import { replayEval } from "../../app/llm/replay.ts";
import { fail } from "../../core/error.ts";
import { defineCommand } from "../lib/command.ts";
import { evalConfig, evalOptions } from "../lib/eval.ts";
import { progressOn } from "../lib/progress.ts";

export const command = defineCommand({
  name: "llm replay",
  summary: "recompute an evaluation from its saved answers",
  usage: "llm replay --bench NAME --model NAME [OPTIONS]",
  options: evalOptions,
  examples: [
    "llm replay --bench cruxeval --base-url http://localhost:8000/v1 --model NAME",
    "llm replay --bench parity --answers answers.jsonl",
  ],
  notes:
    "Give the options that llm eval had. Sends no requests and writes nothing.\n" +
    "Exit code 3: a sample or number differs, or answers.jsonl was changed.\n" +
    "More: docs/how-to/evaluate-llm.md",

  async run({ values, json, print, signal }) {
    const config = evalConfig(values);
    if (config.models.length > 1) fail("llm replay", "one --model", String(config.models.length));
    const replay = await replayEval({ config, signal, progress: progressOn(process.stderr) });
    const { folder, answers, samples } = replay;
    const words = `${folder}: recomputed ${answers} answers, ${samples} samples; no differences`;
    print(json ? JSON.stringify(replay) : words);
  },
});
