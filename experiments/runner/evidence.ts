/**
 * @file Gathers the results of the experiments, one file per experiment and scale, and writes the pages that show them.
 *
 *     runs/NAME/result.json        -> evidence/NAME/SCALE.json and rows.jsonl, if it is newer
 *     evidence/NAME/SCALE.json     -> docs/results/index.md, evidence/README.md, the table in docs/how-to/reproduce.md
 *                                  -> the generated parts of docs/results/PAGE.md
 *     evidence/NAME/SCALE-cells.json -> the same, for an experiment that keeps more than its claims
 */

import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { jsonRows, jsonText } from "../../src/core/json.ts";
import { mean } from "../../src/core/statistics.ts";
import {
  type ClaimVerdict,
  evidenceIndex,
  experimentPart,
  type JudgedClaim,
  type JudgedEntry,
  type KnownExperiment,
  type Pivot,
  resultsIndex,
  withExperiments,
  withPart,
} from "../../src/report/evidence.ts";
import {
  type Evidence,
  EvidenceEntry,
  EvidenceRow,
  newerEvidence,
  resultOf,
  toEvidence,
} from "../../src/schemas/evidence.ts";
import { Claim, ExperimentResult } from "../../src/schemas/experiment-result.ts";
import {
  experimentFiles,
  makeFolder,
  readLog,
  readRecord,
  writeFileAtomic,
} from "../../src/storage/index.ts";
import { AGREEMENT, type Experiment, type Keeping, type PublishedClaim, scales } from "./define.ts";
import { type Neighbor, neighborsTable } from "./neighbors.ts";
import { readBy } from "./run.ts";

/** Text of a file in evidence/. */
type FileOf = (path: string) => string;

/** What the pages say of the results, in sentences made of the evidence (experiments/results.ts). */
export interface ResultTexts {
  /** The pages of docs/results, in the order of the index. */
  readonly pages: readonly {
    readonly page: string;
    readonly question: string;
    /** The one of its command first. */
    readonly experiments: readonly string[];
    /** Folder of evidence/ that the answer is made of. */
    readonly evidence: string;
    /** Of pages without an experiment. */
    readonly command?: string;
    readonly answer: (entry: (name: string) => Evidence, fileOf: FileOf) => string;
  }[];
  /** One sentence per experiment, from its entry at laptop scale. */
  readonly verdicts: Readonly<Record<string, (entry: Evidence) => string>>;
  /** Figures of several experiments, by their files in docs/figures. */
  readonly figures?: Readonly<Record<string, (entry: (name: string) => Evidence, fileOf: FileOf) => string>>;
  /** The table of README.md. */
  readonly readme?: (entry: (name: string) => Evidence) => string;
  /** The table of docs/results/neighbors.md. */
  readonly neighbors?: readonly Neighbor[];
  /** Tables of several claims at once, by experiment. */
  readonly pivots: Readonly<Record<string, (entry: Evidence) => Pivot>>;
}

interface EvidencePlaces {
  /** The folder with the experiments' run folders. */
  readonly runs: string;
  /** The folder docs/, with results/index.md and how-to/reproduce.md. */
  readonly docs: string;
  /** The folder with NAME/SCALE.json and NAME/log.md. */
  readonly evidence: string;
}

