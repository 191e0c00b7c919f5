/** @file statelab ask: asks a language model what programs do, and says how often and where it is right. */

import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { type EvalRequest, evaluateBenchmark } from "../app/llm/eval.ts";
import { evaluateModels, type MultiModelResults } from "../app/llm/multi-model.ts";
import { type EvalReplay, replayEval } from "../app/llm/replay.ts";
import type { EvalResult } from "../app/llm/run.ts";
import { exitCodes, fail } from "../core/error.ts";
import { benchNames } from "../eval/benchmarks/index.ts";
import { arms, styles } from "../eval/question.ts";
import { listFailures } from "../executors/supervise.ts";
import { askTable } from "../report/ask.ts";
import { missingPolicies } from "../schemas/eval.ts";
import { EvalConfig } from "../schemas/eval-config.ts";
import { askedText } from "./compare.ts";
import { defineCommand, type Invocation } from "./lib/command.ts";
import {
  costOptions,
  endpointConfig,
  endpointOptions,
  reportTally,
  samplingOptions,
} from "./lib/endpoint.ts";
import { engineOptions, type Stand, shareOption, standOf } from "./lib/executor.ts";
import { flag, sandboxOptions, seedOption, setOption, type Values } from "./lib/flags.ts";
import { progressOn } from "./lib/progress.ts";

const usual = EvalConfig.parse({});

const evalOptions = {
  bench: flag.text("NAME", `one of ${benchNames.join(", ")}`),
  task: flag.text("NAME", "instead of a bench: a task, built in or your own (./mine.ts)"),
  arm: flag.texts("ARM", `how programs are shown: ${arms.join(", ")}; may be repeated`),
  predict: flag.texts("WHAT", "output (default) or input; may be repeated"),
  style: flag.choice("STYLE", "direct, or cot: a chain of thought before the answer", styles, {
    default: usual.style,
  }),
  shots: flag.integer("N", "worked examples in a prompt; default 2", { least: 0 }),
  prompt: flag.text(
    "FILE",
    "the prompt in your own words; upstream: CRUXEval's, of its prompts.py (docs/asking.md)",
  ),
  scoring: flag.choice("RULES", "strict, or upstream: as CRUXEval's evaluator", ["strict", "upstream"], {
    default: usual.scoring,
  }),
  missing: flag.choice(
    "POLICY",
    "what an answer that ran out of tokens is: wrong, excluded, or both are shown",
    missingPolicies,
    { default: usual.missing },
  ),
  ...costOptions,
  set: { ...setOption, description: "a parameter of the bench, e.g. --set programs=50; may be repeated" },
  data: flag.text(
    "FILE",
    "cruxeval.jsonl, mbpp.jsonl (default: the imported one, or below STATELAB_DATA), or a file of evaluate --reveals",
  ),
  columns: flag.text(
    "FIELD=COLUMN,...",
    "of --bench functions: where code, input and output stand in your file (function_name, id, too)",
  ),
  traces: flag.text("FILE", "traces.jsonl of `data trace`: for the traced arm, and for accuracy by steps"),
  samples: flag.integer("N", "answers per program, for pass@k", { default: usual.samples, least: 1 }),
  ...samplingOptions(
    "the longest reply; default 300, with cot 2000, for s5 by its commands, for reveals as the value",
    "a seed for the server, plus the sample's index",
  ),
  ...endpointOptions,
  out: flag.text(
    "DIR",
    "where everything is written; default runs/ask-BENCH-MODEL; of several models DIR/MODEL",
  ),
  seed: seedOption,
  ...sandboxOptions,
};

/** The evaluation that the flags describe. */
function evalConfig(values: Values<typeof evalOptions>): EvalConfig {
  const { bench, task, predict, style, shots, prompt, scoring, missing, data, columns, traces } = values;
  const { samples, seed, host } = values;
  return EvalConfig.parse({
    ...endpointConfig(values),
    ...{ bench, task, predict, style, shots, prompt, scoring, missing, data, columns, traces },
    ...{ samples, seed, host, settings: values.set, arms: values.arm, folder: values.out },
  });
}

