/**
 * @file evaluation.json of a run: the tests of its configuration as `evaluate` writes them, and, from a sweep, the single
 * answers besides, so that two runs can be compared program by program.
 *
 *     { run, step, model, results: [{ change: { spacing: 4 }, programs, accuracy, ..., places: [0, 1, 3], hits: [[1, 0], ...] }] }
 *
 * `places` says which programs of the test's stream were asked: those that a run was trained on are passed over, and
 * two models in different stages of a curriculum are trained on different ones.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { RunConfig } from "../../records/run.ts";
import { readRecord, writeFileAtomic } from "../../store/index.ts";
import { exampleStream } from "../../tasks/stream.ts";
import { prepareVariant } from "../../train/data.ts";
import { freshExamples, meanNats } from "../../train/evaluate.ts";
import { type Asked, askAbout, type TrainedRun } from "./trained.ts";

const Share = z.number().min(0).max(1);

/** Nats a reveal: among all tokens, among the values alone, and of the exact filter, below which nobody comes on average. */
export const Nats = z.strictObject({ vocabulary: z.number(), values: z.number(), exact: z.number() });

/** What a model and the exact filter paid; undefined where nothing is hidden by chance. */
export function natsOf({ evaluation, exactSurprises }: Asked): z.infer<typeof Nats> | undefined {
  const { surprises } = evaluation;
  if (surprises === undefined || exactSurprises === undefined) return undefined;
  const [vocabulary, values] = [meanNats(surprises.vocabulary), meanNats(surprises.values)];
  return { vocabulary, values, exact: meanNats(exactSurprises) };
}

export const TestedRecord = z.strictObject({
  /** What was changed in the task that was trained. */
  change: z.record(z.string(), z.unknown()),
  /** With 0 programs the shares say nothing. */
  programs: z.int(),
  reveals: z.int(),
  accuracy: Share,
  accuracyLast: Share,
  accuracyByReveal: z.array(Share),
  references: z.record(z.string(), Share),
  /** Nats a reveal, where the task has a posterior. */
  nats: Nats.optional(),
  /** Programs that were asked for; a small task has fewer. */
  wanted: z.int().optional(),
  places: z.array(z.int()).optional(),
  /** For each program, for each of its reveals, 1 or 0. */
  hits: z.array(z.array(z.number())).optional(),
});
export type TestedRecord = z.infer<typeof TestedRecord>;

/** Without the single answers. */
export type TestedShares = Omit<TestedRecord, "places" | "hits">;

export function sharesOf({ places: _, hits: __, ...shares }: TestedRecord): TestedShares {
  return shares;
}

export const EvaluationRecord = z.strictObject({
  run: z.string(),
  /** Steps that the weights were trained for. */
  step: z.int(),
  model: z.looseObject({ name: z.string() }),
  results: z.array(TestedRecord),
});
export type EvaluationRecord = z.infer<typeof EvaluationRecord>;

/** undefined where nothing was asked yet. Errors: LabError for a damaged file. */
export async function readEvaluation(folder: string): Promise<EvaluationRecord | undefined> {
  const path = join(folder, "evaluation.json");
  if (!existsSync(path)) return undefined;
  return readRecord(path, EvaluationRecord, `Write it anew: statelab evaluate ${folder}`);
}

/** The answers to every test of a configuration, in its order; undefined while one is missing. */
export async function finishedTests(folder: string, config: RunConfig): Promise<TestedRecord[] | undefined> {
  const found = config.evaluate.tests.map(await answersKnown(folder, config));
  return found.includes(undefined) ? undefined : (found as TestedRecord[]); // none is undefined
}

/** Asks a trained run about every test of its configuration. Each answer is written at once: none is asked twice. */
export async function askTests(
  folder: string,
  run: TrainedRun,
  onAsk: (test: string) => void,
  signal: AbortSignal,
): Promise<TestedRecord[]> {
  const { config, step } = run;
  const { programs: wanted, tests } = config.evaluate;
  const known = await answersKnown(folder, config);
  const results: TestedRecord[] = [];
  for (const change of tests) {
    await new Promise(setImmediate); // a signal is heard between two tests
    signal.throwIfAborted();
    onAsk(testName(change));
    results.push(known(change) ?? (await ask(run, change, wanted)));
    const document: EvaluationRecord = { run: folder, step, model: config.model, results };
    await writeFileAtomic(join(folder, "evaluation.json"), `${JSON.stringify(document)}\n`);
  }
  return results;
}

async function ask(run: TrainedRun, change: object, wanted: number): Promise<TestedRecord> {
  const asked = await askAbout(run, { ...change }, wanted);
  const { hits, surprises: _, ...numbers } = asked.evaluation;
  const nats = natsOf(asked);
  const places = freshExamples({
    prepared: prepareVariant(run.task, run.config, change, "test"),
    tokenizer: run.data.tokenizer,
    stream: exampleStream(run.config.seed, `test ${JSON.stringify(change)}`),
    programs: wanted,
    exclude: run.trained,
  });
  return {
    change: { ...change },
    ...numbers,
    accuracyByReveal: [...numbers.accuracyByReveal],
    references: Object.fromEntries(
      Object.entries(asked.references).map(([name, { accuracy }]) => [name, accuracy]),
    ),
    ...(nats && { nats }),
    wanted,
    places,
    hits: hits.map((program) => [...program]),
  };
}

/** Finds what is known of a test of the finished training. */
async function answersKnown(folder: string, { train, evaluate }: RunConfig) {
  const before = await readEvaluation(folder);
  return (change: object): TestedRecord | undefined => {
    if (before?.step !== train.steps) return undefined;
    const wanted = JSON.stringify(change);
    return before.results.find(
      (result) => JSON.stringify(result.change) === wanted && result.wanted === evaluate.programs,
    );
  };
}

/** `commands 48, spacing 24`. */
export function testName(change: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(change).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  return parts.join(", ") || "as configured";
}