/** @throws LabError naming a file that is damaged; nothing is written then. */
export async function gatherEvidence(
  experiments: readonly Experiment[],
  { runs, docs, evidence }: EvidencePlaces,
  texts: ResultTexts = { pages: [], verdicts: {}, pivots: {} },
) {
  const read = (await foldersIn(runs))
    .map((folder) => join(runs, folder, experimentFiles.result))
    .filter((path) => existsSync(path));
  const newer = new Map<string, Evidence>();
  const kept = new Map<string, string>();
  for (const path of read) {
    const result = await readRecord(path, ExperimentResult, "Remove it, or run the experiment again");
    if (toEvidence(result) === undefined) continue;
    const own = toEvidence(await keptOf(experiments, result, evidence, kept))!; // of the same scale
    const home = join(evidence, own.experiment, `${own.scale}.json`);
    const before = newer.get(home) ?? (await entryAt(home));
    if (before !== undefined && newerEvidence(before, own) !== own) continue;
    const experiment = experiments.find(({ name }) => name === own.experiment);
    newer.set(home, (before && experiment && joined(experiment, before, result, own.rows)) ?? own);
  }
  const known = await knownExperiments(experiments, texts, evidence, newer);
  const pages = await evidencePages(known, texts, { docs, evidence }, experiments, kept);
  for (const [path, text] of kept) {
    await makeFolder(dirname(path));
    await writeFileAtomic(path, text);
  }
  for (const [path, { rows, ...entry }] of newer) {
    await makeFolder(dirname(path));
    const lines = rows.map((row) => `${jsonText(row, rowsBeside(path))}\n`).join("");
    if (entry.scale === "laptop" && rows.length > 0) await writeFileAtomic(rowsBeside(path), lines);
    await writeFileAtomic(path, jsonRows(entry, path));
  }
  for (const [path, text] of pages) await writeFileAtomic(path, text);
  // `read`: result.json files that were read.
  // `wrote`: files that were written: what was newer in the run folders, then the pages.
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

/**
 * The evidence of a result with some models (`--only`) or other seeds (`--seed`) alone: the rows of the others stay. Of a model that was
 * trained again, those with other settings go. Undefined if the result has all.
 */
function joined(
  experiment: Experiment,
  before: Evidence,
  result: ExperimentResult,
  own: readonly EvidenceRow[],
): Evidence | undefined {
  const names = Object.keys(experiment.models);
  const trainedAgain = new Set(own.map(({ label }) => label));
  const hasAll = before.rows.every(({ label }) => trainedAgain.has(label));
  if (own.length === 0 || (hasAll && result.seeds.includes(before.seeds[0]))) return undefined;
  const settingsOf = (row: EvidenceRow) => ("settings" in row ? JSON.stringify(row.settings) : undefined);
  const others = before.rows.filter((row) => {
    const same = own.filter(({ label, setting }) => label === row.label && setting === row.setting);
    if (!trainedAgain.has(row.label)) return names.includes(row.label);
    return (
      same.every(({ seed }) => seed !== row.seed) &&
      (settingsOf(row) === undefined || same.some((each) => settingsOf(each) === settingsOf(row)))
    );
  });
  const rows = [...others, ...own].toSorted(
    (a, b) => names.indexOf(a.label) - names.indexOf(b.label) || a.seed - b.seed,
  );
  const seeds = [...new Set(rows.map(({ seed }) => seed))].toSorted((a, b) => a - b);
  const secondsOf = (some: readonly EvidenceRow[]) =>
    resultOf(some).training.reduce((sum, { seconds }) => sum + seconds, 0);
  const total = secondsOf(before.rows);
  const kept = total > 0 ? secondsOf(others) / total : others.length / before.rows.length;
  const measured = {
    ...{ ...result, ...resultOf(rows), seeds },
    command: `statelab reproduce ${experiment.name} --scale ${result.scale} --seeds ${seeds.length}${seeds[0] === 0 ? "" : ` --seed ${seeds[0]}`}`,
    seconds: kept * before.seconds + result.seconds,
  };
  return { ...toEvidence({ ...measured, ...readBy(experiment, measured) })!, rows }; // of the same scale
}

const textAt = async (path: string) => (existsSync(path) ? readFile(path, "utf8") : undefined);

/** Every experiment with its entries in the evidence folder, replaced by newer ones. */
export async function knownExperiments(
  experiments: readonly Experiment[],
  { verdicts, pivots }: Pick<ResultTexts, "verdicts" | "pivots">,
  evidence: string,
  newer: ReadonlyMap<string, Evidence> = new Map(),
): Promise<KnownExperiment[]> {
  return Promise.all(
    experiments.map(async ({ name, question, about, publishedIn, published }) => {
      const entries: JudgedEntry[] = [];
      for (const scale of scales) {
        const path = join(evidence, name, `${scale}.json`);
        const entry = newer.get(path) ?? (await entryAt(path));
        if (entry !== undefined)
          entries.push({ ...entry, claims: entry.claims.map((claim) => judged(claim, published, entry)) });
      }
      const measured = entries.find(({ scale }) => scale === "laptop");
      const pivot = measured && pivots[name]?.(measured);
      return {
        ...{ name, question, about, publishedIn, entries },
        claims: published.map(wordsOf),
        answer: measured && (verdicts[name]?.(measured) ?? "See its log."),
        hasLog: existsSync(join(evidence, name, "log.md")),
        ...(pivot !== undefined && { pivot }),
      };
    }),
  );
}

/** The pages that are made from the evidence, by their paths. */
export async function evidencePages(
  known: readonly KnownExperiment[],
  {
    pages: results,
    figures = {},
    readme,
    neighbors,
  }: Pick<ResultTexts, "pages" | "figures" | "readme" | "neighbors">,
  { docs, evidence }: Pick<EvidencePlaces, "docs" | "evidence">,
  experiments: readonly Experiment[] = [],
  kept: ReadonlyMap<string, string> = new Map(),
): Promise<Map<string, string>> {
  const names = known.map(({ name }) => name);
  const others = (await foldersIn(evidence)).filter(
    (name) => !names.includes(name) && existsSync(join(evidence, name, "log.md")),
  );
  const entryOf = (name: string) => known.find((each) => each.name === name)?.entries.find(isLaptop);
  const fileOf: FileOf = (path) => readFileSync(join(evidence, path), "utf8");
  const answered = results.map(({ answer, ...page }) => ({
    ...page,
    answer: page.experiments.every((name) => entryOf(name) !== undefined)
      ? answer((name) => entryOf(name)!, fileOf) // of those above
      : "Not run yet.",
  }));
  const pages = new Map([
    [join(docs, "results", "index.md"), resultsIndex(answered, known)],
    [join(evidence, "README.md"), evidenceIndex(known, others)],
  ]);
  for (const [file, draw] of Object.entries(figures)) {
    const path = join(docs, "figures", file);
    if (existsSync(path))
      pages.set(
        path,
        draw((name) => entryOf(name)!, fileOf),
      );
  }
  const front = join(docs, "..", "README.md");
  if (readme !== undefined && existsSync(front) && entryOf("headline") !== undefined)
    pages.set(
      front,
      withPart(
        await readFile(front, "utf8"),
        "headline",
        readme((name) => entryOf(name)!),
      ),
    );
  const listed = join(docs, "how-to", "reproduce.md");
  if (existsSync(listed)) pages.set(listed, withExperiments(await readFile(listed, "utf8"), known));
  const related = join(docs, "results", "neighbors.md");
  if (neighbors !== undefined && existsSync(related)) {
    const cells = join(evidence, "zoo", "laptop-cells.json");
    const table = neighborsTable(neighbors, {
      entry: entryOf,
      cells: kept.get(cells) ?? (await readFile(cells, "utf8")),
      log: await readFile(join(evidence, "neighbors", "log.md"), "utf8"),
    });
    pages.set(related, withPart(await readFile(related, "utf8"), "neighbors", table));
  }
  for (const { page, answer, experiments: own } of answered) {
    const path = join(docs, "results", `${page}.md`);
    if (!existsSync(path)) continue;
    let text = withPart(await readFile(path, "utf8"), "answer", answer);
    for (const name of own)
      text = withPart(text, name, experimentPart(known.find((each) => each.name === name)!)); // all are known
    for (const experiment of experiments.filter(({ name, keeping }) => own.includes(name) && keeping)) {
      const at = keptAt(evidence, experiment, experiment.keeping!, "laptop");
      const figure = join(docs, "figures", `${experiment.name}.svg`);
      if (existsSync(figure))
        pages.set(figure, experiment.keeping!.figure(kept.get(at) ?? (await textAt(at)), at));
      for (const [name, part] of experiment.keeping!.parts(kept.get(at) ?? (await textAt(at)), at))
        text = withPart(text, name, part);
    }
    pages.set(path, text);
  }
  return pages;
}

const isLaptop = ({ scale }: EvidenceEntry) => scale === "laptop";

/** A claim without how it is measured and judged. */
function wordsOf(claim: PublishedClaim): Claim {
  const { measure: _, measureErrors: __, agrees: ___, decidedBySuccess: ____, ...words } = claim;
  return Claim.parse({ ...words, values: [] });
}

/**
 * A measured claim with its verdict. Its models, setting and other conditions are no measurement: they are as the experiment has them now,
 * whenever the claim was measured.
 */
function judged(
  { models: _, setting: __, unlike: ___, ...measured }: Claim,
  published: readonly PublishedClaim[],
  { trained = [] }: EvidenceEntry,
): JudgedClaim {
  const { source, statement } = measured;
  const defined = published.find((claim) => claim.source === source && claim.statement === statement);
  const { models, setting, unlike } = defined ?? {};
  const claim: Claim = {
    ...measured,
    ...(models && { models }),
    ...(setting !== undefined && { setting }),
    ...(unlike !== undefined && { unlike }),
  };
  const verdict = defined && verdictOn(claim, defined, trained);
  return verdict === undefined ? claim : { ...claim, verdict };
}

function verdictOn(
  { values, over, models = [], setting, unit }: Claim,
  { published, agrees, decidedBySuccess, source }: PublishedClaim,
  trained: NonNullable<EvidenceEntry["trained"]>,
): ClaimVerdict | undefined {
  if (values.length === 0) return undefined;
  const near =
    published !== undefined && unit === "share" && !source.startsWith("own")
      ? (own: readonly number[]) =>
          Math.abs((over === "best" ? Math.max(...own) : mean(own)) - published) <= AGREEMENT
      : undefined;
  const found = (agrees ?? near)?.(values);
  if (found === undefined) return undefined;
  const doesNotFit = trained.some(
    (each) =>
      models.includes(each.model) &&
      (setting ?? each.setting) === each.setting &&
      ((each.unlearned?.seeds ?? 0) > 0 || each.stage < each.stages),
  );
  if (found === "inconclusive" || (doesNotFit && !decidedBySuccess)) return "inconclusive";
  return found ? "agrees" : "contradicts";
}

async function foldersIn(path: string): Promise<string[]> {
  if (!existsSync(path)) return [];
  const found = await readdir(path, { withFileTypes: true });
  return found.flatMap((each) => (each.isDirectory() ? [each.name] : [])).toSorted();
}

const rowsBeside = (path: string) => join(dirname(path), "rows.jsonl");

/** An entry with its rows. */
export async function entryAt(path: string): Promise<Evidence | undefined> {
  if (!existsSync(path)) return undefined;
  const entry = await readRecord(path, EvidenceEntry, "It is under version control: restore it");
  const rows = rowsBeside(path);
  return { ...entry, rows: entry.scale === "laptop" && existsSync(rows) ? readLog(rows, EvidenceRow) : [] };
}
