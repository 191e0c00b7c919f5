/**
 * @file Asks one trained run about its tests, or others, and keeps what `evaluate` prints: evaluations/NAME@STEP.json, and the
 * last of them in evaluation.json. The answers themselves are in tested.jsonl, from which these are made.
 */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { fail, type LabError } from "../../core/error.ts";
import { jsonText } from "../../core/json.ts";
import type { Stalled } from "../../schemas/curriculum-status.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { readRecord, runFiles, writeFileAtomic } from "../../storage/index.ts";
import type { Axis } from "../grid.ts";
import { isModulePath } from "../own-code/load.ts";
import { openTrained, type TrainedRun } from "./open.ts";
import { type Agreement, readAsked, tellReveals } from "./predictions.ts";
import { readTested, summaryOf, type TestSummary } from "./results.ts";
import { askTests, orTold } from "./run-tests.ts";
import { type Change, questionsFor } from "./test-settings.ts";

export interface EvaluateRequest {
  readonly folder: string;
  /** What is changed in the task, `commands=48`; without any the tests of the configuration are asked. */
  readonly settings?: readonly string[];
  /** A grid, `commands=12,48`: every combination is a test. */
  readonly over?: readonly string[];
  /** What the evaluation is called; after what is asked where it is undefined. */
  readonly name?: string | undefined;
  /** A test; as configured where it is undefined. */
  readonly programs?: number | undefined;
  /** Which checkpoint; the newest where it is undefined. */
  readonly checkpoint?: number | "best" | undefined;
  /** Ask also what was asked before. */
  readonly again?: boolean;
  /** Ask with own files as they are on the disk now, and keep nothing: those are not the answers of this run. */
  readonly asEdited?: boolean;
  /** A file for every reveal. */
  readonly reveals?: string | undefined;
  /** The folder of an asking whose answers are compared. */
  readonly against?: string | undefined;
  readonly signal: AbortSignal;
  /** Before each test: how many are done. */
  readonly onAsk?: (test: string, done: number, of: number) => void;
}

/** What evaluation.json holds. */
export interface EvaluationDocument {
  readonly version: 2;
  readonly name: string;
  readonly run: string;
  /** Steps that the weights were trained for. */
  readonly step: number;
  readonly model: RunConfig["model"];
  /** Absent where the whole curriculum was trained. */
  readonly stalled?: Stalled;
  /** What the tests are combinations of, the last changing fastest; combinations that the task does not allow are missing. */
  readonly grid?: readonly Axis[];
  readonly results: readonly TestSummary[];
}

export interface Evaluated {
  readonly document: EvaluationDocument;
  /** Tests whose answers were there. */
  readonly before: number;
  /** What is to be told of the run, one sentence each. */
  readonly remarks: readonly string[];
  /** Of the reveals with those of another asking, where one was named. */
  readonly agreement: Agreement | undefined;
}

/** Throws the signal's reason between two tests; what was answered is kept. */
export async function evaluateRun(request: EvaluateRequest): Promise<Evaluated> {
  const { folder, settings = [], signal, onAsk, asEdited = false } = request;
  const { reveals } = request;
  if (reveals !== undefined && !existsSync(dirname(reveals)))
    fail("--reveals", "a file in a folder that is there", reveals, "Make the folder first");
  const against = request.against === undefined ? undefined : await readAsked(request.against);
  const run = await openTrained(folder, { asEdited, step: request.checkpoint });
  const { config, step } = run;
  const questions = questionsFor(run, { settings, over: request.over ?? [] });
  const { tests, axes } = questions;
  const programs = request.programs ?? config.evaluate.programs;
  const name = request.name ?? nameOf(questions.name, programs, config);
  const path = await freePlace(folder, `${name}@${step}`, tests, programs);
  const known = request.again || asEdited || mayHaveChanged(run) ? [] : readTested(folder);
  let unkept: string | undefined;
  const onUnkept = ({ message }: LabError) => {
    unkept ??= message;
  };
  const answers = await askTests(folder, run, {
    onUnkept,
    ...{ tests, programs, known, signal, keep: !asEdited },
    onAsk: (test, done) => onAsk?.(test, done, tests.length),
  });
  const results = answers.map(summaryOf);
  const { stalled } = run;
  const grid = axes.length > 0 ? { grid: axes } : {};
  const about = { name, run: folder, step, model: config.model, ...(stalled && { stalled }), ...grid };
  const document: EvaluationDocument = { version: 2, ...about, results };
  if (!asEdited) {
    for (const file of [path, join(folder, runFiles.evaluation)]) {
      await orTold(writeFileAtomic(file, `${jsonText(document, file, 2)}\n`), onUnkept);
    }
  }
  const agreement =
    reveals === undefined && against === undefined
      ? undefined
      : await tellReveals(run, tests, programs, { reveals, against, signal });
  const isKnown = new Set<unknown>(known);
  const before = answers.filter((answer) => isKnown.has(answer)).length;
  const remarks = [
    ...run.remarks,
    ...questions.left,
    ...(unkept === undefined ? [] : [`the answers could not be kept: ${unkept}`]),
  ];
  return { document, before, remarks, agreement };
}

const nameOf = (asked: string, programs: number, { evaluate }: RunConfig) =>
  programs === evaluate.programs ? asked : `${asked},programs=${programs}`;

const Kept = z.looseObject({ results: z.array(z.looseObject({ change: z.unknown(), wanted: z.unknown() })) });

/** Where an evaluation is kept. Errors: LabError where another one is kept by this name. */
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
    fail(
      path,
      "the same tests, or no such file",
      "other tests",
      "Evaluations are kept: choose another --name",
    );
  }
  return path;
}

/** Whether the programs that were asked may have been others: a folder of traces, or own files of which no copy was kept. */
const mayHaveChanged = ({ config: { task, model }, pinned }: TrainedRun) =>
  task.folder !== undefined || (!pinned && (isModulePath(task.name) || isModulePath(model.name)));
