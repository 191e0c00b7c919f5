/** @file statelab llm judge: verdicts on replies, one JSON line each, for the scorers of other harnesses. */

import { createInterface } from "node:readline";
import { addAbortSignal } from "node:stream";
import { judgeLines } from "../../app/llm/judge.ts";
import { defineCommand } from "../lib/command.ts";
import { sandboxOptions } from "../lib/flags.ts";

export const command = defineCommand({
  name: "llm judge",
  summary: "judge replies, one JSON line each",
  usage: "llm judge [OPTIONS] < LINES",
  options: sandboxOptions,
  examples: ["llm judge < replies.jsonl"],
  notes:
    'Reads JSON lines on stdin: {"benchmark": {"bench": "parity", "settings": ["length=16"]}, "id": "function/output/parity_0", "reply": "[ANSWER] 1"}, or a row of llm export --to hub with its reply. A prompt may replace the id; "finish": "length" marks a truncated reply.\n' +
    "Prints one JSON object per line: id, verdict (as in samples.jsonl), extracted, expected, words. Exit code 3: a line cannot be judged.\n" +
    "More: docs/how-to/evaluate-llm.md",

  async run({ values, print, signal }) {
    const lines = createInterface({ input: addAbortSignal(signal, process.stdin) });
    for await (const verdict of judgeLines(lines, { host: values.python, signal }))
      print(JSON.stringify(verdict));
  },
});
