/**
 * @file Searches a space of recipes by successive halving: many trials for a short time, the best of them for longer.
 *
 *     rung      programs        trials of 27, keep 3
 *      0         1/9             27
 *      1         1/3              9      the 9 with the best scores at rung 0
 *      2         all              3
 *
 *     DIR/trial-000/    the folder of a run, for each trial
 *         search.json   every trial with its scores; written after each rung
 *         search.html   the same as a page, with figures/
 *         chosen.yaml   the best trial as a configuration
 *
 * A rung starts when the previous one has ended, and ties go to the lower number, so the promoted trials are a function of the
 * scores, regardless of interruptions and timing. A repeated call resumes: a trial is evaluated once at each rung, and its folder
 * has the answers.
 *
 * Source: Jamieson and Talwalkar 2016, arXiv:1502.07943; the rungs are those of ASHA (Li et al. 2020, arXiv:1810.05934), which
 * promotes without waiting for a rung and so depends on timing.
 */

import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { stringify } from "yaml";
import { type ExitKind, fail } from "../../core/error.ts";
import { formatList, shellWord } from "../../core/format.ts";
import { jsonRows } from "../../core/json.ts";
import { mean } from "../../core/statistics.ts";
import { type Execute, runJobs } from "../../executors/pool.ts";
import { noneLearned, searchReport } from "../../report/search.ts";
import { StepRecord } from "../../schemas/run-config.ts";
import { type RungScore, SearchRecord, type SearchSpace, type Trial } from "../../schemas/search-space.ts";
import { testName } from "../../schemas/test-result.ts";
import {
  lockFolder,
  makeFolder,
  readLog,
  readRecord,
  runFiles,
  searchFiles,
  writeFileAtomic,
} from "../../storage/index.ts";
import { inOwnProcess, type RunAnswers, type RunJob, type RunProgress } from "../run/execute.ts";
import type { TestSummary } from "../run/results.ts";
import { foundIn } from "../sweep/plan.ts";
import type { PlannedTrial, SearchRequest } from "./plan.ts";

export interface SearchOptions {
  /** Parallel trials. */
  readonly jobs: number;
  /** The command, quoted in chosen.yaml. */
  readonly command: string;
  /** Executes a trial; by default in a child process. */
  readonly execute?: Execute<RunJob, RunProgress, RunAnswers>;
  readonly log?: RunJob["log"];
  readonly signal: AbortSignal;
  /** Called at the start of a rung: index, number of rungs, trials, and the training programs of each at its end. */
  readonly onRung?: (rung: number, of: number, trials: readonly PlannedTrial[], programs: number) => void;
  readonly onProgress?: (trial: PlannedTrial, progress: RunProgress) => void;
  /** `mistake` is the kind of the LabError with which a trial failed. */
  readonly onEnd?: (
    trial: PlannedTrial,
    how: "done" | "failed" | "stopped",
    words: string,
    mistake: ExitKind | undefined,
  ) => void;
}

/** @returns the record after all rungs, or at an abort. */
export async function runSearch(
  request: SearchRequest,
  planned: readonly PlannedTrial[],
  options: SearchOptions,
): Promise<SearchRecord> {
  const { folder, space, method, seed } = request;
  const lock = await lockFolder(folder, searchFiles.lock);
  try {
    await refuseAnother(request);
    for (const { folder: at, config, written } of planned) await foundIn(at, config, written);
    const trials: Trial[] = planned.map(({ trial, folder: at, drawn }) => ({
      trial,
      folder: relative(folder, at),
      drawn,
      scores: [],
    }));
    const rungs = rungPrograms(method === "random" ? { ...space, rungs: 1 } : space);
    let left = planned.map(({ trial }) => trial);
    const record = (): SearchRecord => ({
      ...{ version: 1, method, seed, space, trials },
      chosen: best(trials, rungs.length),
      programs: trials.reduce((sum, { scores }) => sum + (scores.at(-1)?.programs ?? 0), 0),
      seconds: trials.reduce((sum, { scores }) => sum + (scores.at(-1)?.seconds ?? 0), 0),
    });
    for (const [rung, programs] of rungs.entries()) {
      const own = left.map((trial) => planned[trial]);
      options.onRung?.(rung, rungs.length, own, programs);
      const scores = await carryOutRung(own, programs, space.score, options);
      for (const [trial, found] of scores) {
        if (typeof found === "string") trials[trial].failure = found;
        else trials[trial].scores.push(found);
      }
      await writeFileAtomic(join(folder, searchFiles.record), jsonRows(record(), searchFiles.record));
      if (trials.some(({ scores }) => scores.length > 0))
        await writePage(request, planned, record(), options);
      if (options.signal.aborted) return record();
      const ranked = left.map((trial) => [trial, trials[trial].scores.at(rung)?.score] as const);
      left = promoted(new Map(ranked), space.keep);
    }
    const { chosen } = record();
    if (chosen !== null) await writeChosen(request, planned[chosen], record(), options.command);
    return record();
  } finally {
    lock.release();
  }
}

