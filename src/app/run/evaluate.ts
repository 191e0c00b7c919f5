/**
 * @file Evaluates a trained run on its tests or on others. Each answer is saved at once (tested.jsonl), so that nothing is
 * evaluated twice; `evaluate` also writes evaluations/NAME@STEP.json, and the newest of these as evaluation.json.
 *
 *     --set variables=3 --grid commands=12,48 --grid spacing=4,12
 *     {variables: 3, commands: 12, spacing: 4}, {..., spacing: 12}, {..., commands: 48, spacing: 4}, {..., spacing: 12}
 *
 * A grid point that the task does not allow (a reveal every 24 of 12 commands) is left out and reported.
 */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { fail, LabError } from "../../core/error.ts";
import { jsonText } from "../../core/json.ts";
import { applySettings } from "../../core/settings.ts";
import type { Stalled } from "../../schemas/convergence.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { type Nats, type Shares, type TestedRecord, testName } from "../../schemas/test-result.ts";
import { readRecord, runFiles, writeFileAtomic } from "../../storage/index.ts";
import type { Tokenizer } from "../../tasks/tokenizer.ts";
import { type Evaluation, freshInTurns, meanNats } from "../../train/evaluate.ts";
import { type Axis, combine, parseAxis } from "../grid.ts";
import { isModulePath } from "../own-code/load.ts";
import {
  type Asked,
  askRun,
  type Chosen,
  isAverage,
  openTrainedRun,
  type TrainedRun,
  testAbout,
} from "./open.ts";
import { type Agreement, readAsked, savePredictions } from "./predictions.ts";
import { answerTo, readResults, saveResult, summaryOf, type TestSummary } from "./results.ts";

type Change = Readonly<Record<string, unknown>>;

export interface EvaluateRequest {
  readonly folder: string;
  /** Changes to the task, `commands=48`; without any, the tests of the configuration. */
  readonly settings?: readonly string[];
  /** A grid, `commands=12,48`: every combination is a test. */
  readonly over?: readonly string[];
  /** Name of the evaluation; by default made from the settings. */
  readonly name?: string | undefined;
  /** Programs per test; by default as configured. */
  readonly programs?: number | undefined;
  /** By default the newest checkpoint. Results of an average are not saved. */
  readonly checkpoint?: Chosen | undefined;
  /** By default that of the training. */
  readonly device?: RunConfig["device"] | undefined;
  /** Evaluate again what was evaluated before. */
  readonly again?: boolean;
  /** Use the own files on the disk, and save nothing: the answers are not those of this run. */
  readonly useCurrentCode?: boolean;
  /** Write every reveal to this file. */
  readonly reveals?: string | undefined;
  /** Compare with the answers in this folder, written by `llm eval`. */
  readonly against?: string | undefined;
  readonly signal: AbortSignal;
  /** Called before each test. */
  readonly onAsk?: (test: string, done: number, of: number) => void;
}

/** The content of evaluation.json. */
interface EvaluationDocument {
  readonly version: 2;
  readonly name: string;
  readonly run: string;
  /** Training steps of the weights. */
  readonly step: number;
  readonly model: RunConfig["model"];
  /** Absent if the whole curriculum was trained. */
  readonly stalled?: Stalled;
  /** Axes of the grid of tests, the last changing fastest; points that the task does not allow are missing. */
  readonly grid?: readonly Axis[];
  readonly results: readonly TestSummary[];
}

export interface Evaluated {
  readonly document: EvaluationDocument;
  /** Tests that were answered before. */
  readonly before: number;
  /** Warnings, one sentence each. */
  readonly remarks: readonly string[];
  /** With `against`: agreement of the reveals. */
  readonly agreement: Agreement | undefined;
}

