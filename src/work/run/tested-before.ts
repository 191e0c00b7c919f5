/**
 * @file What version 0.1 kept of the tests that a run was asked, in two forms:
 *
 *     evaluation.json    of `evaluate` and of sweeps: { run, step, model, results: [{ change, programs, accuracy, ... }] }
 *     tested.jsonl       of experiments: a row of their result for each test, without the single answers
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { parseWith } from "../../records/config.ts";
import { ResultRow } from "../../records/result.ts";
import { shellWord } from "../../records/shell-word.ts";
import { Nats, Shares } from "../../records/tested.ts";
import { parseJson, readInput, readLog, runFiles } from "../../store/index.ts";
import { isBefore, type KnownTest, readTested } from "./tested.ts";

const Evaluation = z.strictObject({
  run: z.string(),
  step: z.int(),
  model: z.looseObject({ name: z.string() }),
  results: z.array(
    z.strictObject({
      ...Shares.shape,
      change: z.record(z.string(), z.unknown()),
      programs: z.int(),
      reveals: z.int(),
      references: z.record(z.string(), z.number()),
      nats: Nats.optional(),
      // From sweeps alone.
      wanted: z.int().optional(),
      places: z.array(z.int()).optional(),
      hits: z.array(z.array(z.number())).optional(),
    }),
  ),
});

/**
 * None where the file is of today: it has a version then, and says nothing that is not in tested.jsonl. Errors: LabError for a
 * damaged file.
 */
function evaluatedBefore(folder: string): KnownTest[] {
  const path = join(folder, runFiles.evaluation);
  if (!existsSync(path)) return [];
  const hint = `Write it anew: statelab evaluate ${shellWord(folder)}`;
  const document = parseJson(readInput(path).toString("utf8"), path, hint);
  if (!isBefore(document)) return [];
  const { step, results } = parseWith(Evaluation, document, path);
  return results.map(({ references, wanted, places, hits, nats, ...shares }) => ({
    ...shares,
    step,
    wanted: wanted ?? shares.programs,
    references: Object.fromEntries(
      Object.entries(references).map(([name, accuracy]) => [name, { accuracy }]),
    ),
    ...(nats && { nats }),
    ...(places && { places }),
    ...(hits && { hits: hits.map((program) => program.join("")) }),
  }));
}

/** An experiment asked finished runs alone, each as many programs as the row says. Errors: LabError naming the line. */
export function experimentedBefore(folder: string): KnownTest[] {
  const path = join(folder, runFiles.tested);
  if (!existsSync(path)) return [];
  return readLog(path).flatMap((line, i) => {
    if (!isBefore(line)) return [];
    const { tested, accuracy, accuracyLast, accuracyByReveal, references } = parseWith(
      ResultRow,
      line,
      `${path}, line ${i + 1}`,
    );
    const { change, programs, reveals } = tested;
    return [
      {
        ...{ change, wanted: programs, programs, reveals },
        ...{ accuracy, accuracyLast, accuracyByReveal, references },
      },
    ];
  });
}

/** All that is known of a run's tests, in whatever form, the newest last. */
export function knownTests(folder: string): KnownTest[] {
  return [...evaluatedBefore(folder), ...experimentedBefore(folder), ...readTested(folder)];
}
