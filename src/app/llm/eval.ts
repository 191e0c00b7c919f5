/** @file Evaluation of a language model: brings a benchmark, its data and an endpoint together. */

import { join } from "node:path";
import { parseChoice } from "../../core/did-you-mean.ts";
import { fail, Words } from "../../core/error.ts";
import type { ProgressDisplay } from "../../core/progress.ts";
import { applySettings, parseWith } from "../../core/settings.ts";
import { benchNamed } from "../../eval/benchmarks/index.ts";
import { taskBench } from "../../eval/benchmarks/task-benchmark.ts";
import type { Endpoint } from "../../eval/endpoints/endpoint.ts";
import { promptTemplate } from "../../eval/prompt.ts";
import type { Bench, Predict, PromptForm } from "../../eval/question.ts";
import { mappedRow, parseColumns } from "../../python/benchmarks/columns.ts";
import type { EvalConfig } from "../../schemas/eval-config.ts";
import { TracedRow } from "../../schemas/trace.ts";
import { readInput, sha256 } from "../../storage/index.ts";
import { type Task, taskNamed } from "../../tasks/index.ts";
import { dataPath, readJsonLines, readRows } from "../data/files.ts";
import { isModulePath, loadModule } from "../own-code/load.ts";
import { checkEndpoint, openEndpoint, priceOf, samplingOf } from "./endpoint.ts";
import { type EvalOptions, type EvalResult, runEval } from "./run.ts";
import { openSandbox } from "./sandbox.ts";

export interface EvalRequest {
  /** One model, but for `askSeveral`. */
  readonly config: EvalConfig;
  /** A benchmark of your own, in place of `config.bench`. */
  readonly bench?: Bench;
  /** Answers in place of the configured endpoint. */
  readonly endpoint?: Endpoint;
  readonly signal: AbortSignal;
  readonly progress: ProgressDisplay;
}

/** @throws LabError for invalid settings or files; every answer is kept all the same */
export async function evaluateBenchmark(
  order: EvalRequest,
): Promise<EvalResult & { readonly folder: string }> {
  return withEval(order, async (run) => ({ ...(await runEval(run)), folder: run.folder }));
}

/** The benchmark of an order and what is asked of it. */
async function askedOf({ config, bench: own }: Pick<EvalRequest, "config" | "bench">) {
  const bench = own ?? (await chosenBench(config.bench, config.task));
  const { arms, settings } = armsOf(bench, config);
  const predict = chosen("--predict", config.predict.length > 0 ? config.predict : ["output"], bench.predict);
  return { bench, arms, settings, predict };
}

/** The arms that --arm names, or the setting by which the benchmark has them. */
function armsOf({ arms, armSetting }: Bench, { arms: given, settings }: EvalConfig) {
  const words = given.flatMap((each) => each.split(",")).map((word) => word.trim());
  if (armSetting === undefined || words.every((word) => arms.some((arm) => arm === word)))
    return { arms: chosen("--arm", given, arms), settings };
  return { arms: arms.slice(0, 1), settings: [...settings, `${armSetting}=${JSON.stringify(words)}`] };
}

/** The words of a repeatable flag, each one of `known`; without any the first of these. */
function chosen<const T extends string>(name: string, given: readonly string[], known: readonly T[]): T[] {
  const words = given.flatMap((each) => each.split(","));
  return words.length === 0
    ? [known[0]]
    : [...new Set(words.map((word) => parseChoice(name, word.trim(), known)))];
}

/** Checks an order without opening its data or asking. @throws LabError naming the flag */
export async function checkOrder(order: EvalRequest): Promise<void> {
  await askedOf(order);
  samplingOf(order.config);
  for (const model of order.config.models.length === 0 ? [undefined] : order.config.models) {
    const config = { ...order.config, models: model === undefined ? [] : [model] };
    checkEndpoint(config);
    await priceOf(config);
  }
}

/** Opens everything that an evaluation needs, and closes it at the end. */
export async function withEval<T>(order: EvalRequest, use: (run: EvalOptions) => Promise<T>): Promise<T> {
  const { config, signal, progress } = order;
  await checkOrder(order);
  const price = await priceOf(config);
  const { input, ...questions } = await openQuestions(order);
  const asking = await openEndpoint(config, (words) =>
    progress.say(`statelab: changed later requests: ${words}`),
  );
  const sandbox = await openSandbox(config.host, signal);
  const folder = config.folder ?? folderOf(questions.bench, asking.model);
  try {
    return await use({
      ...{ config, folder, sandbox, signal, progress },
      ...questions,
      ...asking,
      ...(order.endpoint && { endpoint: order.endpoint }),
      ...(price && { price }),
      input: { ...input, protocol: asking.protocol },
    });
  } finally {
    await sandbox.close();
    await asking.connection?.close();
  }
}

