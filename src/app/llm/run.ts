/** @file One evaluation of a model: questions, log of answers, verdicts, results, report. */

import { rmSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "../../core/error.ts";
import { jsonText } from "../../core/json.ts";
import type { ProgressDisplay } from "../../core/progress.ts";
import { rngFrom } from "../../core/rng.ts";
import { ask, type Tally } from "../../eval/ask.ts";
import type { ApiErrorKind, Endpoint, Parameters } from "../../eval/endpoints/endpoint.ts";
import { pacer, sleep } from "../../eval/endpoints/rate-limit.ts";
import { collectSpeeds, type Tokens, tokenCost } from "../../eval/endpoints/usage.ts";
import type { Bench, BenchInput } from "../../eval/question.ts";
import { collectResults, denominatorWords } from "../../eval/results.ts";
import { judgeSamples } from "../../eval/scoring/score-samples.ts";
import { askReport, failuresShown, speedWords } from "../../report/ask.ts";
import type { AskResults, SampleRecord } from "../../schemas/eval.ts";
import type { EvalConfig, Price } from "../../schemas/eval-config.ts";
import { type Lock, lockFolder, openLog, syncFolder, writeFileAtomic } from "../../storage/index.ts";
import { openAnswerLog } from "./log.ts";
import type { Sandbox } from "./sandbox.ts";

export interface EvalOptions {
  readonly config: EvalConfig;
  readonly folder: string;
  readonly bench: Bench;
  readonly params: unknown;
  readonly input: BenchInput;
  readonly parameters: Parameters;
  readonly endpoint: Endpoint;
  /** Shown, and part of every answer's key; has no API key in it. */
  readonly endpointName: string;
  readonly protocol: string;
  readonly model: string;
  readonly checksums: {
    readonly data: string | null;
    readonly traces: string | null;
    readonly prompt: string | null;
  };
  readonly price?: Price;
  readonly sandbox: Sandbox;
  readonly signal: AbortSignal;
  readonly progress: ProgressDisplay;
}

export interface EvalResult {
  readonly tally: Tally;
  /** undefined where trouble was fatal or nothing was answered: then no file but the log was written. */
  readonly results: AskResults | undefined;
  /** The first words of each kind of trouble. */
  readonly words: Partial<Record<ApiErrorKind, string>>;
}

export async function runEval(run: EvalOptions): Promise<EvalResult> {
  const { config, folder, bench, params, input, parameters, endpoint, signal, progress } = run;
  const { samples, atMost, perMinute = Number.POSITIVE_INFINITY, maximumRetries, backOffUnit } = config;
  const questions = bench.prepare(params, input);
  const lock = await lockFolder(folder, "lock");
  const answers = await openAnswerLog(join(folder, "answers.jsonl"), lock).catch((error) => {
    lock.release();
    throw error;
  });
  const identity = evalIdentity(run);
  const words: Partial<Record<ApiErrorKind, string>> = {};
  const lost = new Set<string>();
  if (samples > 1 && parameters.temperature === 0)
    progress.say(
      `statelab: ${samples} samples at temperature 0 are ${samples} times the same answer; give --temperature`,
    );
  try {
    const now = () => performance.now();
    const began = now();
    const tally = await ask({
      ...{ questions, samples, parameters, identity, answers, signal },
      ...{ endpoint, atMost, maximumRetries, backOffUnit },
      rng: rngFrom(input.seed).fork("back-off"),
      pace: pacer(perMinute, now, sleep),
      onProgress: (tally) => progress.update("asking", formatProgress(tally, (now() - began) / 1000)),
      onTrouble: (sample, kind, text) => {
        words[kind] ??= text;
        lost.add(sample);
      },
      ...evalBudget(config.budget, run.price),
      onWait: reportWaits(progress, now),
    });
    progress.end("asking", formatSummary(tally));
    if (tally.ended !== undefined || (tally.answered === 0 && tally.samples > 0))
      return { tally, results: undefined, words };
    const results = await writeResults(run, lock, questions, identity, answers, tally, lost, (step) =>
      progress.update("judging", { step, steps: tally.answered }),
    );
    if (results.speed !== null) progress.say(`statelab: ${speedWords(results.speed)}`);
    return { tally, results, words };
  } finally {
    progress.close();
    await answers.close();
    lock.release();
  }
}

/** The part of every answer's key that is not the question or its parameters. */
export const evalIdentity = ({ protocol, endpointName, model, checksums }: EvalOptions): string[] => [
  ...[protocol, endpointName, model],
  ...[checksums.data ?? "", checksums.traces ?? ""],
];

/** Judges every answer and writes samples.jsonl, results.json and the report. */
async function writeResults(
  run: EvalOptions,
  lock: Lock,
  questions: ReturnType<Bench["prepare"]>,
  identity: readonly string[],
  answers: Awaited<ReturnType<typeof openAnswerLog>>,
  tally: Tally,
  lost: ReadonlySet<string>,
  onProgress: (done: number) => void,
): Promise<AskResults> {
  const { folder, config, parameters, input, sandbox, signal } = run;
  const { samples, missing } = config;
  const collected = collectResults(samples, missing);
  const told = { servedModels: {}, finishes: {}, adapted: new Set<string>() };
  const tokens = { prompt: 0, reply: 0, counted: 0 };
  const speeds = collectSpeeds();
  const failures = new Map<string, SampleRecord[]>();
  const shownEach = Math.ceil(failuresShown / (input.arms.length * input.predict.length));
  const path = join(folder, "samples.jsonl");
  const temporary = `${path}.tmp`;
  lock.check();
  rmSync(temporary, { force: true });
  const file = openLog(temporary);
  let done = 0;
  try {
    const judging = { questions, samples, parameters, identity, answers, signal };
    for await (const judged of judgeSamples({
      ...judging,
      execute: sandbox.execute,
      atMost: sandbox.maxParallel,
    })) {
      if (judged.kind === "unanswered") {
        collected[lost.has(judged.name) ? "unanswered" : "notAsked"](judged.question);
        continue;
      }
      file.append(judged.sample);
      collected.add(judged.sample);
      for (const answer of judged.kept) {
        const { model, finish, adapted = [], promptTokens, replyTokens } = answer;
        speeds.add(answer);
        tokens.prompt += promptTokens ?? 0;
        tokens.reply += replyTokens ?? 0;
        if (promptTokens !== null && replyTokens !== null) tokens.counted++;
        if (model !== undefined) tallied(told.servedModels, model);
        tallied(told.finishes, finish ?? "none");
        for (const each of adapted) told.adapted.add(each);
      }
      if (judged.sample.verdict !== "correct") {
        const { arm, predict } = judged.sample;
        const own = failures.get(`${arm}/${predict}`) ?? [];
        if (own.length < shownEach) failures.set(`${arm}/${predict}`, [...own, judged.sample]);
      }
      onProgress(++done);
    }
    file.sync();
  } finally {
    file.close();
  }
  lock.check();
  await rename(temporary, path);
  await syncFolder(folder);
  const arms = collected.arms();
  const results: AskResults = {
    version: 1,
    missing,
    tokens,
    cost: costsOf(tokens, run.price),
    speed: speeds.result(),
    denominator: denominatorWords(missing, arms, tally.left),
    bench: run.bench.name,
    params: run.params as Record<string, unknown>, // every bench's schema is an object
    ...{ endpoint: run.endpointName, protocol: run.protocol, model: run.model },
    ...{
      servedModels: sorted(told.servedModels),
      finishes: sorted(told.finishes),
      adapted: [...told.adapted].sort(),
    },
    ...{ style: input.style, scoring: input.scoring, samples, seed: input.seed },
    parameters: { ...parameters, stop: [...parameters.stop] },
    ...{ ...run.checksums, shots: input.form?.shots ?? null },
    ...(questions.references !== undefined && { references: questions.references() }),
    arms,
    pairs: collected.pairs(),
    excluded: [...questions.excluded],
    left: tally.left,
  };
  await writeFileAtomic(
    join(folder, "results.json"),
    `${jsonText(results, join(folder, "results.json"), 2)}\n`,
    lock,
  );
  const page = askReport(results, [...failures.values()].flat());
  await writeFileAtomic(join(folder, "report.html"), page, lock);
  return results;
}

export function evalBudget(most: number | undefined, price: Price | undefined) {
  if (most === undefined) return {};
  if (price === undefined) return fail("--budget", "a price: --price or --prices", "none");
  return { budget: { most, cost: (reply: Tokens) => tokenCost(reply, price) } };
}

function costsOf(
  tokens: { readonly prompt: number; readonly reply: number },
  price: Price | undefined,
): AskResults["cost"] {
  const total = price && tokenCost({ promptTokens: tokens.prompt, replyTokens: tokens.reply }, price);
  return price === undefined || total == null ? null : { ...price, total };
}

export function tallied(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** Independent of the order in which answers arrived. */
export const sorted = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));

