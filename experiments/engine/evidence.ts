/** @file Gathers the results of the run folders into docs/evidence.json, and makes docs/evidence.md from it. */

import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Evidence, type EvidenceEntry, evidenceOf, mergeEvidence } from "../../src/records/evidence.ts";
import { Claim, ExperimentResult } from "../../src/records/result.ts";
import { evidencePage } from "../../src/report/evidence.ts";
import { experimentFiles, readRecord, writeFileAtomic } from "../../src/store/index.ts";
import type { Experiment } from "./experiment.ts";

const DAMAGED = "Remove it, or run the experiment again";

export interface Gathered {
  readonly page: string;
  readonly data: string;
  readonly entries: readonly EvidenceEntry[];
  /** result.json files that were read. */
  readonly read: readonly string[];
}

/**
 * `runs`: the folder that holds the experiments' folders; `docs`: where evidence.md and evidence.json are.
 * @throws LabError naming a file that is damaged; nothing is written then.
 */
export async function gatherEvidence(
  experiments: readonly Experiment[],
  runs: string,
  docs: string,
): Promise<Gathered> {
  const [page, data] = [join(docs, "evidence.md"), join(docs, "evidence.json")];
  const before = existsSync(data)
    ? (await readRecord(data, Evidence, "It is under version control: restore it")).entries
    : [];
  const folders = existsSync(runs) ? (await readdir(runs)).toSorted() : [];
  const read = folders
    .map((folder) => join(runs, folder, experimentFiles.result))
    .filter((path) => existsSync(path));
  const found: EvidenceEntry[] = [];
  for (const path of read) {
    const entry = evidenceOf(await readRecord(path, ExperimentResult, DAMAGED));
    if (entry !== undefined) found.push(entry);
  }
  const entries = mergeEvidence(...before, ...found);
  const known = experiments.map(({ name, question, published }) => ({
    name,
    question,
    claims: published.map(({ measure: _, measureErrors: __, ...claim }) =>
      Claim.parse({ ...claim, values: [] }),
    ),
  }));
  await writeFileAtomic(data, `${JSON.stringify({ version: 1, entries } satisfies Evidence, null, 1)}\n`);
  await writeFileAtomic(page, evidencePage(known, entries));
  return { page, data, entries, read };
}