/** The benchmark with its parameters and data, from which `bench.prepare(params, input)` makes the questions. */
export async function openQuestions(order: Pick<EvalRequest, "config" | "bench">) {
  const { config } = order;
  const { bench, arms, predict, settings } = await askedOf(order);
  const sampling = samplingOf(config);
  const { maximumTokens } = sampling;
  const params = parseWith(bench.params, applySettings({}, settings), bench.name);
  const { traces, checksum: tracesChecksum } = await readTraces(config.traces);
  const { rows, checksum } = await benchData(bench, config.data, config.columns);
  const { form, sum } = formOf(bench, predict, config);
  const { style, scoring, seed } = config;
  return {
    ...{ bench, params },
    input: { ...{ arms, predict, style, scoring, seed, rows, traces, maximumTokens, form } },
    parameters: {
      ...sampling,
      maximumTokens: maximumTokens ?? bench.replyTokens?.(params, rows) ?? (style === "cot" ? 2000 : 300),
      stop: bench.stop,
    },
    checksums: { data: checksum, traces: tracesChecksum, prompt: sum },
  };
}

const upstreamHint = "Put prompts.py of CRUXEval's repository (MIT) at data/cruxeval/prompts.py";

function formOf(
  bench: Bench,
  predict: readonly Predict[],
  { shots, prompt, style }: EvalConfig,
): {
  readonly form: PromptForm;
  readonly sum: string | null;
} {
  if (bench.fixedPrompt && (shots !== undefined || prompt !== undefined))
    fail("--prompt and --few-shot", "another benchmark", bench.name, "Its prompt is fixed");
  const form = { ...(shots !== undefined && { shots }) };
  if (prompt === undefined) return { form, sum: null };
  const path = prompt === "upstream" ? dataPath(undefined, "cruxeval/prompts.py", [], upstreamHint) : prompt;
  const bytes = readInput(path);
  const template = promptTemplate(bytes.toString("utf8"), path);
  for (const each of predict) template(style, each); // fails on a missing prompt before anything is asked
  return { form: { ...form, template }, sum: sha256(bytes) };
}

export const folderOf = (bench: Bench, model = "scripted") =>
  join("runs", slug(`llm-${bench.name}-${model}`));

/** A model's name as the name of a folder. */
export const slug = (name: string) => name.replaceAll(/[^\w.-]+/g, "-");

/** @throws LabError where neither or both are named, or one is unknown. */
export async function chosenBench(
  bench: string | undefined,
  task: string | undefined,
): Promise<Bench<unknown>> {
  if (bench !== undefined && task !== undefined) fail("--bench, --task", "one of the two", new Words("both"));
  if (bench !== undefined) return benchNamed(bench);
  if (task === undefined)
    return fail(
      "--bench",
      "--bench NAME or --task FILE",
      new Words("neither"),
      "See statelab list benchmarks",
    );
  // The fields of a file's task were checked while it was loaded.
  return taskBench(isModulePath(task) ? ((await loadModule("task", task)) as Task) : taskNamed(task));
}

/**
 * The rows of the bench's file, and its checksum; of a bench that makes its programs itself there is none. `columns`: what
 * the fields of functions are called in a file of one's own (src/python/benchmarks/columns.ts).
 */
export async function benchData({ name, data }: Bench, named: string | undefined, columns?: string) {
  if (columns !== undefined && name !== "functions") fail("--fields", "--bench functions", name);
  if (data === undefined) return { rows: [], checksum: null };
  const path =
    data.place === undefined
      ? (named ?? fail("--data", "the file of the benchmark", new Words("none"), data.hint))
      : dataPath(named, data.place, [], data.hint);
  const own = columns === undefined ? undefined : parseColumns(columns);
  const { rows, checksum } = await readRows(path, (value, at, index) =>
    data.row(own === undefined ? value : mappedRow(value, own, at), at, index),
  );
  // Read by other columns it is other data.
  return { rows, checksum: own === undefined ? checksum : sha256(Buffer.from(`${checksum} ${columns}`)) };
}

/** Traces by the id of their call. */
export async function readTraces(path: string | undefined) {
  if (path === undefined) return { traces: null, checksum: null };
  const { rows, checksum } = await readJsonLines(path, TracedRow);
  return { traces: new Map(rows.map(({ id, trace }) => [id, trace])), checksum };
}
