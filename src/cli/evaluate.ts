/** @file statelab evaluate: how often a trained model names the revealed value, on programs it has not seen. */

import { join } from "node:path";
import { applySettings } from "../records/config.ts";
import { exitCodes } from "../records/error.ts";
import { textTable } from "../report/text-table.ts";
import { writeFileAtomic } from "../store/index.ts";
import { describeAgreement, nearTie, readAsked, tellReveals } from "../work/run/reveals.ts";
import { natsOf } from "../work/run/tests.ts";
import { askAbout, openTrained } from "../work/run/trained.ts";
import { defineCommand, integerFlag } from "./command.ts";
import { progressOn } from "./progress.ts";

export const command = defineCommand({
  name: "evaluate",
  summary: "ask a trained model about programs it has not seen",
  usage: "evaluate RUN [--set KEY=VALUE ...] [--programs N] [--reveals FILE] [--against DIR]",
  positionals: { least: 1, most: 1 },
  options: {
    set: {
      type: "string",
      multiple: true,
      value: "KEY=VALUE",
      description:
        "change the task, e.g. --set commands=48; without it, the tests of the run's configuration",
    },
    programs: { type: "string", value: "N", description: "programs per test; default as configured" },
    reveals: {
      type: "string",
      value: "FILE",
      description: "write each reveal with its prompt, value, answer and margin, for ask --bench reveals",
    },
    against: {
      type: "string",
      value: "DIR",
      description: "say where the answers differ from those that ask got for the same reveals, in DIR",
    },
  },
  examples: [
    "evaluate runs/deltanet",
    "evaluate runs/deltanet --set commands=48 --set spacing=24 --programs 200",
    "evaluate runs/deltanet --programs 50 --reveals reveals.jsonl",
    "evaluate runs/deltanet --programs 50 --against runs/ask-reveals-deltanet",
  ],
  notes:
    "Writes RUN/evaluation.json. Programs that the run was trained on are passed over.\n" +
    "Exit code 1 with --against where an answer differs whose two best logits are 1e-4 or more apart.\n" +
    "Where chance that nobody sees moves the state: nats a reveal among all tokens, among the values, and of the exact filter.",

  async run({ positionals: [folder], values, json, print, say, signal }) {
    const against = values.against === undefined ? undefined : await readAsked(values.against);
    const run = await openTrained(folder);
    const asked = values.set.length > 0 ? [applySettings({}, values.set)] : run.config.evaluate.tests;
    const tests = asked as readonly Record<string, unknown>[]; // applySettings of {} is an object
    const programs =
      values.programs === undefined
        ? run.config.evaluate.programs
        : integerFlag("--programs", values.programs, 1);
    const results = [];
    const progress = progressOn(process.stderr);
    for (const [i, change] of tests.entries()) {
      progress.update(folder, { step: i, steps: tests.length, note: nameOf(change) });
      await new Promise(setImmediate); // Ctrl-C is heard between two tests
      if (signal.aborted) break;
      const asked = await askAbout(run, change, programs);
      const { hits: _, surprises: __, ...numbers } = asked.evaluation;
      const known = Object.entries(asked.references).map(([name, { accuracy }]) => [name, accuracy] as const);
      const nats = natsOf(asked);
      results.push({ change, ...numbers, references: Object.fromEntries(known), ...(nats && { nats }) });
    }
    progress.close();
    if (results.length < tests.length) {
      say("statelab: stopped; no file was changed, the same command begins again");
      return 1;
    }
    const document = { run: folder, step: run.step, model: run.config.model, results };
    await writeFileAtomic(join(folder, "evaluation.json"), `${JSON.stringify(document, null, 2)}\n`);
    const { reveals } = values;
    const agreement =
      reveals === undefined && against === undefined
        ? undefined
        : await tellReveals(run, tests, programs, { reveals, against, signal });
    const differs = agreement?.differing.some(({ margin }) => margin >= nearTie) ?? false;
    if (json) print(JSON.stringify({ ...document, ...(agreement && { agreement }) }));
    else {
      const names = Object.keys(results[0]?.references ?? {});
      const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
      const priced = results.some(({ nats }) => nats !== undefined);
      const columns = [
        ...["test", "programs", "all reveals", "last reveal", ...names.map(spaced)],
        ...(priced ? ["nats a reveal", "among values", "exact filter"] : []),
      ];
      const rows = results.map(({ change, programs: count, accuracy, accuracyLast, references, nats }) => [
        nameOf(change),
        count,
        ...[accuracy, accuracyLast, ...names.map((name) => references[name])].map((share) =>
          count === 0 ? "\u2013" : percent(share),
        ),
        ...(priced
          ? [nats?.vocabulary, nats?.values, nats?.exact].map((paid) =>
              count === 0 ? "\u2013" : paid?.toFixed(3),
            )
          : []),
      ]);
      print(textTable({ columns, rows }));
      if (agreement !== undefined) print(`\n${describeAgreement(agreement)}`);
    }
    if (results.some((result) => result.programs < programs)) {
      say("statelab: the task has too few different programs; fewer were asked than wanted");
    }
    return differs ? exitCodes.finishedWithFailures : exitCodes.ok;
  },
});

/** `commands 48, spacing 24`. */
function nameOf(change: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(change).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  return parts.join(", ") || "as configured";
}

/** `windowedBayes` is "windowed Bayes". */
function spaced(name: string): string {
  return name
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter}`)
    .replaceAll(/ (?!Bayes)[A-Z]/g, (part) => part.toLowerCase());
}