export const command = defineCommand({
  name: "ask",
  summary: "ask a language model what programs do",
  usage:
    "ask --bench NAME --base-url URL --model NAME ... [--arm ARM ...] [--predict output|input ...] [--out DIR]",
  locks: true,
  options: {
    ...evalOptions,
    replay: flag.toggle(
      "ask nothing: compute every sample and number again from the answers, and name what differs",
    ),
    ...shareOption(500, "answers"),
    ...engineOptions,
  },
  examples: [
    "ask --bench cruxeval --base-url http://localhost:8000/v1 --model NAME",
    "ask --bench cruxeval --arm function --arm traced --traces data/cruxeval-traces/traces.jsonl --base-url http://localhost:8000/v1 --model NAME",
    "ask --bench s5 --set commands='[8, 16]' --protocol ollama --base-url http://localhost:11434 --model NAME",
    "ask --bench reveals --data reveals.jsonl --protocol completion --base-url http://127.0.0.1:8000/v1 --model NAME",
    "ask --bench parity --endpoint scripted:answers.jsonl",
    "ask --bench functions --data mine.parquet --columns code=source,input=args,output=result --base-url URL --model NAME",
    "ask --bench cruxeval --base-url http://localhost:8000/v1 --model ONE --model ANOTHER --out runs/two",
    "ask --bench cruxeval --base-url http://head:8000/v1 --model NAME --on redis://head:6379 --at-most 4 --per-minute 600",
    "ask --task ./mine.ts --set commands=8 --base-url http://localhost:8000/v1 --model NAME",
  ],
  notes:
    "Writes DIR/answers.jsonl as answers come, then samples.jsonl, results.json and report.html.\n" +
    "The same command goes on where it was stopped: no answer that was kept is asked for again.\n" +
    "Each line of answers.jsonl holds the hash of the one before; a changed byte is named, and --replay computes the rest again (3).\n" +
    "Exit codes: 1 some samples have no answer, 5 the endpoint is unavailable, 6 no sandbox to run answers in.",

  async run({ values, json, print, say, signal }) {
    const config = evalConfig(values);
    const order: EvalRequest = { config, signal, progress: progressOn(process.stderr) };
    const folder = config.folder ?? "the asking";
    if (values.replay && values.on !== undefined) fail("--replay", "this machine, without --on", values.on);
    const stand = await standOf("ask", values, { folder, unit: "shares", say, signal });
    if (stand !== undefined) return askOnEngine(order, values.share, stand, { json, print, say });
    const several = config.models.length > 1;
    const asking = async () => {
      if (values.replay) {
        if (several) fail("--replay", "one model", String(config.models.length));
        return replayed(await replayEval(order), json, print);
      }
      return several
        ? reportSeveral(await evaluateModels(order), json, print, say)
        : report(await evaluateBenchmark(order), json, print, say);
    };
    return asking().catch((error) => {
      if (signal.aborted) say("statelab: stopped; every answer so far is kept, the same command goes on");
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
  if (models.length > 1) fail("ask", "one --model with --on", `${models.length} of them`);
  if (budget !== undefined)
    fail("ask", "--on without --budget", "both", "No task knows what the others have spent");
  if (stand.engine.ownFilesOnly) refuseLocalFiles(order.config);
  const { evaluateSharded: askOn } = await import("../app/llm/sharded.ts");
  const { states, end } = await askOn(order, { ...stand, size }).finally(() => stand.close());
  for (const words of new Set(listFailures(states))) say(`statelab: a share failed: ${words}`);
  if (end !== undefined) return report(end, json, print, say);
  return listFailures(states).length > 0 && states.every(({ kind }) => kind === "done" || kind === "failed")
    ? 1
    : stand.unfinished(json, print);
}

/** An object store carries only the asking's folder: workers read other files by their own paths. */
function refuseLocalFiles(config: EvalConfig): void {
  for (const name of ["task", "prompt", "data", "traces", "prices"] as const) {
    const value = config[name];
    if (value !== undefined && !isAbsolute(value) && existsSync(value))
      fail(`--${name}`, "with --objects an absolute path that every machine has", value);
  }
}

type Words = (text: string) => void;

function replayed(replay: EvalReplay, json: boolean, print: Words): number {
  const { folder, answers, samples } = replay;
  print(
    json
      ? JSON.stringify(replay)
      : `${folder}: ${answers} answers, ${samples} samples: computed again, nothing differs`,
  );
  return exitCodes.ok;
}

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
    lost: "what the endpoint did not deliver is in no figure; the same command asks for it again",
  });
