/**
 * @file The evidence: what each experiment last measured of each published result. `docs/evidence.json` holds it, so that it
 * outlives the run folders it came from; `docs/evidence.md` is made from it.
 */

import { z } from "zod";
import { Claim, ExperimentResult } from "./result.ts";

export const EvidenceEntry = z.strictObject({
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

export const Evidence = z.strictObject({
  version: z.literal(1),
  entries: z.array(EvidenceEntry),
});
export type Evidence = z.infer<typeof Evidence>;

/** Smoke scale is no evidence: it only shows that everything runs. */
export function evidenceOf(result: ExperimentResult): EvidenceEntry | undefined {
  if (result.scale === "smoke") return undefined;
  return EvidenceEntry.strip().parse(result);
}

/** The newer entry of each experiment and scale; of two of one day the later given. Order: as first seen. */
export function mergeEvidence(...entries: readonly EvidenceEntry[]): EvidenceEntry[] {
  const merged = new Map<string, EvidenceEntry>();
  for (const entry of entries) {
    const key = `${entry.experiment} ${entry.scale}`;
    const before = merged.get(key);
    if (before === undefined || before.date <= entry.date) merged.set(key, entry);
  }
  return [...merged.values()];
}
