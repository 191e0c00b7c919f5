/**
 * @file The evidence: what an experiment last measured of each published result. `evidence/NAME/SCALE.json` holds it, so that it
 * outlives the run folders it came from; `docs/evidence.md` and `evidence/README.md` are made from all of them.
 */

import { z } from "zod";
import { Claim, ExperimentResult } from "./result.ts";

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
    seconds: true,
    findings: true,
  }).shape,
  claims: z.array(Claim),
});
export type EvidenceEntry = z.infer<typeof EvidenceEntry>;

/** Smoke scale is no evidence: it only shows that everything runs. */
export function evidenceOf(result: ExperimentResult): EvidenceEntry | undefined {
  if (result.scale === "smoke") return undefined;
  return EvidenceEntry.strip().parse({ ...result, version: 1 });
}

/** Of two entries of one experiment and scale the newer; of two of one day the later given. */
export function newerOf(before: EvidenceEntry | undefined, found: EvidenceEntry): EvidenceEntry {
  return before === undefined || before.date <= found.date ? found : before;
}