/** By trial: its score, or the error message of a failed one. Stopped trials are absent. */
async function carryOutRung(
  trials: readonly PlannedTrial[],
  programs: number,
  by: SearchSpace["score"],
  { jobs, execute = inOwnProcess, log, signal, onProgress, onEnd }: SearchOptions,
): Promise<Map<number, RungScore | string>> {
  const stepOf = ({ config: { train } }: PlannedTrial) =>
    Math.min(train.steps, Math.ceil(programs / train.batch));
  const work = trials.map(
    (trial): RunJob => ({
      folder: trial.folder,
      config: trial.config,
      overwrite: false,
      until: stepOf(trial),
      log,
    }),
  );
  const trialOf = (job: RunJob) => trials[work.indexOf(job)];
  const outcomes = await runJobs(work, execute, {
    atMost: jobs,
    signal,
    onProgress: (job, progress) => onProgress?.(trialOf(job), progress),
    onEnd(job, outcome) {
      const { message = "", mistake } = outcome.kind === "failed" ? outcome.failure : {};
      onEnd?.(trialOf(job), outcome.kind, message, mistake);
    },
  });
  return new Map(
    trials.flatMap((trial, i): [number, RungScore | string][] => {
      const outcome = outcomes[i];
      if (outcome.kind === "stopped") return [];
      if (outcome.kind === "failed") return [[trial.trial, outcome.failure.message]];
      return [[trial.trial, scoreOf(trial, stepOf(trial), outcome.result, by)]];
    }),
  );
}

function scoreOf(
  { folder, config }: PlannedTrial,
  step: number,
  { results }: RunAnswers,
  by: SearchSpace["score"],
): RungScore {
  const asked = results.filter(({ programs }) => programs > 0);
  if (asked.length === 0) fail(folder, "tests with unseen programs", "none");
  const tests = asked.map((result) => [testName(result.change), reached[by](result, folder)] as const);
  const steps = readLog(join(folder, runFiles.metrics), StepRecord).slice(0, step);
  return {
    programs: step * config.train.batch,
    score: mean(tests.map(([, score]) => score)),
    tests: Object.fromEntries(tests),
    stage: steps.at(-1)?.stage ?? 0,
    seconds: steps.reduce((sum, { seconds }) => sum + seconds, 0),
  };
}

const reached: Record<SearchSpace["score"], (result: TestSummary, folder: string) => number> = {
  accuracy: ({ accuracy }) => accuracy,
  likelihood: ({ change, nats }, folder) =>
    nats === undefined
      ? fail(folder, "a test with the loss of the exact filter", testName(change))
      : Math.min(1, Math.exp(nats.exact - nats.vocabulary)),
};

/** The trial with the best score at the last rung; the first of equals. */
function best(trials: readonly Trial[], rungs: number): number | null {
  const last = trials.filter(({ scores }) => scores.length === rungs);
  const most = Math.max(...last.map(({ scores }) => scores[rungs - 1].score));
  return last.find(({ scores }) => scores[rungs - 1].score === most)?.trial ?? null;
}

/** Refuses a folder with a search of another space. More trials of the same space may be added. */
async function refuseAnother({ folder, space, method, seed }: SearchRequest): Promise<void> {
  const path = join(folder, searchFiles.record);
  if (!existsSync(path)) return;
  const before = await readRecord(path, SearchRecord, "Delete it to rebuild the search from its trials");
  const now = { space, method, seed };
  for (const key of ["space", "method", "seed"] as const) {
    if (isDeepStrictEqual(before[key], now[key])) continue;
    fail(folder, `a search with the same ${key}`, before[key], "Choose another --out");
  }
}

async function writeChosen(
  { folder }: SearchRequest,
  { trial, config, drawn }: PlannedTrial,
  record: SearchRecord,
  command: string,
): Promise<void> {
  const { method, trials } = record;
  const last = trials[trial].scores.at(-1)!; // it reached the last rung
  const unlearned = noneLearned(record);
  const said = [
    `The best of ${trials.length} trials (${method}): number ${trial}, ${(100 * last.score).toFixed(1)} % over its tests after ${last.programs} programs.`,
    ...(unlearned === undefined ? [] : [unlearned]),
    `Drawn: ${Object.entries(drawn)
      .map(([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join(", ")}.`,
    `Found by: ${command}`,
    `Its seed was ${config.seed}; results use others: statelab sweep ${shellWord(searchFiles.chosen)} --seed 0 --seeds 5 --out DIR`,
  ];
  const { threads: _, version: __, ...written } = config;
  const text = `${said.map((line) => `# ${line}\n`).join("")}${stringify(written, { lineWidth: 0 })}`;
  await writeFileAtomic(join(folder, searchFiles.chosen), text);
}

async function writePage(
  { folder }: SearchRequest,
  planned: readonly PlannedTrial[],
  record: SearchRecord,
  { command }: SearchOptions,
): Promise<void> {
  const names = new Set(planned.map(({ config }) => config.model.name));
  const { page, figures } = searchReport(record, {
    name: formatList([...names]),
    chosen: join(folder, searchFiles.chosen),
    command,
  });
  await makeFolder(join(folder, searchFiles.figures));
  for (const [name, figure] of Object.entries(figures))
    await writeFileAtomic(join(folder, searchFiles.figures, name), figure);
  await writeFileAtomic(join(folder, searchFiles.report), page);
}

interface Rungs {
  /** Training programs of a full trial. */
  readonly programs: number;
  readonly rungs: number;
  readonly keep: number;
}

/** Training programs at the end of each rung, ascending. */
export function rungPrograms({ programs, rungs, keep }: Rungs): number[] {
  return Array.from({ length: rungs }, (_, rung) =>
    Math.max(1, Math.round(programs / keep ** (rungs - 1 - rung))),
  );
}

/** Trials promoted from a rung by their scores (undefined: failed); at least one if any has a score. */
export function promoted(scores: ReadonlyMap<number, number | undefined>, keep: number): number[] {
  const ranked = [...scores]
    .flatMap(([trial, score]) => (score === undefined ? [] : [{ trial, score }]))
    .sort((a, b) => b.score - a.score || a.trial - b.trial);
  const count = Math.max(1, Math.floor(scores.size / keep));
  return ranked
    .slice(0, count)
    .map(({ trial }) => trial)
    .sort((a, b) => a - b);
}
