/**
 * @file An evaluation by an executor: every task asks one share of the samples. When all tasks have ended, one process merges their
 * answers into its log, judges them without further requests, and writes the usual files.
 *
 * Each of N concurrent tasks gets 1/N of the requests a minute.
 */

import { rm } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { fail } from "../../core/error.ts";
import { rngFrom } from "../../core/rng.ts";
import { ask } from "../../eval/ask.ts";
import { type ApiErrorKind, trouble, troubles } from "../../eval/endpoints/endpoint.ts";
import { shareFiles } from "../../executors/job-outputs.ts";
import {
  isEnded,
  listFailures,
  type Piece,
  type PieceState,
  type Share,
  type SuperviseOptions,
  sharesOf,
  superviseSubmission,
} from "../../executors/supervise.ts";
import { EvalConfig } from "../../schemas/eval-config.ts";
import { lockFolder, readRecord } from "../../storage/index.ts";
import { type EvalRequest, withEval } from "./eval.ts";
import { answersSoFar, openAnswerLog } from "./log.ts";
import { type EvalOptions, type EvalResult, evalIdentity, runEval } from "./run.ts";
import { AskedShare, askedFile } from "./share.ts";

interface AskedOn {
  /** One for each share with samples left to ask. */
  readonly states: readonly PieceState[];
  /** undefined while tasks are unfinished or if one has failed. */
  readonly end: (EvalResult & { readonly folder: string }) | undefined;
}

interface AskOnOptions extends SuperviseOptions {
  /** Tasks at the same time. */
  readonly atMost: number;
  /** Samples in a share. */
  readonly size: number;
}

export function evaluateSharded(order: EvalRequest, options: AskOnOptions): Promise<AskedOn> {
  const config = taskConfig(order.config, options.atMost);
  return withEval(order, (run) => askedOn(run, config, options));
}

async function askedOn(
  run: EvalOptions,
  config: EvalConfig,
  { size, ...standing }: AskOnOptions,
): Promise<AskedOn> {
  const { folder } = run;
  const lock = await lockFolder(folder, shareFiles.askLock);
  try {
    const path = join(folder, shareFiles.answers);
    const from = relative(resolve(folder), process.cwd()) || ".";
    const { left, before } = await leftIn(run, path, size);
    const pieces = left.map(
      ({ first, last, name }): Piece => ({
        folder: join(folder, shareFiles.all, name),
        work: { kind: "ask", config, from, first, last },
      }),
    );
    const states = await superviseSubmission(pieces, { ...standing, home: folder, unit: "shares" });
    if (!states.every(isEnded)) return { states, end: undefined };
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
    if (listFailures(states).length > 0) return { states, end: undefined };
    const asked = await Promise.all(
      pieces.map((piece) =>
        readRecord(join(piece.folder, askedFile), AskedShare, "Remove its folder, and it is asked again"),
      ),
    );
    await rm(join(folder, shareFiles.all), { recursive: true, force: true });
    lock.release();
    return { states, end: { ...(await judged(run, asked, before)), folder } };
  } finally {
    lock.release();
  }
}

/** The configuration of a task: its part of the requests a minute; the task's folder is given apart. */
function taskConfig({ folder: _, perMinute, ...config }: EvalConfig, atMost: number): EvalConfig {
  const own = perMinute === undefined ? undefined : Math.floor(perMinute / atMost);
  if (own !== undefined && own < 1)
    fail("--per-minute", `at least one for each of --at-most ${atMost}`, String(perMinute));
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
