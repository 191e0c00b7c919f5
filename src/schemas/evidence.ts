/**
 * @file Evidence: the last measurements of an experiment for each published result, in `evidence/NAME/SCALE.json`, which outlives the run
 * folders. `docs/results/index.md` and `evidence/README.md` are generated from all of them.
 */

import { z } from "zod";
import { unlearned } from "./convergence.ts";
import { Claim, ExperimentResult, ResultRow } from "./experiment-result.ts";

/** A model in one setting, over its seeds: results beyond the training count only if it learned the training. */
export const Trained = z.strictObject({
  setting: z.string(),
  model: z.string(),
  /** The last curriculum stage that every seed reached, from 1. */
  stage: z.int(),
  stages: z.int(),
  /** Lowest and highest mean accuracy among the tests as trained; absent without such tests. */
  lowest: z.number().optional(),
  highest: z.number().optional(),
  /** The lowest accuracy of a seed in the test with the lowest mean. */
  lowestSeed: z.number().optional(),
  /** Number of seeds that have not learned it, and of all seeds (convergence.ts). */
  unlearned: z.strictObject({ seeds: z.int(), of: z.int() }).optional(),
});
export type Trained = z.infer<typeof Trained>;

/** One model and seed on one test: the data of tables and figures of accuracy. */
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
  /** Accuracy of the models on their training; like `machine`, absent in older entries. */
  trained: z.array(Trained).optional(),
  /** Absent in older entries, whose numbers by seed and test are only in the log. */
  rows: z.array(EvidenceRow).optional(),
  /** Later changes of the experiment that alter the numbers of the command; written by hand. */
  outdated: z.string().optional(),
});
export type EvidenceEntry = z.infer<typeof EvidenceEntry>;

/** Smoke scale is no evidence: it only shows that everything runs. The full budget is in the log. */
export function toEvidence(result: ExperimentResult): EvidenceEntry | undefined {
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

/** The newer of two entries of one experiment and scale; the later argument if both are of one day. */
export function newerEvidence(before: EvidenceEntry | undefined, found: EvidenceEntry): EvidenceEntry {
  return before === undefined || before.date <= found.date ? found : before;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
