/** @file statelab export: a run, or the samples of an asking, as files that other programs read, at any time. */

import { exportForms, exportTo } from "../app/export/index.ts";
import { exportEval } from "../app/llm/export.ts";
import { exportFolder } from "../app/run/export.ts";
import { fail } from "../core/error.ts";
import { askExportNames } from "../eval/exports/index.ts";
import { defineCommand } from "./lib/command.ts";
import { checkpointOption, flag } from "./lib/flags.ts";

export const command = defineCommand({
  name: "export",
  summary: "write a run as ONNX, for fla and transformers, as curves; or an asking for other harnesses",
  usage: "export RUN|ASKING [--to FORM] [--out DIR] [--checkpoint STEP]",
  opensRuns: true,
  positionals: { least: 1, most: 1 },
  options: {
    to: flag.choice(
      "FORM",
      `of a run: ${exportForms.join(", ")} (without it ONNX, weights and tokenizer); of an asking: ${askExportNames.join(", ")}`,
      [...exportForms, ...askExportNames],
    ),
    out: flag.text(
      "DIR",
      "where the files go; default the folder that is exported, of a run with --to RUN/export/FORM",
    ),
    checkpoint: checkpointOption,
  },
  examples: [
    "export runs/deltanet",
    "export runs/deltanet --checkpoint 200 --out exported",
    "export runs/deltanet --to hf",
    "export runs/ask-cruxeval-NAME --to lm-eval --out exported",
  ],
  notes:
    "Writes model.onnx (a whole sequence), step.onnx (one token with its state), tokenizer.json, tokenizer_config.json and\n" +
    "model.safetensors (the weights alone). --to csv and tensorboard write what was recorded: every step and every test;\n" +
    "--to hf what fla and transformers load, and statelab import reads. The run need not be finished, and may be training meanwhile.\n" +
    "Of an asking its samples and results, in the files of another harness (docs/asking.md).",

  async run({ positionals: [folder], values: { to: form, out, checkpoint: step }, json, print, say }) {
    const as = askExportNames.find((name) => name === form);
    if (as !== undefined) {
      if (step !== undefined) fail("--checkpoint", "a form of a run", `--to ${as}, which is of an asking`);
      const files = await exportEval(folder, { as, out, now: Date.now() });
      print(json ? JSON.stringify({ asking: folder, files }) : files.join("\n"));
      return;
    }
    const ofRun = exportForms.find((name) => name === form);
    const exported =
      ofRun === undefined
        ? await exportFolder({ folder, out, step })
        : await exportTo({ folder, form: ofRun, out, step });
    for (const sentence of exported.remarks) say(sentence);
    if (json) print(JSON.stringify({ run: folder, ...exported }));
    else print(`${folder}, after step ${exported.step}: ${exported.files.join(", ")}`);
  },
});