/** On an abort it throws the signal's reason between two tests; finished tests are saved. */
export async function evaluateRun(request: EvaluateRequest): Promise<Evaluated> {
  const { folder, settings = [], signal, onAsk, useCurrentCode = false } = request;
  const { reveals } = request;
  if (reveals !== undefined && !existsSync(dirname(reveals)))
    fail("--save-predictions", "a file in an existing folder", reveals, "Create the folder first");
  const against = request.against === undefined ? undefined : await readAsked(request.against);
  const run = await openTrainedRun(folder, {
    ...{ useCurrentCode, step: request.checkpoint, device: request.device },
  });
  const { config, step } = run;
  const questions = questionsFor(run, { settings, over: request.over ?? [] });
  const { tests, axes } = questions;
  const programs = request.programs ?? config.evaluate.examples;
  const usual =
    programs === config.evaluate.examples ? questions.name : `${questions.name},programs=${programs}`;
  const name = request.name ?? usual;
  const path = await freePlace(folder, `${name}@${step}`, tests, programs);
  const saves = !useCurrentCode && !isAverage(request.checkpoint); // a step names the run's weights
  const known = request.again || !saves || mayHaveChanged(run) ? [] : readResults(folder);
  let unkept: string | undefined;
  const onUnkept = ({ message }: LabError) => {
    unkept ??= message;
  };
  const answers = await askTests(folder, run, {
    onUnkept,
    ...{ tests, programs, known, signal, keep: saves },
    onAsk: (test, done) => onAsk?.(test, done, tests.length),
  });
  const results = answers.map(summaryOf);
  const { stalled } = run;
  const grid = axes.length > 0 ? { grid: axes } : {};
  const about = { name, run: folder, step, model: config.model, ...(stalled && { stalled }), ...grid };
  const document: EvaluationDocument = { version: 2, ...about, results };
  if (saves) {
    for (const file of [path, join(folder, runFiles.evaluation)]) {
      await orTold(writeFileAtomic(file, `${jsonText(document, file, 2)}\n`), onUnkept);
    }
  }
  const agreement =
    reveals === undefined && against === undefined
      ? undefined
      : await savePredictions(run, tests, programs, { reveals, against, signal });
  const isKnown = new Set<unknown>(known);
  const before = answers.filter((answer) => isKnown.has(answer)).length;
  const remarks = [
    ...run.remarks,
    ...questions.left,
    ...(unkept === undefined ? [] : [`answers are not cached: ${unkept}`]),
  ];
  return { document, before, remarks, agreement };
}

const Kept = z.looseObject({ results: z.array(z.looseObject({ change: z.unknown(), wanted: z.unknown() })) });

/** The path of an evaluation. Errors: LabError if this name is taken by another one. */
async function freePlace(
  folder: string,
  name: string,
  tests: readonly Change[],
  wanted: number,
): Promise<string> {
  if (!/^[\w][\w.,=@-]*$/.test(name)) fail("--name", "letters, digits and . , = -", name);
  const path = join(folder, runFiles.evaluations, `${name}.json`);
  if (!existsSync(path)) return path;
  const { results } = await readRecord(path, Kept, "Remove it");
  const was = results.map((result) => ({ change: result.change, wanted: result.wanted }));
  if (
    !isDeepStrictEqual(
      was,
      tests.map((change) => ({ change, wanted })),
    )
  ) {
    fail(path, "the same tests", "other tests", "Choose another --name");
  }
  return path;
}

/** Whether earlier answers may be about other programs: those of a folder, or of own files without a copy. */
const mayHaveChanged = ({ config: { task, model }, pinned }: TrainedRun) =>
  task.folder !== undefined || (!pinned && (isModulePath(task.name) || isModulePath(model.name)));

export interface Asking {
  readonly tests: readonly Change[];
  /** Per test. */
  readonly programs: number;
  /** Answers that are reused. */
  readonly known: readonly TestedRecord[];
  /** `done`: tests finished before this one. */
  readonly onAsk?: (test: string, done: number) => void;
  /** Whether to save the answers in the run folder; default true. */
  readonly keep?: boolean;
  /** Receives a disk error of saving; without it, such an error is thrown. */
  readonly onUnkept?: (refusal: LabError) => void;
  readonly signal: AbortSignal;
}

/** Returns one answer per test, in order. On an abort it throws the signal's reason between two tests. */
export async function askTests(folder: string, run: TrainedRun, asking: Asking): Promise<TestedRecord[]> {
  const { tests, programs: wanted, onAsk, signal, keep = true } = asking;
  const known = [...asking.known];
  const answers: TestedRecord[] = [];
  for (const [done, change] of tests.entries()) {
    await new Promise(setImmediate); // let an abort signal arrive
    signal.throwIfAborted();
    onAsk?.(testName(change), done);
    let answer = answerTo(known, { step: run.step, change, wanted });
    if (answer === undefined) {
      const asked = await ask(run, change, wanted, signal);
      if (keep) await orTold(saveResult(folder, asked), asking.onUnkept);
      known.push(asked);
      answer = asked;
    }
    answers.push(answer);
  }
  return answers;
}

/** Awaits a write; reports a disk error to `onUnkept` instead of throwing. */
async function orTold(writing: Promise<void>, onUnkept: Asking["onUnkept"]): Promise<void> {
  try {
    await writing;
  } catch (error) {
    if (onUnkept === undefined || !(error instanceof LabError) || error.kind !== "unwritable") throw error;
    onUnkept(error);
  }
}

