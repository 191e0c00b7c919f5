/**
 * @file Results of a run, read from its folder: answers to tests (tested.jsonl), the training curve and the stages reached
 * (metrics.jsonl), and which program shapes it was trained on.
 *
 *     stage { length: [1, 3], spacing: [2, 4] }     covers length 2 and [2, 3], spacing 4 but not spacing 3
 */

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { StreamStep } from "../../analysis/async-data-stats.ts";
import { fail, LabError } from "../../core/error.ts";
import { jsonText } from "../../core/json.ts";
import { parseWith } from "../../core/settings.ts";
import type { ReportedStream } from "../../report/async-data.ts";
import { type Stalled, stalledAt } from "../../schemas/convergence.ts";
import type { TrainingCurve } from "../../schemas/experiment-result.ts";
import { type RunConfig, StepRecord } from "../../schemas/run-config.ts";
import { TestedRecord, testName } from "../../schemas/test-result.ts";
import { readLog, runFiles, writeFileAtomic } from "../../storage/index.ts";
import { taskNamed, taskParams } from "../../tasks/index.ts";
import { type RangeTest, rangeTest } from "../../train/schedule.ts";

/** In the order of evaluation. Errors: LabError that names a damaged line. */
export function readResults(folder: string): TestedRecord[] {
  const path = join(folder, runFiles.tested);
  if (!existsSync(path)) return [];
  return readLog(path).map((line, i) => parseWith(TestedRecord, line, `${path}, line ${i + 1}`));
}

/**
 * Adds a line. The file is replaced atomically: of two concurrent writers (`evaluate` during a sweep) one line may be lost and
 * is evaluated again, but no line is ever partial.
 */
export async function saveResult(folder: string, record: TestedRecord): Promise<void> {
  const path = join(folder, runFiles.tested);
  const before = existsSync(path) ? await readFile(path, "utf8") : "";
  await writeFileAtomic(path, `${before}${jsonText(record, path)}\n`);
}

/** A test of the weights of one step. */
interface AskedTest {
  readonly step: number;
  readonly change: Readonly<Record<string, unknown>>;
  readonly wanted: number;
}

/** The answer to the same test. The order of a change's keys matters: its text seeds the programs. */
export function answerTo(
  known: readonly TestedRecord[],
  { step, change, wanted }: AskedTest,
): TestedRecord | undefined {
  const text = JSON.stringify(change);
  return known.findLast(
    (test) => test.step === step && test.wanted === wanted && JSON.stringify(test.change) === text,
  );
}

/** A tested record without its single answers; each reference solver is reduced to its accuracy. */
export interface TestSummary
  extends Pick<
    TestedRecord,
    "change" | "wanted" | "programs" | "reveals" | "accuracy" | "accuracyLast" | "nats"
  > {
  readonly accuracyByReveal: readonly number[];
  readonly references: Readonly<Record<string, number>>;
}

export function summaryOf(test: TestedRecord): TestSummary {
  const { change, programs, reveals, accuracy, accuracyLast, accuracyByReveal, references, nats, wanted } =
    test;
  return {
    ...{ change, programs, reveals, accuracy, accuracyLast, accuracyByReveal },
    references: Object.fromEntries(
      Object.entries(references).map(([name, shares]) => [name, shares.accuracy]),
    ),
    ...(nats && { nats }),
    wanted,
  };
}

/** The lines of metrics.jsonl. Errors: LabError (corrupt) that names an invalid line, or one with an unknown stage. */
function stepsOf(folder: string, { curriculum: { stages } }: Pick<RunConfig, "curriculum">): StepRecord[] {
  const path = join(folder, runFiles.metrics);
  const records = readLog(path, StepRecord);
  const strange = records.findIndex(({ stage }) => stage >= stages.length);
  if (strange !== -1)
    fail(
      `${path}, line ${strange + 1}`,
      `a stage below ${stages.length}, as the curriculum has them`,
      records[strange].stage,
      undefined,
      "corrupt",
    );
  return records;
}

