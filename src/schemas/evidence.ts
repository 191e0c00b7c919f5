/**
 * @file The evidence: what an experiment last measured of each published result. `evidence/NAME/SCALE.json` holds it, so that it
 * outlives the run folders it came from; `docs/evidence.md` and `evidence/README.md` are made from all of them.
 */

import { z } from "zod";
import { unlearned } from "./convergence.ts";
import { Claim, ExperimentResult, ResultRow } from "./experiment-result.ts";

/** A model in one setting, over its seeds: who has not learned its training shows nothing beyond it. */
export const Trained = z.strictObject({
  setting: z.string(),
  model: z.string(),
  /** The last stage of the curriculum that every seed came to, from 1. */
  stage: z.int(),
  stages: z.int(),
  /** Mean accuracy in the test as trained that is lowest, and in the one that is highest; absent where none was asked. */
  lowest: z.number().optional(),
  highest: z.number().optional(),
  /** Where the mean is lowest, the seed that has least. */
  lowestSeed: z.number().optional(),
  /** How many seeds, of how many, have not learned it (learned.ts). */
  unlearned: z.strictObject({ seeds: z.int(), of: z.int() }).optional(),
});
export type Trained = z.infer<typeof Trained>;

/** One model in one seed on the programs of one test: what tables and figures of accuracy are made of. */
export const EvidenceRow = z.strictObject({
  ...ResultRow.pick({ setting: true, model: true, seed: true }).shape,
  test: z.string(),
  asTrained: z.boolean(),
  programs: z.int(),
  reveals: z.int(),
  accuracy: z.number(),
  /** Over the last reveal of each program. */
  accuracyLast: z.number(),
});
export type EvidenceRow = z.infer<typeof EvidenceRow>;

export const EvidenceEntry = z.strictObject({
  version: z.literal(1),
  ...ExperimentResult.pick({
    experiment: true,
    question: true,
    command: true,
    date: true,
    scale: true,
    seeds: true,
    device: true,
    machine: true,
    seconds: true,
    findings: true,
    checks: true,
  }).shape,
  claims: z.array(Claim),
  /** What the models came to in what they were trained on; absent, as `machine` is, in entries made before the field. */
  trained: z.array(Trained).optional(),
  /** Absent in entries made before the field: their numbers by seed and test are in the log alone. */
  rows: z.array(EvidenceRow).optional(),
  /** What has changed in the experiment since, where that makes the command give other numbers today: written by hand. */
  outdated: z.string().optional(),
});
export type EvidenceEntry = z.infer<typeof EvidenceEntry>;

/** Smoke scale is no evidence: it only shows that everything runs. A full budget stands in the log. */
export function evidenceOf(result: ExperimentResult): EvidenceEntry | undefined {
  if (result.scale === "smoke" || result.budget === "full") return undefined;
  return EvidenceEntry.strip().parse({
    ...result,
    trained: trainedIn(result),
    ...(result.results.length > 0 && { rows: result.results.map(rowOf) }),
    version: 1,
  });
}

function rowOf({ setting, model, seed, tested, accuracy, accuracyLast }: ResultRow): EvidenceRow {
  const { name: test, asTrained, programs, reveals } = tested;
  return { setting, model, seed, test, asTrained, programs, reveals, accuracy, accuracyLast };
}

function trainedIn(result: ExperimentResult): Trained[] {
  const { results, training } = result;
  const parts = new Map(training.map((curve) => [`${curve.setting}\0${curve.model}`, curve]));
  return [...parts.values()].flatMap(({ setting, model }): Trained[] => {
    const isOwn = (each: { readonly setting: string; readonly model: string }) =>
      each.setting === setting && each.model === model;
    const stages = training.filter(isOwn).flatMap((curve) => curve.stages ?? []);
    const [first] = stages;
    if (first === undefined) return [];
    const own = results.filter((row) => isOwn(row) && row.tested.asTrained);
    const tests = [...new Set(own.map(({ tested }) => tested.name))]
      .map((name) => own.flatMap(({ tested, accuracy }) => (tested.name === name ? [accuracy] : [])))
      .toSorted((a, b) => mean(a) - mean(b));
    return [
      {
        ...{ setting, model },
        stage: Math.min(...stages.map(({ reached }) => reached)),
        stages: first.of,
        ...(tests.length > 0 && {
          lowest: mean(tests[0]!),
          highest: mean(tests.at(-1)!),
          lowestSeed: Math.min(...tests[0]!),
        }),
        unlearned: { seeds: unlearned(result, { setting, model }).length, of: stages.length },
      },
    ];
  });
}

/** Of two entries of one experiment and scale the newer; of two of one day the later given. */
export function newerOf(before: EvidenceEntry | undefined, found: EvidenceEntry): EvidenceEntry {
  return before === undefined || before.date <= found.date ? found : before;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
