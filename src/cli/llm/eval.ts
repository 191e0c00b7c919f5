/** @file statelab llm eval: asks a language model what programs do, and says how often and where it is right. */

import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { type EvalRequest, evaluateBenchmark } from "../../app/llm/eval.ts";
import { evaluateModels, type MultiModelResults } from "../../app/llm/multi-model.ts";
import type { EvalResult } from "../../app/llm/run.ts";
import { exitCodes, fail } from "../../core/error.ts";
import { askTable } from "../../report/ask.ts";
import type { EvalConfig } from "../../schemas/eval-config.ts";
import { askedText } from "../compare.ts";
import { defineCommand, type Invocation } from "../lib/command.ts";
import { reportTally } from "../lib/endpoint.ts";
import { evalConfig, evalOptions } from "../lib/eval.ts";
import { engineOptions, type Stand, shareOption, standOf } from "../lib/executor.ts";
import { progressOn } from "../lib/progress.ts";

export const command = defineCommand({
  name: "llm eval",
  summary: "evaluate a language model on programs",
  usage: "llm eval --bench NAME --base-url URL --model NAME [OPTIONS]",
  locks: true,
  options: {
    ...evalOptions,
    ...shareOption(500, "answers"),
    ...engineOptions,
  },
  examples: [
    "llm eval --bench cruxeval --base-url http://localhost:8000/v1 --model NAME",
    "llm eval --bench s5 --set commands='[8, 16]' --protocol ollama --base-url http://localhost:11434 --model NAME",
    "llm eval --bench parity --answers answers.jsonl",
  ],
  notes:
    "Writes DIR/answers.jsonl as answers arrive, then samples.jsonl, results.json and report.html. Run the same command again to continue; saved answers are not requested twice.\n" +
    "Exit codes: 1 answers are missing, 5 server unavailable, 6 no sandbox.\n" +
    "More: docs/how-to/evaluate-llm.md",

  async run({ values, json, print, say, signal }) {
    const config = evalConfig(values);
    const order: EvalRequest = { config, signal, progress: progressOn(process.stderr) };
    const folder = config.folder ?? "the evaluation";
    const stand = await standOf("llm eval", values, { folder, unit: "shares", say, signal });
    if (stand !== undefined) return askOnEngine(order, values["shard-size"], stand, { json, print, say });
    const asking = async () =>
      config.models.length > 1
        ? reportSeveral(await evaluateModels(order), json, print, say)
        : report(await evaluateBenchmark(order), json, print, say);
    return asking().catch((error) => {
      if (signal.aborted)
        say("statelab: stopped; answers so far are saved. Run the same command again to continue");
      throw error;
    });
  },
});

/** Asks by the tasks of an executor. */
async function askOnEngine(
  order: EvalRequest,
  size: number,
  stand: Stand,
  { json, print, say }: Pick<Invocation, "json" | "print" | "say">,
): Promise<number> {
  const { models, budget } = order.config;
  if (models.length > 1) fail("llm eval", "one --model with --executor", `${models.length} of them`);
  if (budget !== undefined)
    fail("llm eval", "--executor without --budget", "both", "Tasks do not share a budget");
  if (stand.engine.ownFilesOnly) refuseLocalFiles(order.config);
  const { evaluateSharded: askOn } = await import("../../app/llm/sharded.ts");
  const { result } = await askOn(order, { ...stand, size }).finally(() => stand.close());
  return result === undefined ? stand.unfinished(json, print) : report(result, json, print, say);
}

/** An object store carries only the asking's folder: workers read other files by their own paths. */
function refuseLocalFiles(config: EvalConfig): void {
  for (const name of ["task", "prompt", "data", "traces", "prices"] as const) {
    const value = config[name];
    if (value !== undefined && !isAbsolute(value) && existsSync(value))
      fail(`--${name}`, "with --object-store an absolute path that every machine has", value);
  }
}

type Words = (text: string) => void;

function report({ tally, results, words }: EvalResult, json: boolean, print: Words, say: Words): number {
  if (json) print(JSON.stringify({ asked: tally, results: results ?? null }));
  else if (results !== undefined) print(askTable(results));
  return said({ tally, words }, say);
}

/** Each model, then all against the first. */
function reportSeveral(
  { models, comparisons, uncompared }: MultiModelResults,
  json: boolean,
  print: Words,
  say: Words,
): number {
  const codes = models.map(({ model, end }) => {
    if (end === undefined) return exitCodes.finishedWithFailures;
    if (!json && end.results !== undefined) print(`${model}, in ${end.folder}\n${askTable(end.results)}\n`);
    say(`statelab: ${model}:`);
    return said(end, say);
  });
  if (json) {
    const asked = models.map(({ model, end }) => ({
      ...{ model, folder: end?.folder ?? null, asked: end?.tally ?? null, results: end?.results ?? null },
    }));
    print(JSON.stringify({ models: asked, comparisons }));
  } else if (comparisons.length > 0) print(askedText(comparisons));
  if (uncompared !== undefined) say(`statelab: not compared: ${uncompared}`);
  return codes.find((code) => code === exitCodes.endpoint) ?? Math.max(...codes);
}

const said = (end: Pick<EvalResult, "tally" | "words">, say: Words) =>
  reportTally(end, say, {
    lost: "unanswered samples count in no result; run the same command again to request them",
  });
