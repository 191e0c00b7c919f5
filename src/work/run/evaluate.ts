/**
 * @file Asks one trained run about its tests, or one other, and writes evaluation.json: what `evaluate` prints. The answers
 * themselves are in tested.jsonl, from which this is made.
 */

import { join } from "node:path";
import { applySettings } from "../../records/config.ts";
import type { LabError } from "../../records/error.ts";
import { jsonText } from "../../records/finite.ts";
import type { RunConfig } from "../../records/run.ts";
import type { Stalled } from "../../records/stalled.ts";
import { runFiles, writeFileAtomic } from "../../store/index.ts";
import { isModulePath } from "./load.ts";
import { type Agreement, readAsked, tellReveals } from "./reveals.ts";
import { readTested, summaryOf, type TestSummary } from "./tested.ts";
import { askTests, orTold } from "./tests.ts";
import { openTrained, type TrainedRun } from "./trained.ts";

export interface EvaluateRequest {
  readonly folder: string;
  /** What is changed in the task, `commands=48`; without any the tests of the configuration are asked. */
  readonly settings?: readonly string[];
  /** A test; as configured where it is undefined. */
  readonly programs?: number | undefined;
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
  readonly run: string;
  /** Steps that the weights were trained for. */
  readonly step: number;
  readonly model: RunConfig["model"];
  /** Absent where the whole curriculum was trained. */
  readonly stalled?: Stalled;
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
  const against = request.against === undefined ? undefined : await readAsked(request.against);
  const run = await openTrained(folder, { asEdited });
  const { config, step } = run;
  // applySettings of {} is an object
  const change = applySettings({}, settings) as Readonly<Record<string, unknown>>;
  const tests = settings.length > 0 ? [change] : config.evaluate.tests;
  const programs = request.programs ?? config.evaluate.programs;
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
  const about = { run: folder, step, model: config.model, ...(stalled && { stalled }) };
  const document: EvaluationDocument = { version: 2, ...about, results };
  if (!asEdited) {
    const path = join(folder, runFiles.evaluation);
    await orTold(writeFileAtomic(path, `${jsonText(document, path, 2)}\n`), onUnkept);
  }
  const { reveals } = request;
  const agreement =
    reveals === undefined && against === undefined
      ? undefined
      : await tellReveals(run, tests, programs, { reveals, against, signal });
  const isKnown = new Set<unknown>(known);
  const before = answers.filter((answer) => isKnown.has(answer)).length;
  const remarks = [
    ...run.remarks,
    ...(unkept === undefined ? [] : [`the answers could not be kept: ${unkept}`]),
  ];
  return { document, before, remarks, agreement };
}

/** Whether the programs that were asked may have been others: a folder of traces, or own files of which no copy was kept. */
const mayHaveChanged = ({ config: { task, model }, pinned }: TrainedRun) =>
  task.folder !== undefined || (!pinned && (isModulePath(task.name) || isModulePath(model.name)));
