/**
 * @file Runs an experiment: its runs side by side in processes of their own, then one result and one report.
 *
 *     runs/headline/
 *       deltanet-neg1-1-seed-0/  a run's folder for each setting, model and seed (or what work found)
 *       result.json              what `--json` prints
 *       report.html, figures/
 *
 * A call after an interruption or a failed run resumes. A call after the end starts again, except with more seeds: then only those are
 * trained. The result of before is renamed. An experiment that asks the models of another one
 * (`trainedBy`) uses, and if need be makes, the run folders of that one, and leaves them there.
 */

import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { thisMachine } from "../../src/app/doctor/machine.ts";
import { configOf } from "../../src/app/run/config.ts";
import type { RunProgress } from "../../src/app/run/execute.ts";
import { LabError } from "../../src/core/error.ts";
import { shellWord } from "../../src/core/format.ts";
import { jsonText } from "../../src/core/json.ts";
import { inChildProcess } from "../../src/executors/fork.ts";
import { type Failure, type Outcome, runJobs, toError } from "../../src/executors/pool.ts";
import {
  type PieceState,
  type SuperviseOptions,
  superviseSubmission,
} from "../../src/executors/supervise.ts";
import { checkText } from "../../src/report/index.ts";
import { Claim, ExperimentResult } from "../../src/schemas/experiment-result.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import type { WorkOf } from "../../src/schemas/submission.ts";
import {
  experimentFiles,
  type Lock,
  lockFolder,
  readRecord,
  runFiles,
  writeFileAtomic,
} from "../../src/storage/index.ts";
import { exampleFrom, exampleStream, prepareTask, taskNamed } from "../../src/tasks/index.ts";
import {
  type Experiment,
  type Extent,
  type Plan,
  type PlannedRun,
  type PlannedWork,
  SMOKE_FINDING,
  type UnreadResult,
} from "./define.ts";
import {
  type Job,
  type JobResult,
  keepResult,
  keptResult,
  plannedSeed,
  removeIfChanged,
  type WorkJob,
} from "./part.ts";
import { measurementLabels } from "./views.ts";

/** One outcome a job, in their order; "stopped" is what the engine still works at. */
export async function onEngine(
  jobs: readonly (Job | WorkJob)[],
  home: string,
  standing: SuperviseOptions,
): Promise<Outcome<JobResult>[]> {
  // What other questions were answered there says nothing of these.
  for (const job of jobs)
    if ((await keptResult(job)) === undefined) await rm(join(job.folder, runFiles.answered), { force: true });
  const pieces = jobs.map((job) => ({
    folder: job.folder,
    work: { kind: "part" as const, part: partOf(job) },
  }));
  const states = await superviseSubmission(pieces, { ...standing, home, unit: "parts" });
  return Promise.all(jobs.map((job, i) => outcomeOf(job, states[i])));
}

async function outcomeOf(job: Job | WorkJob, state: PieceState): Promise<Outcome<JobResult>> {
  if (state.kind === "failed") return { kind: "failed", failure: { message: state.words } };
  const result = state.kind === "done" ? await keptResult(job) : undefined;
  if (result !== undefined) return { kind: "done", result };
  if (state.kind !== "done") return { kind: "stopped" };
  const message = `${job.folder}: what it came to is not there, or is that of another configuration`;
  return { kind: "failed", failure: { message } };
}

function partOf(job: Job | WorkJob): WorkOf<"part">["part"] {
  const { setting, model } = job;
  if (!("config" in job)) {
    const { seed, options, measuredBy } = job;
    return { setting, model, seed, options, measuredBy };
  }
  const { config, measuredBy, curvePoints } = job;
  return {
    ...{ setting, model, config },
    tests: job.tests.map((test) => ({ ...test })),
    ...(measuredBy !== undefined && { measuredBy }),
    ...(curvePoints !== undefined && { curvePoints }),
  };
}

