/** @file statelab export: a run as files that other programs read, at any time. */

import { exportForms, exportTo } from "../app/export/index.ts";
import { exportFolder } from "../app/run/export.ts";
import { fail, Words } from "../core/error.ts";
import { mostPrograms } from "../schemas/run-config.ts";
import { defineCommand } from "./lib/command.ts";
import { checkpointOption, flag } from "./lib/flags.ts";

export const command = defineCommand({
  name: "export",
  summary: "write ONNX, safetensors, CSV or Hugging Face files",
  usage: "export RUN [--to FORMAT] [--out DIR], or export FOLDER [...] --to csv|latex|...",
  opensRuns: true,
  positionals: { least: 1, most: Number.POSITIVE_INFINITY },
  options: {
    to: flag.choice("FORMAT", `${exportForms.join(", ")} [ONNX, weights, tokenizer]`, exportForms),
    out: flag.text("DIR", "output folder [RUN; with --to, RUN/export/FORMAT]"),
    name: flag.texts("NAME", "names in tables and figures, in the order of the settings; may be repeated"),
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
    "export runs/beta --to latex --name 'beta up to 1' --name 'beta up to 2'",
    "export runs/deltanet --to activations --record residual,beta --set commands=48",
  ],
  notes:
    "Writes model.onnx (sequences and recorded values), step.onnx (one token with its state), model.safetensors, tokenizer.json and tokenizer_config.json. csv, parquet and tensorboard write the recorded steps and tests, csv, parquet and latex the tables of report and compare, svg and png the figures of report (png with the package @resvg/resvg-js installed); these take folders of runs. hf writes a checkpoint for fla and transformers. activations writes tokens, true states and what layers compute.\n" +
    "The run may be unfinished, or still training.\n" +
    "More: docs/how-to/import-export.md",

  async run({
    positionals: [folder, ...others],
    values: { to: form, out, name: names, length, checkpoint: step, record, programs, set: settings },
    json,
    print,
    say,
    signal,
  }) {
    if (form !== undefined && length !== undefined) fail("export", `--length without --to ${form}`, "both");
    if (form !== "activations" && (record !== undefined || programs !== undefined || settings.length > 0))
      fail("export", "--record, --programs and --set with --to activations", form ?? "no --to");
    const isTable = form !== undefined && tableForms.includes(form);
    if (names.length > 0 && !isTable)
      fail("export", `--name with --to ${tableForms.join(", ")}`, form ?? "no --to");
    if (others.length > 0 && !isTable && form !== "tensorboard")
      fail("export", "one folder of a run", others[0]);
    if (others.length > 0 && out === undefined)
      fail("export", "--out DIR for several folders", new Words("none"));
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
        : await exportTo({ folder, others, form, out, step, recorded, names });
    for (const sentence of exported.remarks) say(sentence);
    if (json) print(JSON.stringify({ run: folder, ...exported }));
    else
      print(`${[folder, ...others].join(", ")}, after step ${exported.step}: ${exported.files.join(", ")}`);
  },
});

/** Forms of tables and figures, which compare runs. */
const tableForms: readonly string[] = ["csv", "parquet", "latex", "svg", "png"];
