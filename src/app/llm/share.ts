/**
 * @file A share of an evaluation as a worker's task: its samples with their own log of answers.
 *
 *     DIR/answers.jsonl                     earlier answers; only read here
 *     DIR/shares/500-999/answers.jsonl      answers of this share
 *                        asked.json         written at the end: number of requests, errors of the endpoint
 */

import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { rngFrom } from "../../core/rng.ts";
import { ask } from "../../eval/ask.ts";
import { type ApiErrorKind, troubles } from "../../eval/endpoints/endpoint.ts";
import { pacer, sleep } from "../../eval/endpoints/rate-limit.ts";
import type { JobHandler } from "../../executors/execute-task.ts";
import { shareFiles } from "../../executors/job-outputs.ts";
import { lockFolder, writeFileAtomic } from "../../storage/index.ts";
import { withEval } from "./eval.ts";
import { answersSoFar, openAnswerLog } from "./log.ts";
import { type EvalOptions, evalIdentity, formatProgress, reportWaits } from "./run.ts";

const classes = Object.keys(troubles) as [ApiErrorKind, ...ApiErrorKind[]]; // its own keys

export const AskedShare = z.strictObject({
  version: z.literal(1),
  requests: z.int(),
  retries: z.int(),
  answered: z.int(),
  /** The first words of each kind of trouble by which samples were lost. */
  words: z.partialRecord(z.enum(classes), z.string()),
  ended: z.enum(classes).optional(),
});
export type AskedShare = z.infer<typeof AskedShare>;

export const askedFile = "asked.json";

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

async function savedAnswers(folder: string): Promise<number> {
  const path = join(folder, shareFiles.answers);
  return existsSync(path) ? statSync(path).size : 0;
}

/** A share as a worker's task; the submission carries the configuration. */
export const askCarrier: JobHandler<"ask"> = {
  saved: savedAnswers,

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