export interface RunOptions extends Extent {
  readonly seeds: readonly number[];
  /** Where runs/ is. */
  readonly folder: string;
  /** Trainings (and parts of work) at the same time, each with one thread. */
  readonly jobs: number;
  readonly device?: "cpu" | "cuda" | "webgpu" | undefined;
  /** Where its parts are carried out, in place of processes here: `jobs` is not looked at then. */
  readonly standing?: SuperviseOptions | undefined;
  /** The command that a reader would type to have the same. */
  readonly command: string;
  readonly date: string;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Before each part of the plan: what it has to say. */
  readonly onWords?: (words: readonly string[]) => void;
  /** `untrained`: what had not been trained or worked out when this call began, so where the time goes. */
  readonly onStart?: (part: Planned, untrained: readonly Planned[]) => void;
  readonly onProgress?: (part: Planned, progress: RunProgress) => void;
  readonly onEnd?: (part: Planned, how: "done" | "failed" | "stopped", words: string) => void;
}

type Planned = PlannedRun | PlannedWork;

export interface Ran {
  /** undefined where it was interrupted or nothing succeeded. */
  readonly result: ExperimentResult | undefined;
  readonly failures: readonly string[];
  /** Also where an engine still works at it. */
  readonly interrupted: boolean;
}

export async function runExperiment(experiment: Experiment, options: RunOptions): Promise<Ran> {
  const { seeds, jobs, signal, now } = options;
  const home = join(options.folder, folderName(experiment.name, options));
  const runs = join(options.folder, folderName(experiment.trainedBy ?? experiment.name, options));
  let plan: Plan | undefined = experiment.plan(options, seeds);
  const locks: Lock[] = [];
  try {
    for (const folder of new Set([home, runs])) locks.push(await lockFolder(folder, experimentFiles.lock));
    const started = now();
    const before = await finishedIn(home);
    await setAside(home, before !== undefined);
    const grown = before !== undefined && before !== "unread" && asksForMore(before, options);
    const finished = before !== undefined && !grown;
    if (before !== undefined && !experiment.keepsRuns)
      options.onWords?.([
        `${experiment.name} in ${home} is finished and ${grown ? "continues with more seeds" : "starts again"}; its earlier result is ${experimentFiles.before}`,
      ]);
    let all: Plan = { runs: [] };
    const done: JobResult[] = [];
    const failed: Failure[] = [];
    const secondsSoFar = () => {
      // What an interrupted call has trained counts, too.
      const trained = experiment.trainedBy
        ? 0
        : done.reduce((sum, { curve }) => sum + (curve?.seconds ?? 0), 0);
      return Math.max((now() - started) / 1000, trained / jobs);
    };
    const unread = () => {
      const failures = failed.map(({ message }) => message);
      return unreadOf(experiment, all, { done, failures, home, seconds: secondsSoFar() }, options);
    };
    while (plan !== undefined) {
      const phase: Plan = withDevice(plan, options.device);
      all = withPhase(all, phase);
      const outcomes = await runPhase(experiment, phase, { home, runs, finished }, options);
      for (const outcome of outcomes) {
        if (outcome.kind === "done") done.push(outcome.result);
        else if (outcome.kind === "failed") failed.push(outcome.failure);
      }
      if (signal.aborted || outcomes.some(({ kind }) => kind === "stopped"))
        return { result: undefined, failures: [], interrupted: true };
      plan = phase.next?.(unread());
    }
    if (done.length === 0 && failed.length > 0) throw toError(failed[0]);
    const measured = unread();
    const result = ExperimentResult.parse({ ...measured, ...readBy(experiment, measured) });
    const { page, figures } = experiment.report(result);
    for (const [name, figure] of Object.entries(figures))
      await writeFileAtomic(join(home, experimentFiles.figures, `${name}.svg`), figure);
    await writeFileAtomic(join(home, experimentFiles.report), page);
    await writeFileAtomic(
      join(home, experimentFiles.result),
      `${jsonText(result, experimentFiles.result, 2)}\n`,
    );
    if (experiment.keeping)
      await writeFileAtomic(join(home, experimentFiles.cells), experiment.keeping.text(result));
    return { result, failures: measured.failures ?? [], interrupted: false };
  } finally {
    for (const lock of locks) lock.release();
  }
}