async function ask(
  run: TrainedRun,
  change: Change,
  wanted: number,
  signal: AbortSignal,
): Promise<TestedRecord> {
  const asked = await askRun(run, change, wanted, { signal });
  const { programs, reveals, hits } = asked.evaluation;
  const nats = natsOf(asked);
  return {
    ...{ version: 2, step: run.step, change, wanted, programs, reveals },
    ...sharesOf(asked.evaluation),
    references: Object.fromEntries(
      Object.entries(asked.references).map(([name, evaluation]) => [name, sharesOf(evaluation)]),
    ),
    ...(nats && { nats }),
    places: await freshInTurns(testAbout(run, change, wanted, signal)),
    hits: hits.map((program) => program.join("")),
  };
}

function sharesOf({ accuracy, accuracyLast, accuracyByReveal }: Evaluation): Shares {
  return { accuracy, accuracyLast, accuracyByReveal: [...accuracyByReveal] };
}

/** Surprise of the model and of the exact filter; undefined if the task has no hidden chance. */
function natsOf({ evaluation, exactSurprises }: Asked): Nats | undefined {
  const { surprises } = evaluation;
  if (surprises === undefined || exactSurprises === undefined) return undefined;
  const [vocabulary, values] = [meanNats(surprises.vocabulary), meanNats(surprises.values)];
  return { vocabulary, values, exact: meanNats(exactSurprises) };
}

/** Answers to all tests of a configuration, in order; undefined if one is missing. */
export function answersToAll(
  known: readonly TestedRecord[],
  { settings: tests, examples: wanted }: RunConfig["evaluate"],
  step: number,
): TestedRecord[] | undefined {
  const found = tests.flatMap((change) => answerTo(known, { step, change, wanted }) ?? []);
  return found.length === tests.length ? found : undefined;
}

interface Questions {
  readonly tests: readonly Change[];
  /** Empty if the tests are no grid. */
  readonly axes: readonly Axis[];
  /** One sentence for each grid point that the task does not allow. */
  readonly left: readonly string[];
  /** Default name: `tests`, `commands=48,spacing=4`. */
  readonly name: string;
}

/** A test changes only the task, so `task.commands` is `commands`. */
const ofTask = (settings: readonly string[]) => settings.map((setting) => setting.replace(/^\s*task\./, ""));

/** Errors: LabError if no point of the grid is allowed, or a setting needs words that the run does not know. */
function questionsFor(
  run: TrainedRun,
  { settings, over }: { readonly settings: readonly string[]; readonly over: readonly string[] },
): Questions {
  const axes = ofTask(over).map(parseAxis);
  const base = applySettings({}, ofTask(settings)) as Change; // settings applied to an object give an object
  if (settings.length + over.length === 0) {
    return { tests: run.config.evaluate.settings, axes: [], left: [], name: "tests" };
  }
  const all = combine(axes).map(({ changes }) => {
    const own = Object.entries(changes).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    return applySettings(base, own) as Change;
  });
  const left: LabError[] = [];
  const tests = all.filter((change) => {
    try {
      allowed(run, change);
      return true;
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      left.push(error);
      return false;
    }
  });
  if (tests.length === 0) throw left[0];
  return { tests, axes, left: left.map(({ message }) => `left out: ${message}`), name: nameOf(base, axes) };
}

/** Prepares the task of a test. Errors: LabError if its programs have words that the run has not learned. */
function allowed({ data: { variant, tokenizer } }: TrainedRun, change: Change): void {
  if (tokenizer.kind === "file") return; // it has all texts, or refuses one by its name
  const unknown = variant(change, testName(change)).words.filter((word) => !isKnown(tokenizer, word));
  if (unknown.length === 0) return;
  const hint = "Train a model with this setting";
  fail(testName(change), "words of the run's vocabulary", unknown.slice(0, 8).join(" "), hint);
}

function isKnown(tokenizer: Tokenizer, word: string): boolean {
  try {
    tokenizer.encode(word);
    return true;
  } catch {
    return false;
  }
}

/** `variables=3,commands=12-48,spacing=4-12`, as a file name. */
function nameOf(base: Change, axes: readonly Axis[]): string {
  const parts = [
    ...Object.entries(base).map(([key, value]) => [key, [value]] as const),
    ...axes.map(({ key, values }) => [key, values] as const),
  ];
  const name = parts
    .map(([key, values]) => `${key}=${values.map((value) => JSON.stringify(value)).join("-")}`)
    .join(",");
  return name.replaceAll(/[^\w.,=-]+/g, "").slice(0, 120);
}
