/** @file statelab analyze: how a trained model tracks, from what it computes while it reads programs. */

import { type AnalysisName, analysisNames } from "../analysis/index.ts";
import { analyseFolder } from "../app/analyze/folder.ts";
import { parseChoice } from "../core/did-you-mean.ts";
import { fail } from "../core/error.ts";
import { shellWord } from "../core/format.ts";
import { mostPrograms } from "../schemas/run-config.ts";
import { defineCommand } from "./lib/command.ts";
import { flag, seedOption } from "./lib/flags.ts";
import { progressOn } from "./lib/progress.ts";

export const command = defineCommand({
  name: "analyze",
  summary: "find out how a model tracks state",
  usage: "analyze RUN [OPTIONS]",
  opensRuns: true,
  positionals: { least: 1, most: 1 },
  options: {
    set: flag.texts("KEY=VALUE", "change the task [the last test of the configuration]"),
    programs: flag.integer("N", "programs that the model reads", {
      default: 200,
      least: 10,
      most: mostPrograms,
    }),
    only: flag.parsed("NAMES", `analyses: ${analysisNames.join(", ")} [all]`, parseNames),
    out: flag.text("DIR", "output folder [RUN/analysis]"),
    seed: seedOption,
  },
  examples: [
    "analyze runs/deltanet",
    "analyze runs/deltanet --set commands=48 --set spacing=4 --programs 400",
    "analyze runs/deltanet --only beta,ablation --json",
  ],
  notes:
    "Writes report.html, analysis.json and figures/*.svg. Programs of the training set are excluded.\n" +
    "More: docs/how-to/analyze.md",

  async run({ positionals: [folder], values, json, print, say, signal }) {
    const { programs, seed, only = analysisNames } = values;
    const progress = progressOn(process.stderr);
    const call = [
      "statelab",
      "analyze",
      shellWord(folder),
      ...values.set.map((each) => `--set ${shellWord(each)}`),
    ];
    if (programs !== 200) call.push(`--programs ${programs}`);
    if (seed !== 0) call.push(`--seed ${seed}`);
    try {
      const { document, page } = await analyseFolder(folder, {
        settings: values.set,
        programs,
        seed,
        only,
        out: values.out,
        onRemark: (sentence) => progress.say(sentence),
        command: call.join(" "),
        async tick(name, done, of) {
          progress.update(name, { step: done, steps: of });
          await new Promise(setImmediate); // lets Ctrl-C interrupt between two runs of the model
          signal.throwIfAborted();
        },
      });
      progress.close();
      if (json) print(JSON.stringify(document));
      else print(page);
      if (document.programs < programs) {
        say(`statelab: the task has only ${document.programs} unseen programs`);
      }
      for (const [name, reason] of Object.entries(document.missing)) say(`statelab: no ${name}: ${reason}`);
      return 0;
    } catch (error) {
      progress.close();
      if (!signal.aborted) throw error;
      say("statelab: stopped; nothing was written");
      return 1;
    }
  },
});

function parseNames(text: string): AnalysisName[] {
  const names = text.split(",").filter((name) => name !== "");
  if (names.length === 0) fail("--only", `names of ${analysisNames.join(", ")}`, text);
  return names.map((name) => parseChoice("--only", name, analysisNames));
}
