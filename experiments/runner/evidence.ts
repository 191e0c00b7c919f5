/**
 * @file Gathers what the experiments found, one file an experiment and scale, and makes the pages that show it.
 *
 *     runs/NAME/result.json           -> evidence/NAME/SCALE.json, where it is newer
 *     evidence/NAME/{SCALE.json, log.md} -> docs/results/index.md, evidence/README.md, the table in docs/how-to/reproduce.md
 *     evidence/NAME/SCALE-cells.json     -> docs/NAME.md, of an experiment that keeps more than its claims
 */

import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { jsonRows } from "../../src/core/json.ts";
import {
  evidenceIndex,
  evidencePage,
  type KnownExperiment,
  readVerdict,
  withExperiments,
  withPart,
} from "../../src/report/evidence.ts";
import { EvidenceEntry, newerEvidence, toEvidence } from "../../src/schemas/evidence.ts";
import { Claim, ExperimentResult } from "../../src/schemas/experiment-result.ts";
import { experimentFiles, makeFolder, readRecord, writeFileAtomic } from "../../src/storage/index.ts";
import { type Experiment, type Keeping, scales } from "./define.ts";

interface EvidencePlaces {
  /** The folder with the experiments' run folders. */
  readonly runs: string;
  /** The folder docs/, with results/index.md and how-to/reproduce.md. */
  readonly docs: string;
  /** The folder with NAME/SCALE.json and NAME/log.md. */
  readonly evidence: string;
}

interface Gathered {
  /** Files that were written: what was newer in the run folders, then the pages. */
  readonly wrote: readonly string[];
  readonly entries: readonly EvidenceEntry[];
  /** result.json files that were read. */
  readonly read: readonly string[];
}

/** @throws LabError naming a file that is damaged; nothing is written then. */
export async function gatherEvidence(
  experiments: readonly Experiment[],
  { runs, docs, evidence }: EvidencePlaces,
): Promise<Gathered> {
  const read = (await foldersIn(runs))
    .map((folder) => join(runs, folder, experimentFiles.result))
    .filter((path) => existsSync(path));
  const newer = new Map<string, EvidenceEntry>();
  const kept = new Map<string, string>();
  for (const path of read) {
    const result = await readRecord(path, ExperimentResult, "Remove it, or run the experiment again");
    if (toEvidence(result) === undefined) continue;
    const found = toEvidence(await keptOf(experiments, result, evidence, kept))!; // of the same scale
    const home = join(evidence, found.experiment, `${found.scale}.json`);
    const before = newer.get(home) ?? (await entryAt(home));
    if (newerEvidence(before, found) === found) newer.set(home, found);
  }
  const known = await knownExperiments(experiments, evidence, newer);
  const pages = await evidencePages(known, { docs, evidence }, experiments, kept);
  for (const [path, text] of kept) {
    await makeFolder(dirname(path));
    await writeFileAtomic(path, text);
  }
  for (const [path, entry] of newer) {
    await makeFolder(join(evidence, entry.experiment));
    await writeFileAtomic(path, jsonRows(entry, path));
  }
  for (const [path, text] of pages) await writeFileAtomic(path, text);
  return {
    wrote: [...kept.keys(), ...newer.keys(), ...pages.keys()],
    entries: known.flatMap(({ entries }) => entries),
    read,
  };
}

const keptAt = (evidence: string, { name }: Pick<Experiment, "name">, { file }: Keeping, scale: string) =>
  join(evidence, name, `${scale}-${file}.json`);

/** The result as its evidence has it; what its experiment keeps of it is put into `kept`, by path. */
async function keptOf(
  experiments: readonly Experiment[],
  result: ExperimentResult,
  evidence: string,
  kept: Map<string, string>,
): Promise<ExperimentResult> {
  const experiment = experiments.find(({ name }) => name === result.experiment);
  if (experiment?.keeping === undefined) return result;
  const path = keptAt(evidence, experiment, experiment.keeping, result.scale);
  const before = kept.get(path) ?? (await textAt(path));
  const merged = experiment.keeping.merge(before, result, path);
  kept.set(path, merged.text);
  return merged.result;
}

