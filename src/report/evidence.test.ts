import { expect, test } from "vitest";
import { type EvidenceEntry, evidenceOf, mergeEvidence } from "../records/evidence.ts";
import type { Claim } from "../records/result.ts";
import { evidencePage } from "./evidence.ts";
import { fixture } from "./fixture.test-helper.ts";

const claim = (fields: Partial<Claim>): Claim => ({
  source: "A",
  statement: "It tracks",
  unit: "share",
  over: "mean",
  values: [],
  ...fields,
});
const entry = (fields: Partial<EvidenceEntry>): EvidenceEntry => ({ ...evidenceOf(fixture())!, ...fields });
const known = { name: "headline", question: "Who tracks?", claims: [claim({ published: 0.9 })] };

test("a published result stands beside ours, with interval and seeds", () => {
  const claims = [claim({ published: 0.9, values: [0.8, 0.9, 1] })];
  const page = evidencePage([known], [entry({ claims, findings: [] })]);
  // mean 90, Student's half width 4.303 * 10 / sqrt(3)
  expect(page).toContain("| It tracks (A) | 90.0 % | 90.0 % | 65.2 % to 100.0 % | 3 |");
  expect(page).toContain("`statelab reproduce headline --scale laptop`");
  expect(page).not.toContain("What disagrees");
});

test("what contradicts stays, and what was not run says so", () => {
  expect(evidencePage([known], [entry({ findings: ["It did not"] })])).toContain("- It did not");
  const page = evidencePage([known], []);
  expect(page).toContain("Not run yet");
  expect(page).toContain("| It tracks (A) | 90.0 % | \u2013 | \u2013 | 0 |");
});

test("words of a record cannot break out of the table", () => {
  const page = evidencePage([{ ...known, claims: [claim({ statement: "a | b\n| c <script>" })] }], []);
  expect(page).toContain("| a \\| b \\| c \\<script\\> (A) |");
});

test("a newer entry takes the place of an older one of the same scale, an older one does not", () => {
  const [old, recent] = [entry({ date: "2026-01-01" }), entry({ date: "2026-02-01" })];
  expect(mergeEvidence(old, recent)).toEqual([recent]);
  expect(mergeEvidence(recent, old)).toEqual([recent]);
  expect(mergeEvidence(old, entry({ scale: "paper" }))).toHaveLength(2);
});

test("smoke scale is no evidence", () => {
  expect(evidenceOf({ ...fixture(), scale: "smoke" })).toBeUndefined();
});
