/** @file statelab export: a run as files that other programs read, at any time. */

import { exportForms, exportTo } from "../app/export/index.ts";
import { exportFolder } from "../app/run/export.ts";
import { defineCommand } from "./lib/command.ts";
import { checkpointOption, flag } from "./lib/flags.ts";

export const command = defineCommand({
  name: "export",
  summary: "write a run as ONNX, for fla and transformers, or as curves",
  usage: "export RUN [--to FORM] [--out DIR] [--checkpoint STEP]",
  opensRuns: true,
  positionals: { least: 1, most: 1 },
  options: {
    to: flag.choice("FORM", `${exportForms.join(", ")}; without it ONNX, weights and tokenizer`, exportForms),
    out: flag.text("DIR", "where the files go; default RUN, with --to RUN/export/FORM"),
    checkpoint: checkpointOption,
  },
  examples: [
    "export runs/deltanet",
    "export runs/deltanet --checkpoint 200 --out exported",
    "export runs/deltanet --to hf",
  ],
  notes:
    "Writes model.onnx (a whole sequence), step.onnx (one token with its state), tokenizer.json, tokenizer_config.json and\n" +
    "model.safetensors (the weights alone). --to csv and tensorboard write what was recorded: every step and every test;\n" +
    "--to hf what fla and transformers load, and statelab import reads. The run need not be finished, and may be training meanwhile.",

  async run({ positionals: [folder], values: { to: form, out, checkpoint: step }, json, print, say }) {
    const exported =
      form === undefined
        ? await exportFolder({ folder, out, step })
        : await exportTo({ folder, form, out, step });
    for (const sentence of exported.remarks) say(sentence);
    if (json) print(JSON.stringify({ run: folder, ...exported }));
    else print(`${folder}, after step ${exported.step}: ${exported.files.join(", ")}`);
  },
});