const inPartProcess = inChildProcess<Job | WorkJob, RunProgress, JobResult>({
  entry: new URL("./worker.ts", import.meta.url),
  reuse: true,
  environment: { OMP_NUM_THREADS: "1" },
});

/** The runs and the work of one plan, in the order of their plan. */
async function runPhase(
  experiment: Experiment,
  plan: Plan,
  { home, runs, finished }: { readonly home: string; readonly runs: string; readonly finished: boolean },
  options: RunOptions,
): Promise<Outcome<JobResult>[]> {
  const { curvePoints, keepsRuns } = experiment;
  const trainings = plan.runs.map(
    (run): Job => ({
      ...run,
      folder: join(runs, runName(run)),
      overwrite: false,
      ...(experiment.measureRun && { measuredBy: experiment.name }),
      ...(curvePoints !== undefined && { curvePoints }),
    }),
  );
  const works = (plan.work ?? []).map(
    (work): WorkJob => ({ ...work, folder: join(home, runName(work)), measuredBy: experiment.name }),
  );
  const anew = finished && !keepsRuns;
  if (anew) for (const { folder } of works) await rm(folder, { recursive: true, force: true });
  if (keepsRuns) for (const job of trainings) await removeIfChanged(job);
  await makeRoom(trainings, anew && experiment.trainedBy === undefined);
  options.onWords?.(plan.words ?? []);
  const parts: (Job | WorkJob)[] = [...trainings, ...works];
  const planned: readonly Planned[] = [...plan.runs, ...(plan.work ?? [])];
  const partOf = (job: Job | WorkJob) => planned[parts.indexOf(job)];
  const { standing } = options;
  const known = await Promise.all(
    parts.map((job) =>
      standing !== undefined || (keepsRuns && "config" in job) ? keptResult(job) : undefined,
    ),
  );
  const wanted = parts.filter((_, i) => known[i] === undefined);
  const ends = [runFiles.model, join(runFiles.measured, `${experiment.name}.json`)]; // of a training, and of what was measured
  const untrained = wanted
    .filter(({ folder }) => !ends.some((end) => existsSync(join(folder, end))))
    .map(partOf);
  const all = (outcomes: Outcome<JobResult>[]) =>
    known.map(
      (result): Outcome<JobResult> =>
        result === undefined ? (outcomes.shift() ?? { kind: "stopped" }) : { kind: "done", result },
    );
  if (standing !== undefined) return all(await onEngine(wanted, home, standing));
  const keeping: typeof inPartProcess = async (job, ...rest) => {
    const result = await inPartProcess(job, ...rest);
    if (keepsRuns && "config" in job) await keepResult(job, result);
    return result;
  };
  const outcomes = await runJobs(wanted, keeping, {
    atMost: options.jobs,
    signal: options.signal,
    onStart: (job) => options.onStart?.(partOf(job), untrained),
    onProgress: (job, progress) => options.onProgress?.(partOf(job), progress),
    onEnd: (job, outcome) =>
      options.onEnd?.(partOf(job), outcome.kind, outcome.kind === "failed" ? outcome.failure.message : ""),
  });
  return all(outcomes);
}

function withPhase(before: Plan, { runs, work = [], window, sample }: Plan): Plan {
  return {
    ...{ ...(window !== undefined && { window }), ...(sample !== undefined && { sample }) },
    ...before,
    runs: [...before.runs, ...runs],
    work: [...(before.work ?? []), ...work],
  };
}

/** The result of a finished call with the same command, if there is one. */
async function finishedResult(
  { name }: Experiment,
  { folder, command, ...extent }: Pick<RunOptions, "folder" | "scale" | "budget" | "command">,
): Promise<ExperimentResult | undefined> {
  const path = join(folder, folderName(name, extent), experimentFiles.result);
  if (!existsSync(path)) return undefined;
  const result = await readRecord(path, ExperimentResult, "Remove it, and the experiment runs again");
  if (result.command !== command || result.failures !== undefined) return undefined;
  return result;
}