const textAt = async (path: string) => (existsSync(path) ? readFile(path, "utf8") : undefined);

/** Every experiment with its entries in the evidence folder, replaced by newer ones. */
export async function knownExperiments(
  experiments: readonly Experiment[],
  evidence: string,
  newer: ReadonlyMap<string, EvidenceEntry> = new Map(),
): Promise<KnownExperiment[]> {
  return Promise.all(
    experiments.map(async ({ name, question, about, publishedIn, published }) => {
      const claims = published.map(({ measure: _, measureErrors: __, ...claim }) =>
        Claim.parse({ ...claim, values: [] }),
      );
      const entries: EvidenceEntry[] = [];
      for (const scale of scales) {
        const path = join(evidence, name, `${scale}.json`);
        const entry = newer.get(path) ?? (await entryAt(path));
        if (entry !== undefined)
          entries.push({ ...entry, claims: entry.claims.map((claim) => withModels(claim, claims)) });
      }
      return {
        name,
        question,
        about,
        publishedIn,
        claims,
        entries,
        verdict: await verdictIn(evidence, name),
      };
    }),
  );
}

/** The pages that are made from the evidence, by their paths. */
export async function evidencePages(
  known: readonly KnownExperiment[],
  { docs, evidence }: Pick<EvidencePlaces, "docs" | "evidence">,
  experiments: readonly Experiment[] = [],
  kept: ReadonlyMap<string, string> = new Map(),
): Promise<Map<string, string>> {
  const names = known.map(({ name }) => name);
  const others = [];
  for (const name of await foldersIn(evidence)) {
    const verdict = names.includes(name) ? undefined : await verdictIn(evidence, name);
    if (verdict !== undefined) others.push({ name, verdict });
  }
  const pages = new Map([
    [join(docs, "results", "index.md"), evidencePage(known)],
    [join(evidence, "README.md"), evidenceIndex(known, others)],
  ]);
  const listed = join(docs, "how-to", "reproduce.md");
  if (existsSync(listed)) pages.set(listed, withExperiments(await readFile(listed, "utf8"), known));
  for (const experiment of experiments) {
    const { name, keeping } = experiment;
    const own = join(docs, "results", `${name}.md`);
    if (keeping === undefined || !existsSync(own)) continue;
    const path = keptAt(evidence, experiment, keeping, "laptop");
    const part = keeping.page(kept.get(path) ?? (await textAt(path)), path);
    pages.set(own, withPart(await readFile(own, "utf8"), name, part));
  }
  return pages;
}

/** Which models a claim is about is no measurement: it is as the experiment says it now, whenever the claim was measured. */
function withModels({ models: _, setting: __, ...measured }: Claim, claims: readonly Claim[]): Claim {
  const { source, statement } = measured;
  const worded = claims.find((claim) => claim.source === source && claim.statement === statement);
  const { models, setting } = worded ?? {};
  return { ...measured, ...(models && { models }), ...(setting !== undefined && { setting }) };
}

async function foldersIn(path: string): Promise<string[]> {
  if (!existsSync(path)) return [];
  const found = await readdir(path, { withFileTypes: true });
  return found.flatMap((each) => (each.isDirectory() ? [each.name] : [])).toSorted();
}

async function entryAt(path: string): Promise<EvidenceEntry | undefined> {
  if (!existsSync(path)) return undefined;
  return readRecord(path, EvidenceEntry, "It is under version control: restore it");
}

async function verdictIn(evidence: string, name: string): Promise<string | undefined> {
  const path = join(evidence, name, "log.md");
  if (!existsSync(path)) return undefined;
  const log = await readFile(path, "utf8");
  const verdict = readVerdict(log);
  return verdict !== undefined && log.startsWith("Deleted ") ? `Deleted. ${verdict}` : verdict;
}
