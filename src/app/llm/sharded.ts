/**
 * @file An evaluation by an executor: every task asks one share of the samples. When all tasks have ended, one process merges their
 * answers into its log, judges them without further requests, and writes the usual files.
 *
 *     DIR/answers.jsonl                     earlier answers; tasks only read it
 *     DIR/shares/500-999/answers.jsonl      answers of this share
 *                        asked.json         written at the end: number of requests, errors of the endpoint
 *
 * Each of N concurrent tasks gets 1/N of the requests a minute.
 */

import { existsSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { z } from "zod";
import { fail } from "../../core/error.ts";
import { rngFrom } from "../../core/rng.ts";
import { ask } from "../../eval/ask.ts";
import { type ApiErrorKind, trouble, troubles } from "../../eval/endpoints/endpoint.ts";
import { pacer, sleep } from "../../eval/endpoints/rate-limit.ts";
import type { JobHandler } from "../../executors/execute-task.ts";
import { shareFiles } from "../../executors/job-outputs.ts";
import { runSharded, type Sharded } from "../../executors/sharded.ts";
import {
  listFailures,
  type Piece,
  type PieceState,
  type Share,
  type SuperviseOptions,
  sharesOf,
} from "../../executors/supervise.ts";
import { EvalConfig } from "../../schemas/eval-config.ts";
import { type Lock, lockFolder, readRecord, writeFileAtomic } from "../../storage/index.ts";
import { type EvalRequest, withEval } from "./eval.ts";
import { answersSoFar, openAnswerLog } from "./log.ts";
import {
  type EvalOptions,
  type EvalResult,
  evalIdentity,
  formatProgress,
  reportWaits,
  runEval,
} from "./run.ts";

interface AskOnOptions extends SuperviseOptions {
  /** Tasks at the same time. */
  readonly maxWorkers: number;
  /** Samples in a share. */
  readonly size: number;
}

export function evaluateSharded(
  order: EvalRequest,
  { size, ...options }: AskOnOptions,
): Promise<Sharded<EvalResult & { readonly folder: string }>> {
  const config = taskConfig(order.config, options.maxWorkers);
  return withEval(order, (run) => {
    const { folder } = run;
    const path = join(folder, shareFiles.answers);
    let kept = 0;
    const work = {
      ...{ home: folder, lock: shareFiles.askLock, unit: "shares" },

      async split() {
        const from = relative(resolve(folder), process.cwd()) || ".";
        const { left, before } = await leftIn(run, path, size);
        kept = before;
        return left.map(
          ({ first, last, name }): Piece => ({
            folder: join(folder, shareFiles.all, name),
            work: { kind: "llm-eval", config, from, first, last },
          }),
        );
      },

      async merge(pieces: readonly Piece[], states: readonly PieceState[], lock: Lock) {
        const log = await openAnswerLog(path, lock);
        try {
          for (const piece of pieces) {
            const own = await answersSoFar(join(piece.folder, shareFiles.answers));
            for (const key of own.keys()) if (log.get(key) === undefined) log.keep(own.get(key)!);
            own.close();
          }
        } finally {
          await log.close();
        }
        if (listFailures(states).length > 0) return undefined;
        const hint = "Delete its folder and run the command again";
        const asked = await Promise.all(
          pieces.map((piece) => readRecord(join(piece.folder, askedFile), AskedShare, hint)),
        );
        await rm(join(folder, shareFiles.all), { recursive: true, force: true });
        lock.release();
        return { ...(await judged(run, asked, kept)), folder };
      },
    };
    return runSharded(work, options);
  });
}

/** The configuration of a task: its part of the requests a minute; the task's folder is given apart. */
function taskConfig({ folder: _, perMinute, ...config }: EvalConfig, maxWorkers: number): EvalConfig {
  const own = perMinute === undefined ? undefined : Math.floor(perMinute / maxWorkers);
  if (own !== undefined && own < 1)
    fail("--per-minute", `at least one for each of --max-workers ${maxWorkers}`, String(perMinute));
  return EvalConfig.parse({ ...config, perMinute: own });
}

/** The shares in which a sample has not all its answers, and how many samples have. */
async function leftIn(run: EvalOptions, path: string, size: number) {
  const { bench, params, input, parameters, signal } = run;
  const { samples } = run.config;
  const questions = bench.prepare(params, input);
  const answers = await answersSoFar(path);
  try {
    const shares = sharesOf(questions.count * samples, size);
    const left: Share[] = [];
    let before = 0;
    for (const share of shares) {
      const { answered } = await ask({
        ...{ questions, samples, only: share, parameters, identity: evalIdentity(run), signal },
        answers: { get: answers.get, keep: () => {} },
        ...{ endpoint: async () => trouble("unscripted", ""), atMost: 1, maximumRetries: 0 },
        rng: rngFrom(0),
      });
      before += answered;
      if (answered <= share.last - share.first) left.push(share);
    }
    return { left, before };
  } finally {
    answers.close();
  }
}

/** Judges the collected answers without another request; a missing answer has the error of its share. */
async function judged(run: EvalOptions, asked: readonly AskedShare[], kept: number): Promise<EvalResult> {
  const words = Object.assign({}, ...asked.map((share) => share.words).toReversed()) as EvalResult["words"];
  const ended = asked.find((share) => share.ended !== undefined)?.ended;
  const kinds = Object.keys(words) as ApiErrorKind[]; // its keys by its type
  // What ended no share shall not end the reading of their answers.
  const kind = ended ?? kinds.find((each) => troubles[each].fatal === false) ?? "unreachable";
  const end = await runEval({
    ...run,
    endpoint: async () => trouble(kind, words[kind] ?? ""),
    config: { ...run.config, maximumRetries: 0 },
  });
  const total = (key: "requests" | "retries") => asked.reduce((sum, share) => sum + share[key], 0);
  return {
    ...end,
    words,
    tally: { ...end.tally, kept, requests: total("requests"), retries: total("retries") },
  };
}

const classes = Object.keys(troubles) as [ApiErrorKind, ...ApiErrorKind[]]; // its own keys

const AskedShare = z.strictObject({
  version: z.literal(1),
  requests: z.int(),
  retries: z.int(),
  answered: z.int(),
  /** The first words of each kind of trouble by which samples were lost. */
  words: z.partialRecord(z.enum(classes), z.string()),
  ended: z.enum(classes).optional(),
});
type AskedShare = z.infer<typeof AskedShare>;

const askedFile = "asked.json";

/** `run.folder` is the share's; `before` the log of all. Rejects when it was stopped. */
async function askShare(
  run: EvalOptions,
  only: { readonly first: number; readonly last: number },
  before: string,
): Promise<AskedShare> {
  const { folder, config, bench, params, input, parameters, endpoint, signal, progress } = run;
  const { samples, atMost, perMinute = Number.POSITIVE_INFINITY, maximumRetries, backOffUnit } = config;
  const questions = bench.prepare(params, input);
  const lock = await lockFolder(folder, shareFiles.askLock);
  const known = await answersSoFar(before);
  const answers = await openAnswerLog(join(folder, shareFiles.answers), lock);
  const words: AskedShare["words"] = {};
  const now = () => performance.now();
  const began = now();
  try {
    const { requests, retries, answered, ended } = await ask({
      ...{ questions, samples, only, parameters, identity: evalIdentity(run), signal },
      answers: { get: (key) => answers.get(key) ?? known.get(key), keep: answers.keep },
      ...{ endpoint, atMost, maximumRetries, backOffUnit },
      rng: rngFrom(input.seed).fork(`back-off/${only.first}`),
      pace: pacer(perMinute, now, sleep),
      onProgress: (tally) => progress.update("asking", formatProgress(tally, (now() - began) / 1000)),
      onTrouble: (_, kind, text) => {
        words[kind] ??= text;
      },
      onWait: reportWaits(progress, now),
    });
    const asked: AskedShare = { version: 1, requests, retries, answered, words, ...(ended && { ended }) };
    await writeFileAtomic(join(folder, askedFile), `${JSON.stringify(asked)}\n`, lock);
    return asked;
  } finally {
    progress.close();
    await answers.close();
    known.close();
    lock.release();
  }
}

/** A share as a worker's task; the submission carries the configuration. */
export const llmEvalHandler: JobHandler<"llm-eval"> = {
  async saved(folder) {
    const path = join(folder, shareFiles.answers);
    return existsSync(path) ? statSync(path).size : 0;
  },

  async carryOut({ folder, home, work: { config, from, first, last } }, tell, signal) {
    const here = process.cwd();
    const called = resolve(home, from);
    // Paths are relative to the submitting folder; with an object store it does not exist here.
    if (existsSync(called)) process.chdir(called);
    try {
      const progress = {
        update: (_: string, { step, steps }: { step: number; steps: number }) =>
          tell({ kind: "measure", done: step, of: steps }),
        ...{ end() {}, say() {}, close() {} },
      };
      await withEval({ config: { ...config, folder }, signal, progress }, (run) =>
        askShare(run, { first, last }, join(home, shareFiles.answers)),
      );
    } finally {
      process.chdir(here);
    }
  },
};