/** What an earlier call that came to its end with all its runs has written; undefined where there was none. */
async function finishedIn(home: string): Promise<ExperimentResult | "unread" | undefined> {
  const path = join(home, experimentFiles.result);
  if (!existsSync(path)) return undefined;
  try {
    const result = await readRecord(path, ExperimentResult, "");
    return result.failures === undefined ? result : undefined;
  } catch (error) {
    if (error instanceof LabError) return "unread"; // and is done again
    throw error;
  }
}

/** Whether the command is that of before but for more seeds, among which all of before are. */
function asksForMore(before: ExperimentResult, { seeds, command }: RunOptions): boolean {
  const others = (text: string) => text.replaceAll(/ --seeds? \d+/g, "");
  return (
    others(before.command) === others(command) &&
    seeds.length > before.seeds.length &&
    before.seeds.every((seed) => seeds.includes(seed))
  );
}

/** The result of before, where the call came to its end: an hour of training is not lost to a command that is typed twice. */
async function setAside(home: string, finished: boolean): Promise<void> {
  const result = join(home, experimentFiles.result);
  if (finished) await rename(result, join(home, experimentFiles.before));
  else await rm(result, { force: true });
}

function folderName(name: string, { scale, budget }: Extent): string {
  if (scale !== "laptop") return `${name}-${scale}`;
  return budget === "quick" ? `${name}-quick` : name;
}

/** A folder's name that a shell leaves alone: `deltanet[-1,1]` with seed 0 is `deltanet-neg1-1-seed-0`. */
function runName(
  part: Pick<PlannedRun, "setting" | "model" | "config"> | Omit<PlannedWork, "options">,
): string {
  const { setting, model } = part;
  const named = [setting, model].filter((part) => part !== "").join(" ");
  return `${plainName(named)}-seed-${plannedSeed(part)}`;
}

export const plainName = (name: string): string =>
  name
    .replaceAll(/(?<!\w)-(?=\d)/g, "neg") // a minus, and no hyphen as in `chunk-8`
    .replaceAll(/[^\w]+/g, "-")
    .replace(/-$/, "");

function withDevice(plan: Plan, device: RunOptions["device"]): Plan {
  if (device === undefined) return plan;
  return { ...plan, runs: plan.runs.map((run) => ({ ...run, config: { ...run.config, device } })) };
}

/** Removes what a finished earlier call left, and runs that were begun with another configuration. */
async function makeRoom(trainings: readonly Job[], anew: boolean): Promise<void> {
  for (const { folder, config } of trainings) {
    if (!existsSync(folder)) continue;
    if (anew || !(await hasConfig(folder, config))) await rm(folder, { recursive: true });
  }
}

/** Whether all that is wanted is written; what is written besides are defaults. */
function holds(written: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null) return written === wanted;
  if (typeof written !== "object" || written === null) return false;
  const has = new Map(Object.entries(written));
  return Object.entries(wanted).every(([key, value]) => holds(has.get(key), value));
}

/** Whether the run in `folder` is trained as `config` says; how many programs it is asked about is another matter. */
async function hasConfig(folder: string, config: PlannedRun["config"]): Promise<boolean> {
  try {
    const { model: written, evaluate: _written, ...rest } = await configOf(folder);
    const { model: wanted, evaluate: _wanted, ...others } = config;
    const { shares = rest.train.shares } = others.train; // a run writes its default
    const filled = { ...others, train: { ...others.train, shares } };
    return holds(written, wanted) && isDeepStrictEqual(rest, filled);
  } catch (error) {
    if (error instanceof LabError) return false;
    throw error;
  }
}

function unreadOf(
  experiment: Experiment,
  plan: Plan,
  ran: {
    readonly done: readonly JobResult[];
    readonly failures: readonly string[];
    readonly home: string;
    readonly seconds: number;
  },
  { scale, budget, seeds, command, date }: RunOptions,
): UnreadResult {
  const { done, failures, home, seconds } = ran;
  const sample = sampleOf(plan, seeds);
  return {
    version: 2,
    experiment: experiment.name,
    question: experiment.question,
    command,
    date,
    scale,
    ...(budget === "quick" && { budget }),
    seeds: [...seeds],
    device: plan.runs[0]?.config.device ?? "cpu",
    machine: thisMachine(),
    seconds,
    ...(plan.window !== undefined && { window: plan.window }),
    ...(sample !== undefined && { sample }),
    models: experiment.models,
    results: done.flatMap(({ rows }) => rows),
    labels: measurementLabels(experiment.measurements ?? []),
    measurements: done.flatMap(({ measurements }) => measurements),
    training: done.flatMap(({ curve }) => curve ?? []),
    ...(failures.length > 0 && { failures: [...failures] }),
    report: join(home, experimentFiles.report),
  };
}

