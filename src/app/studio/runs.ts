/**
 * @file The run folders below one folder, as the studio shows them: a line for each, and one of them whole. Nothing is written.
 *
 * A run is named by its path below the folder. What is asked for is looked up among the runs that there are: no path of a
 * request is ever joined to the folder's.
 */

import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fail, LabError } from "../../core/error.ts";
import { mean } from "../../core/statistics.ts";
import { stalledAt, stalledWords } from "../../schemas/convergence.ts";
import { writeTar } from "../../schemas/formats/tar.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { testName } from "../../schemas/test-result.ts";
import { checkFolder, ownerAt, readInput, runFiles, searchFiles } from "../../storage/index.ts";
import { runGroup } from "../../storage/run-files.ts";
import { type Comparison, compare, type LeftOut, leftOut } from "../compare/difference.ts";
import { type Contender, contendersIn, lastAnswers, runsBelow } from "../compare/load.ts";
import { configOf } from "../run/config.ts";
import { envelope, type Part } from "./downsample.ts";
import { metricLogs, parsed, type Step } from "./metric-log.ts";

const DEPTH = 4;
/** Parts of a curve: more than a screen has pixels for. */
const PARTS = 800;
/** The last line of a log is in here. */
const TAIL = 65_536;

export interface RunLine {
  /** Path below the folder; "." is the folder itself. */
  readonly name: string;
  /** Of a run that cannot be read, why; nothing else is known of it. */
  readonly problem?: string;
  readonly model?: string;
  readonly task?: string;
  readonly seed?: number;
  readonly steps?: number;
  readonly step?: number;
  readonly loss?: number;
  /** Running share of right answers in the last stage that was reached. */
  readonly accuracy?: number;
  /** Stages of the curriculum that were reached, and how many there are. */
  readonly stages?: readonly [reached: number, of: number];
  /** Of a run that is not being trained: why it did not come to its end as it should. */
  readonly trouble?: readonly string[];
  readonly state?: "running" | "finished" | "stopped";
  /** Whether it can be compared. */
  readonly isTested?: boolean;
}

export interface RunDetails extends RunLine {
  readonly config: RunConfig;
  readonly curves: { readonly loss: readonly Part[]; readonly accuracy: readonly Part[] };
  /** The steps at which a further stage of the curriculum began. */
  readonly stageStarts: readonly number[];
  /** Names of reports that were written of it, or of the runs around it. */
  readonly reports: readonly string[];
  readonly tests: readonly {
    readonly name: string;
    readonly accuracy: number;
    readonly programs: number;
    readonly windowedBayes?: number;
  }[];
}

const metricsAt = metricLogs();
const nothing = new Float64Array();
const NOTHING = { step: nothing, loss: nothing, runningAccuracy: nothing, stage: nothing };

export async function listRuns(folder: string): Promise<RunLine[]> {
  const found = await runsBelow(folder, DEPTH);
  return Promise.all(found.map((run) => lineOf(folder, run)));
}

/** The folders of the runs, by their names. */
export async function runsNamed(folder: string): Promise<ReadonlyMap<string, string>> {
  return new Map((await runsBelow(folder, DEPTH)).map((run) => [nameOf(folder, run), run]));
}

/** undefined where there is no run of that name. Errors: LabError where it cannot be read. */
export async function getRun(folder: string, name: string): Promise<RunDetails | undefined> {
  const run = (await runsNamed(folder)).get(name);
  if (run === undefined) return undefined;
  const line = await lineOf(folder, run);
  if (line.problem !== undefined) throw new LabError(line.problem, "corrupt");
  const config = await configOf(run);
  const { step, loss, runningAccuracy, stage } = metricsAt(join(run, runFiles.metrics)) ?? NOTHING;
  return {
    ...line,
    config,
    curves: { loss: envelope(step, loss, PARTS), accuracy: envelope(step, runningAccuracy, PARTS) },
    stageStarts: stageStartsIn(step, stage),
    reports: reportsAbove(folder, run),
    trouble: [...(line.trouble ?? []), ...lossTrouble(step, loss)],
    tests: lastAnswers(run)
      .filter(({ programs }) => programs > 0)
      .map(({ change, accuracy, programs, references }) => ({
        ...{ name: testName(change), accuracy, programs },
        ...(references.windowedBayes && { windowedBayes: references.windowedBayes.accuracy }),
      })),
  };
}

function stageStartsIn(step: Float64Array, stage: Float64Array): number[] {
  const starts: number[] = [];
  for (let i = 1; i < stage.length; i++) if (stage[i] > stage[i - 1]) starts.push(step[i]);
  return starts;
}

/** A loss that was no number; one that ends higher than it began (means of a twentieth of the steps at each end). */
function lossTrouble(step: Float64Array, loss: Float64Array): string[] {
  const lost = loss.findIndex((each) => !Number.isFinite(each));
  if (lost >= 0) return [`diverged: the loss of step ${step[lost]} is no number`];
  const part = Math.floor(loss.length / 20);
  if (part < 5) return [];
  const [first, last] = [mean(loss.subarray(0, part)), mean(loss.subarray(-part))];
  return last > first
    ? [`diverged: the loss ends at ${last.toPrecision(3)}, above ${first.toPrecision(3)} where it began`]
    : [];
}

const REPORTS = [runFiles.report, searchFiles.report] as const;

/** In the run's folder and in those around it, up to the one that was opened. */
function reportsAbove(folder: string, run: string): string[] {
  const found: string[] = [];
  for (let at = run; ; at = dirname(at)) {
    for (const name of REPORTS) if (existsSync(join(at, name))) found.push(relative(folder, join(at, name)));
    if (relative(folder, at) === "") return found;
  }
}

