/**
 * @file The evidence: what an experiment last measured of each published result. `evidence/NAME/SCALE.json` holds it, so that it
 * outlives the run folders it came from; `docs/evidence.md` and `evidence/README.md` are made from all of them.
 */

import { z } from "zod";
import { Claim, ExperimentResult } from "./result.ts";

/** A model in one setting, over its seeds: who has not learned its training shows nothing beyond it. */
export const Trained = z.strictObject({
  setting: z.string(),
  model: z.string(),
  /** The last stage of the curriculum that every seed came to, from 1. */
  stage: z.int(),
  stages: z.int(),
  /** Mean accuracy in the test as trained that is lowest, and in the one that is highest. */
  lowest: z.number(),
  highest: z.number(),
});
export type Trained = z.infer<typeof Trained>;

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
  }).shape,
  claims: z.array(Claim),
  /** What the models came to in what they were trained on; absent in entries of version 0.1. */
  trained: z.array(Trained).optional(),
});
export type EvidenceEntry = z.infer<typeof EvidenceEntry>;

/** Smoke scale is no evidence: it only shows that everything runs. A full budget stands in the log. */
export function evidenceOf(result: ExperimentResult): EvidenceEntry | undefined {
  if (result.scale === "smoke" || result.budget === "full") return undefined;
  return EvidenceEntry.strip().parse({ ...result, trained: trainedIn(result), version: 1 });
}

function trainedIn({ results, training }: ExperimentResult): Trained[] {
  const parts = new Map(training.map((curve) => [`${curve.setting}\0${curve.model}`, curve]));
  return [...parts.values()].flatMap(({ setting, model }): Trained[] => {
    const stages = training.flatMap((curve) =>
      curve.setting === setting && curve.model === model && curve.stages ? [curve.stages] : [],
    );
    const own = results.filter(
      (row) => row.setting === setting && row.model === model && row.tested.asTrained,
    );
    const names = [...new Set(own.map(({ tested }) => tested.name))];
    if (stages.length === 0 || names.length === 0) return [];
    const means = names.map((name) =>
      mean(own.flatMap(({ tested, accuracy }) => (tested.name === name ? [accuracy] : []))),
    );
    return [
      {
        ...{ setting, model },
        stage: Math.min(...stages.map(({ reached }) => reached)),
        stages: stages[0]!.of,
        lowest: Math.min(...means),
        highest: Math.max(...means),
      },
    ];
  });
}

/** Of two entries of one experiment and scale the newer; of two of one day the later given. */
export function newerOf(before: EvidenceEntry | undefined, found: EvidenceEntry): EvidenceEntry {
  return before === undefined || before.date <= found.date ? found : before;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