/** Prints why requests are delayed: once per long wait, at most every 30 s. */
export function reportWaits(progress: ProgressDisplay, now: () => number) {
  let until = Number.NEGATIVE_INFINITY;
  let saidAt = Number.NEGATIVE_INFINITY;
  return (kind: ApiErrorKind, seconds: number, words: string) => {
    const at = now() / 1000;
    if (seconds < longWait || (at - saidAt < 30 && at + seconds < until + longWait)) return;
    [saidAt, until] = [at, at + seconds];
    progress.say(`statelab: waiting ${Math.ceil(seconds)} s before the next request: ${kind}: ${words}`);
  };
}

/** Shorter waits, in seconds, are not reported. */
const longWait = 2;

export function formatProgress({ samples, answered, requests, retries, kept, left }: Tally, seconds: number) {
  const errors = Object.values(left).reduce((sum, count) => sum + count, 0);
  const rate = requests / Math.max(seconds, 1e-3);
  const done = answered + errors;
  const secondsLeft = done > kept ? ((samples - done) * seconds) / (done - kept) : undefined;
  const note = [`${rate.toFixed(1)} requests/s`, `${retries} retries`, `${errors} errors`].join("  ");
  return { step: done, steps: samples, note, secondsLeft };
}

const whyStopped = {
  budget: "; the budget is spent, so no more requests were sent",
  "unknown cost": "; the server counts no tokens, so the cost is unknown and no more requests were sent",
} as const;

export function formatSummary(tally: Tally): string {
  const { samples, answered, kept, requests, retries, left, spent, stopped } = tally;
  const cost =
    spent === undefined
      ? ""
      : `; spent ${spent.toFixed(4)}${stopped === undefined ? "" : whyStopped[stopped]}`;
  const errors = Object.entries(left).map(([kind, count]) => `${count} ${kind}`);
  const without = errors.length === 0 ? "" : `; without an answer: ${errors.join(", ")}`;
  return `${answered} of ${samples} answered (${kept} cached); ${requests} requests, ${retries} of them retries${without}${cost}`;
}