/** undefined where no run has a report of that name. Errors: LabError for a link to elsewhere. */
export async function readReport(folder: string, name: string): Promise<Buffer | undefined> {
  const runs = await runsBelow(folder, DEPTH);
  if (!runs.some((run) => reportsAbove(folder, run).includes(name))) return undefined;
  refuseLink(folder, join(folder, name), name); // it is one of those that were found
  return readInput(join(folder, name), { regular: true });
}

/** Beyond this a run is no small model, and a page is no place for it. */
const MOST_BYTES = 200 * 2 ** 20;
/** Longer logs are left out: resuming needs only the checkpoint. */
const MOST_LOG_BYTES = 16 * 2 ** 20;

/**
 * Configuration, log and newest checkpoint as one file. undefined where there is no run of that name. Errors: LabError where it has no checkpoint,
 * or a too large one.
 */
export async function folderTar(folder: string, name: string): Promise<Uint8Array | undefined> {
  const run = (await runsNamed(folder)).get(name);
  if (run === undefined) return undefined;
  checkFolder(run);
  const checkpoints = join(run, runFiles.checkpoints);
  const steps = existsSync(checkpoints)
    ? readdirSync(checkpoints).filter((each) => /^\d{1,15}$/.test(each))
    : [];
  if (steps.length === 0)
    fail(name, "a run with a checkpoint", "none yet", "It saves one when it is interrupted");
  const newest = `${runFiles.checkpoints}/${Math.max(...steps.map(Number))}`;
  const paths = [
    ...[runFiles.config, runFiles.metrics],
    ...readdirSync(join(run, newest)).map((each) => `${newest}/${each}`),
  ].filter((path) => existsSync(join(run, path)));
  const files: Record<string, Uint8Array> = {};
  let bytes = 0;
  for (const path of paths) {
    const at = join(run, path);
    const { size } = statSync(at);
    if (path === runFiles.metrics && size > MOST_LOG_BYTES) continue;
    bytes += size;
    if (bytes > MOST_BYTES)
      fail(
        name,
        "a run of at most 200 MB",
        `${Math.ceil(bytes / 2 ** 20)} MB`,
        "Continue it with statelab train --resume",
      );
    files[path] = readFileSync(at);
  }
  return writeTar(files);
}

/** A report around the runs is in none of their folders: one that is a link to elsewhere is not read. */
function refuseLink(folder: string, path: string, name: string): void {
  if (!realpathSync(path).startsWith(realpathSync(folder) + sep))
    fail(name, "files inside the opened folder", "a link out of it", undefined, "corrupt");
}

const nameOf = (folder: string, run: string) => relative(folder, run) || ".";

async function lineOf(folder: string, run: string): Promise<RunLine> {
  const name = nameOf(folder, run);
  try {
    const { model, task, seed, train, curriculum } = await configOf(run);
    const last = lastStep(run);
    const finished = last !== undefined && existsSync(join(run, runFiles.model));
    const running = ownerAt(join(run, runFiles.lock)) !== undefined;
    return {
      ...{ name, model: model.name, task: task.name, seed, steps: train.steps, step: last?.step ?? 0 },
      ...(last && { loss: last.loss, accuracy: last.runningAccuracy }),
      stages: [(last?.stage ?? 0) + 1, curriculum.stages.length],
      ...(!running && last !== undefined && { trouble: troubleOf(curriculum, last) }),
      state: running ? "running" : finished ? "finished" : "stopped",
      isTested: existsSync(join(run, runFiles.tested)),
    };
  } catch (error) {
    if (error instanceof LabError) return { name, problem: error.message };
    throw error;
  }
}

function troubleOf(curriculum: RunConfig["curriculum"], { step, loss, stage }: Step): string[] {
  const stalled = stalledAt({ curriculum }, stage);
  return [
    ...(stalled === undefined ? [] : [stalledWords(stalled)]),
    ...(Number.isFinite(loss) ? [] : [`diverged: the loss of step ${step} is no number`]),
  ];
}

/** By its end alone: a log may have a million lines. */
function lastStep(run: string): Step | undefined {
  const path = join(run, runFiles.metrics);
  if (!existsSync(path)) return undefined;
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(TAIL, size));
    readSync(file, bytes, 0, bytes.length, size - bytes.length);
    const lines = bytes.toString("utf8").split("\n").slice(0, -1); // what follows the last newline is half a line
    return lines.map(parsed).findLast((step) => step !== undefined);
  } finally {
    closeSync(file);
  }
}

export interface Versus {
  readonly comparisons: readonly Comparison[];
  readonly left: readonly LeftOut[];
}

/** undefined where there is no such group. Errors: LabError where they have no test, task or seed in common, or were asked nothing. */
export async function versus(folder: string, names: readonly [string, string]): Promise<Versus | undefined> {
  const runs = await runsNamed(folder);
  const sides: Contender[] = [];
  for (const name of names) {
    const own = [...runs].filter(([each]) => runGroup(each) === name);
    if (own.length === 0) return undefined;
    const found = await Promise.all(own.map(([, path]) => contendersIn(path)));
    sides.push({ name, runs: found.flat().flatMap((each) => each.runs) });
  }
  const [baseline, contender] = sides;
  if (baseline.name === contender.name) fail("compare", "two groups of runs", baseline.name);
  return { comparisons: compare(baseline, contender), left: leftOut(sides) };
}
