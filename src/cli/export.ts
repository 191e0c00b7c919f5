/** @file statelab export: a run as files that other programs read, at any time. */

import { exportForms, exportTo } from "../app/export/index.ts";
import { exportFolder } from "../app/run/export.ts";
import { fail } from "../core/error.ts";
import { mostPrograms } from "../schemas/run-config.ts";
import { defineCommand } from "./lib/command.ts";
import { checkpointOption, flag } from "./lib/flags.ts";

export const command = defineCommand({
  name: "export",
  summary: "write ONNX, safetensors, CSV or Hugging Face files",
  usage: "export RUN [--to FORMAT] [--out DIR]",
  opensRuns: true,
  positionals: { least: 1, most: 1 },
  options: {
    to: flag.choice("FORMAT", `${exportForms.join(", ")} [ONNX, weights, tokenizer]`, exportForms),
    out: flag.text("DIR", "output folder [RUN; with --to, RUN/export/FORMAT]"),
    length: flag.integer("N", "longest sequence of the ONNX files [longest of the training]", { least: 1 }),
    checkpoint: checkpointOption,
    record: flag.text("NAMES", "activations: what layers publish, such as residual,query,beta [residual]"),
    programs: flag.integer("N", "activations: programs that the model reads [200]", {
      least: 1,
      most: mostPrograms,
    }),
    set: flag.texts("KEY=VALUE", "activations: change the task; may be repeated"),
  },
  examples: [
    "export runs/deltanet",
    "export runs/deltanet --checkpoint 200 --length 2000 --out exported",
    "export runs/deltanet --to activations --record residual,beta --set commands=48",
  ],
  notes:
    "Writes model.onnx (sequences and recorded values), step.onnx (one token with its state), model.safetensors, tokenizer.json and tokenizer_config.json. csv and tensorboard write the recorded steps and tests, also of a folder of runs. hf writes a checkpoint for fla and transformers. activations writes tokens, true states and what layers compute.\n" +
    "The run may be unfinished, or still training.\n" +
    "More: docs/how-to/import-export.md",

  async run({
    positionals: [folder],
    values: { to: form, out, length, checkpoint: step, record, programs, set: settings },
    json,
    print,
    say,
    signal,
  }) {
    if (form !== undefined && length !== undefined) fail("export", `--length without --to ${form}`, "both");
    if (form !== "activations" && (record !== undefined || programs !== undefined || settings.length > 0))
      fail("export", "--record, --programs and --set with --to activations", form ?? "no --to");
    const tick = async () => {
      await new Promise(setImmediate); // lets Ctrl-C interrupt between two runs of the model
      signal.throwIfAborted();
    };
    const recorded = {
      ...{ settings, tick },
      ...(record !== undefined && { record: record.split(",") }),
      ...(programs !== undefined && { programs }),
    };
    const exported =
      form === undefined
        ? await exportFolder({ folder, out, step, length })
        : await exportTo({ folder, form, out, step, recorded });
    for (const sentence of exported.remarks) say(sentence);
    if (json) print(JSON.stringify({ run: folder, ...exported }));
    else print(`${folder}, after step ${exported.step}: ${exported.files.join(", ")}`);
  },
});
