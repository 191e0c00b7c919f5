/** @file statelab import: a model trained elsewhere (flash-linear-attention, Hugging Face) as a run of the lab. */

import { importRun } from "../app/import/run.ts";
import { fail } from "../core/error.ts";
import { shellWord } from "../core/format.ts";
import { defineCommand } from "./lib/command.ts";
import { flag, setOption } from "./lib/flags.ts";

export const command = defineCommand({
  name: "import",
  summary: "load a checkpoint trained elsewhere",
  usage: "import CHECKPOINT --config CONFIG.yaml --out DIR [OPTIONS]",
  positionals: { least: 1, most: 1 },
  options: {
    config: flag.text("FILE", "run configuration for the task and tests (required)"),
    out: flag.text("DIR", "the new run folder (required)"),
    set: setOption,
    overwrite: flag.toggle("replace an existing run"),
  },
  examples: [
    "import ./checkpoint --config examples/deltanet.yaml --out runs/theirs",
    "import ./checkpoint --config examples/deltanet.yaml --set task.variables=5 --out runs/theirs",
  ],
  notes:
    "CHECKPOINT is a folder with config.json and *.safetensors, of a supported model_type. A tokenizer.json of words decides the order of the embedding rows, one with a BPE or Unigram model is kept.\n" +
    "More: docs/how-to/import-export.md",

  async run({ positionals: [checkpoint], values, json, print }) {
    const file =
      values.config ?? fail("import", "--config FILE", "nothing", "It names the task and the tests");
    const folder = values.out ?? fail("import", "--out DIR", "nothing");
    const { overwrite, set: settings } = values;
    const { model, task } = await importRun({ checkpoint, file, settings, folder, overwrite });
    if (json) print(JSON.stringify({ run: folder, model, task }));
    else print(`${folder}: ${model.name} imported. Test it: statelab evaluate ${shellWord(folder)}`);
    return 0;
  },
});