/** The claims and checks of an experiment, read off what was measured. */
export function readBy(
  { published, checks }: Experiment,
  measured: UnreadResult,
): Pick<ExperimentResult, "claims" | "checks" | "findings"> {
  const found = checks(measured);
  return {
    claims: published.map(({ measure, measureErrors, agrees: _, decidedBySuccess: __, ...claim }) =>
      Claim.parse({
        ...claim,
        values: measure?.(measured) ?? [],
        ...(measureErrors !== undefined && { errors: measureErrors(measured) }),
      }),
    ),
    checks: found,
    findings: [
      ...(measured.scale === "smoke" ? [SMOKE_FINDING] : []),
      ...found.flatMap((each) => (each.met === true ? [] : [checkText(each)])),
      ...(measured.failures ?? []).map((failure) => `A run failed, and the result is without it: ${failure}`),
    ],
  };
}

/** A short program of the kind that was trained, for people to look at. */
function sampleOf({ runs, sample }: Plan, seeds: readonly number[]): ExperimentResult["sample"] {
  if (sample === undefined) return undefined;
  const config =
    runs[0]?.config ?? RunConfig.parse({ seed: seeds[0], task: sample, model: { name: "none" } });
  const { name: _, ...params } = { ...config.task, ...sample };
  const prepared = prepareTask(taskNamed(config.task.name), params);
  const { text, reveals } = exampleFrom(prepared, exampleStream(config.seed, "sample")(0));
  return { text, reveals: reveals.map(({ start, end, value }) => ({ start, end, answer: value })) };
}

type Listeners = Pick<RunOptions, "onWords" | "onStart" | "onProgress" | "onEnd">;

interface ReproduceOptions
  extends Pick<
    RunOptions,
    "scale" | "budget" | "options" | "seeds" | "folder" | "jobs" | "device" | "standing" | "signal"
  > {
  /** Whether the result of a finished call with the same command is taken as it is. */
  readonly passOver: boolean;
  /** Before each: who listens to it. */
  readonly onBegin: (experiment: Experiment, finishedBefore: boolean) => Listeners;
}

interface Reproduced {
  readonly experiment: Experiment;
  readonly ran: Ran;
}

/** Ends after one that was interrupted. */
export async function* reproduce(
  wanted: readonly Experiment[],
  { passOver, onBegin, ...options }: ReproduceOptions,
): AsyncGenerator<Reproduced> {
  for (const experiment of wanted) {
    const command = commandOf(experiment, options);
    const before = passOver ? await finishedResult(experiment, { ...options, command }) : undefined;
    const listeners = onBegin(experiment, before !== undefined);
    const ran: Ran =
      before !== undefined
        ? { result: before, failures: [], interrupted: false }
        : await runExperiment(experiment, {
            ...options,
            ...listeners,
            command,
            date: new Date().toISOString().slice(0, 10),
            now: () => performance.now(),
          });
    yield { experiment, ran };
    if (ran.interrupted) return;
  }
}

/** What a reader would type to have the same. */
function commandOf(
  { name }: Experiment,
  {
    scale,
    budget,
    options = {},
    seeds,
    device,
  }: Pick<RunOptions, "scale" | "budget" | "options" | "seeds" | "device">,
): string {
  return [
    `statelab reproduce ${name} --scale ${scale} --seeds ${seeds.length}`,
    ...(seeds[0] === 0 ? [] : [`--seed ${seeds[0]}`]),
    ...(budget === "quick" ? ["--budget quick"] : []),
    ...Object.entries(options).map(([name, value]) => `--${name} ${shellWord(value)}`),
    ...(device === undefined ? [] : [`--device ${device}`]),
  ].join(" ");
}