/** Curriculum stages not reached by a step, from the log alone; undefined if all were reached or there is no log. */
export function stalledIn(
  folder: string,
  config: Pick<RunConfig, "curriculum">,
  step = Number.POSITIVE_INFINITY,
): Stalled | undefined {
  const path = join(folder, runFiles.metrics);
  if (config.curriculum.stages.length === 1 || !existsSync(path)) return undefined;
  const last = stepsOf(folder, config).findLast((record) => record.step <= step);
  return last === undefined ? undefined : stalledAt(config, last.stage);
}

export interface Reached {
  readonly loss: number;
  /** With `train.schedule: range`. */
  readonly range?: RangeTest;
  /** Trained stages, in order. */
  readonly stages: readonly {
    /** Name of its hardest change. */
    readonly hardest: string;
    readonly first: number;
    readonly last: number;
    /** Running accuracy on the hardest change at the last step. */
    readonly accuracy: number;
  }[];
  /** The last held-out evaluation. */
  readonly heldOut?: { readonly step: number; readonly accuracy: number };
}

/** Final metrics of a training; undefined if no step was trained. */
export function reachedIn(
  folder: string,
  { curriculum, train }: Pick<RunConfig, "curriculum" | "train">,
): Reached | undefined {
  const records = stepsOf(folder, { curriculum });
  const end = records.at(-1);
  if (end === undefined) return undefined;
  const stages = curriculum.stages.flatMap((changes, stage) => {
    const own = records.filter((record) => record.stage === stage);
    if (own.length === 0) return [];
    const { step: last, runningAccuracy: accuracy } = own.at(-1)!;
    return [{ hardest: testName(changes.at(-1)!), first: own[0].step, last, accuracy }]; // a stage has one change at least
  });
  const asked = records.findLast(({ heldOut }) => heldOut !== undefined);
  const range = train.schedule === "range" ? rangeTest(records) : undefined;
  return {
    ...{ loss: end.loss, stages, ...(range && { range }) },
    ...(asked?.heldOut !== undefined && { heldOut: { step: asked.step, accuracy: asked.heldOut } }),
  };
}

/** Points of a curve, enough for a figure. */
const POINTS = 200;

interface RunAt {
  readonly folder: string;
  readonly config: RunConfig;
}

/** The training curve of a run, thinned for drawing. */
export function trainingCurve(
  { folder, config }: RunAt,
  parameters: number,
  most = POINTS,
): Omit<TrainingCurve, "setting" | "model"> {
  const records = stepsOf(folder, config);
  // From the configured steps, so that runs that ended early have points at the same steps as the others.
  const every = Math.max(1, Math.ceil(config.train.steps / most));
  return {
    seed: config.seed,
    parameters,
    learningRate: config.train.learningRate,
    batch: config.train.batch,
    stages: { reached: (records.at(-1)?.stage ?? 0) + 1, of: config.curriculum.stages.length },
    steps: config.train.steps,
    seconds: records.reduce((total, { seconds }) => total + seconds, 0),
    points: records
      .filter(({ step }) => step % every === 0 || step === records.length)
      .map(({ step, loss, runningAccuracy, stage }) => ({
        step,
        loss,
        accuracy: runningAccuracy,
        stage: stageName(config, stage),
      })),
  };
}

/** Name of a stage: the values of its hardest change, `12` for `{ spacing: 12 }`, or else its number. */
export function stageName({ curriculum }: Pick<RunConfig, "curriculum">, stage: number): string {
  const values = Object.values(curriculum.stages[stage].at(-1)!);
  return values.length === 0 ? String(stage + 1) : values.map((value) => [value].flat().join("–")).join(", ");
}

/** Statistics of the example stream; undefined without `data.async`. */
export function streamOf({ folder, config }: RunAt): ReportedStream | undefined {
  const bounds = config.data?.async;
  if (bounds === undefined) return undefined;
  const steps = stepsOf(folder, config).flatMap((record): StreamStep[] => {
    const parsed = Streamed.safeParse(record);
    return parsed.success ? [{ step: record.step, seconds: record.seconds, ...parsed.data }] : [];
  });
  return { bounds, steps };
}

