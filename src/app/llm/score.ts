/** @file Scores saved answers: the work of `statelab llm score`. */

import { dirname, join } from "node:path";
import { fail, Words } from "../../core/error.ts";
import { readGenerations } from "../../eval/generations.ts";
import { collectResults, denominatorWords } from "../../eval/results.ts";
import { inParallel, type ScoreOptions, scoreCruxeval } from "../../eval/scoring/score-cruxeval.ts";
import { judgeReplies } from "../../eval/scoring/score-samples.ts";
import { benchmarks } from "../../python/benchmarks/index.ts";
import type { BenchmarkOptions, JudgeResponse } from "../../schemas/questions.ts";
import { CruxevalRow, type Score } from "../../schemas/samples.ts";
import { readInput } from "../../storage/index.ts";
import { dataPath, readJsonLines } from "../data/files.ts";
import { openFinder, questionId } from "./judge.ts";
import { tallied } from "./run.ts";
import { openSandbox, type SandboxHost } from "./sandbox.ts";
import type { SavedReply } from "./saved-replies.ts";

interface ScoreFileOptions extends Pick<ScoreOptions, "predict" | "scoring" | "seed" | "onProgress"> {
  /** cruxeval.jsonl; default the imported one, or one in the folder of the answers. */
  readonly data?: string | undefined;
  readonly host: SandboxHost;
  readonly signal: AbortSignal;
  /** Called before scoring if the scores are not comparable with published ones. */
  readonly onWarning?: (sentence: string) => void;
}

/** Scores a file of answers, in any layout of eval/generations.ts. */
export async function scoreFile(file: string, options: ScoreFileOptions): Promise<Score> {
  const { predict, scoring, seed, onProgress, signal } = options;
  const beside = [join(dirname(file), "cruxeval.jsonl"), join(dirname(file), "..", "cruxeval.jsonl")];
  const data = await readJsonLines(dataPath(options.data, "cruxeval/cruxeval.jsonl", beside), CruxevalRow);
  const ids = data.rows.map(({ id }) => id);
  const { generations, only } = readGenerations(readInput(file).toString("utf8"), { ids, predict, at: file });
  const rows = only === null ? data.rows : data.rows.filter(({ id }) => only.has(id));
  if (rows.length < data.rows.length)
    options.onWarning?.(
      `${rows.length} of ${data.rows.length} programs are in ${file}; only these are scored`,
    );
  if (data.checksum !== benchmarks.cruxeval.sha256)
    options.onWarning?.(
      `${data.path} is not the published file; do not compare its scores with published ones`,
    );
  const sandbox = await openSandbox(options.host, signal);
  try {
    const { execute, maxParallel } = sandbox;
    const score = await scoreCruxeval({
      ...{ rows, generations, predict, scoring, seed, execute, atMost: maxParallel },
      ...(onProgress && { onProgress }),
    });
    for (const { id, reason } of score.excluded ?? []) options.onWarning?.(`${id} is not scored: ${reason}`);
    return { ...score, python: sandbox.python() };
  } finally {
    await sandbox.close();
  }
}

/** Scores the replies of a log as `llm eval` does. The log's own options of the benchmark, if it has them, replace `given`. */
export async function scoreReplies(
  replies: readonly SavedReply[],
  file: string,
  given: BenchmarkOptions,
  options: Pick<ScoreFileOptions, "host" | "signal" | "onWarning" | "onProgress">,
) {
  if (replies.length === 0) fail(file, "a log with samples", new Words("none"), undefined, "corrupt");
  const [{ benchmark = given }] = replies;
  if (benchmark.bench !== given.bench)
    fail("llm score", `${benchmark.bench}, the benchmark of ${file}`, given.bench);
  const { find, count, parameters } = await openFinder(benchmark);
  const asked = replies.map((each, i) => ({ ...each, question: find(each, `${file}, sample ${i + 1}`) }));
  const repliesTo: Record<string, number> = {};
  for (const { question } of asked) tallied(repliesTo, questionId(question));
  const counts = Object.values(repliesTo);
  const samples = counts.reduce((most, each) => Math.max(most, each));
  if (counts.length < count)
    options.onWarning?.(`${counts.length} of ${count} questions are in ${file}; only these are scored`);
  const sandbox = await openSandbox(options.host, options.signal);
  try {
    const collected = collectResults(samples);
    const verdicts = await inParallel(
      asked,
      sandbox.maxParallel,
      async ({ question, reply, finish }): Promise<JudgeResponse | undefined> => {
        if (reply === undefined) {
          collected.unanswered(question);
          return undefined;
        }
        const saved = [{ text: reply, finish, replyTokens: null }];
        const verdict = await judgeReplies(question, saved, parameters, sandbox.execute);
        collected.add({ ...question, verdict: verdict.verdict });
        return { id: questionId(question), ...verdict };
      },
      options.onProgress,
    );
    const arms = collected.arms();
    return {
      ...{ benchmark, samples, denominator: denominatorWords("both", arms, {}), arms },
      verdicts: verdicts.filter((verdict) => verdict !== undefined),
    };
  } finally {
    await sandbox.close();
  }
}