/** The records of src/app/async-data/source.ts. */
const Streamed = z.object({
  waited: z.number(),
  blockSeconds: z.number(),
  blockWaited: z.number(),
  unread: z.number(),
  staleness: z.number().optional(),
});

type Taught = Pick<RunConfig, "task" | "curriculum">;
type Change = Readonly<Record<string, unknown>>;

/** Task options where two numbers are a range `[least, most]`, from which each program draws. */
export const RANGES: ReadonlySet<string> = new Set([
  "length",
  "commands",
  "pairs",
  "items",
  "lines",
  "conditions",
  "calls",
  "distance",
  "gap",
  "questions",
  "budget",
  "step",
]);

/** Task options where each program draws one of the listed values. */
export const CHOICES: ReadonlySet<string> = new Set(["spacing", "pauses"]);

/** Whether the curriculum has programs of this shape. */
export function isInTrainingRange(run: Taught, change: Change): boolean {
  return firstStage(run, change) !== -1;
}

/** Clears `asTrained` if the run did not reach the first stage (from 0) with programs of the shape of this test. */
export function cameTo<Test extends { readonly change: Change; readonly asTrained: boolean }>(
  run: Taught,
  test: Test,
  stage: number,
): Test {
  return firstStage(run, test.change) > stage ? { ...test, asTrained: false } : test;
}

/**
 * The changes with the smallest spacing in the stages up to `stage` (from 0): they decide whether a run has learned. All
 * changes if the task has no spacing. A list of spacings counts as its smallest.
 */
export function densestTaught({ task, curriculum }: Taught, stage: number): Change[] {
  const taught = curriculum.stages.slice(0, stage + 1).flatMap((changes) =>
    changes.map((change) => {
      const { spacing } = shapeOf(task, change);
      const least = Math.min(...[spacing ?? 0].flat().map(Number));
      return { least, change: Array.isArray(spacing) ? { ...change, spacing: least } : change };
    }),
  );
  const least = Math.min(...taught.map((each) => each.least));
  const densest = taught.filter((each) => each.least === least).map(({ change }) => change);
  return densest.filter((change, i) => densest.findIndex((each) => hasPrograms(task, each, change)) === i);
}

/** Whether a task with one change has the programs of a test with another. */
export const hasPrograms = (task: RunConfig["task"], taught: Change, asked: Change): boolean =>
  holds(shapeOf(task, taught), shapeOf(task, asked));

/** The first stage with programs of this shape; -1 if there is none. */
function firstStage({ task, curriculum }: Taught, change: Change): number {
  const asked = shapeOf(task, change);
  return curriculum.stages.findIndex((changes) => changes.some((each) => holds(shapeOf(task, each), asked)));
}

/** All options of the task with their defaults; the given options only if the task rejects them. */
function shapeOf(task: RunConfig["task"], change: Change): Change {
  const { name, ...params } = { ...task, ...change };
  try {
    return { name, ...(taskParams(taskNamed(task.name), params) as Change) };
  } catch (error) {
    if (error instanceof LabError) return { name, ...params };
    throw error;
  }
}

/** Whether each option is equal, or among the values that the stage draws. */
function holds(stage: Change, asked: Change): boolean {
  const names = [...new Set([...Object.keys(stage), ...Object.keys(asked)])];
  return names.every(
    (name) => isDeepStrictEqual(stage[name], asked[name]) || draws(name, stage[name], asked[name]),
  );
}

function draws(name: string, from: unknown, asked: unknown): boolean {
  const wanted = [asked].flat();
  if (!Array.isArray(from)) return false;
  if (CHOICES.has(name)) return wanted.every((each) => from.includes(each));
  if (!RANGES.has(name)) return false;
  const [least, most] = from;
  return wanted.every((each) => typeof each === "number" && least <= each && each <= most);
}
