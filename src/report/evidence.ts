/**
 * @file The evidence as Markdown: the index of results, the generated parts of each result page, `evidence/README.md`.
 *
 *     | claim | published | ours | seeds | training | verdict |
 */

import { duration, formatCount, percent, percentRange, percentSign } from "../core/format.ts";
import { LEARNED } from "../schemas/convergence.ts";
import {
  type Evidence,
  type EvidenceEntry,
  type TestRow,
  type Trained,
  testRows,
} from "../schemas/evidence.ts";
import type { Claim } from "../schemas/experiment-result.ts";
import { grouped, spread } from "./aggregate.ts";
import type { PlainTable } from "./html.ts";
import {
  checkColumns,
  checkRow,
  claimValue,
  machineWords,
  quantity,
  spreadText,
  spreadWords,
} from "./sections.ts";

export type ClaimVerdict = "agrees" | "contradicts" | "inconclusive";

/** A claim compared with what was measured; without a verdict if there is nothing to decide. */
export interface JudgedClaim extends Claim {
  readonly verdict?: ClaimVerdict;
}

export interface JudgedEntry extends Evidence {
  readonly claims: JudgedClaim[];
}

export interface KnownExperiment {
  readonly name: string;
  readonly question: string;
  /** The question in a few words, for a row of a table. */
  readonly about: string;
  /** `A, Fig. 3`. */
  readonly publishedIn: string;
  /** Its claims without values: shown if it has not run. */
  readonly claims: readonly Claim[];
  /** One per measured scale. */
  readonly entries: readonly JudgedEntry[];
  /** One sentence from its laptop entry; undefined if it has not run. */
  readonly answer: string | undefined;
  /** Whether evidence/NAME/log.md exists. */
  readonly hasLog: boolean;
  /** A table of several claims at once, in place of a row for each of them. */
  readonly pivot?: Pivot;
}

export interface Pivot {
  /** Matches the statements of its claims. */
  readonly statements: RegExp;
  readonly table: PlainTable;
  /** Below the table. */
  readonly words: string;
}

/** One of the pages of docs/results, as the index lists it. */
export interface ResultPage {
  /** `zoo`: docs/results/zoo.md. */
  readonly page: string;
  readonly question: string;
  readonly answer: string;
  /** Experiments of this page, the one of its command first; none if the log is all there is. */
  readonly experiments: readonly string[];
  /** Folder of evidence/ with the source of the answer. */
  readonly evidence: string;
  /** Where no experiment has one. */
  readonly command?: string;
}

const NOT_RUN = "Not run yet.";

/** docs/results/index.md. */
export function resultsIndex(pages: readonly ResultPage[], experiments: readonly KnownExperiment[]): string {
  const named = (name: string) => experiments.find((each) => each.name === name);
  const shown = pages.flatMap((page) => page.experiments);
  const archived = experiments.filter(({ name }) => !shown.includes(name));
  return `${[
    INDEX_HEAD,
    "## Ten results",
    markdown(
      ["question", "answer", "source", "command", "time"],
      pages.map((page) => {
        const entry = named(page.experiments[0] ?? "")?.entries.find(isLaptop);
        return [
          `[${cell(page.question)}](${page.page}.md)`,
          cell(page.answer),
          sourceOf(page.evidence, named(page.evidence)),
          `\`${page.command ?? entry?.command ?? `statelab reproduce ${page.experiments[0]}`}\``,
          entry === undefined || page.command !== undefined ? "\u2013" : minutes(entry.seconds),
        ];
      }),
    ),
    "## Archive",
    "Each row has a log with its setup, its budget and earlier attempts.",
    markdown(
      ["question", "verdict", "source"],
      archived.map((known) => [
        cell(known.question),
        cell(known.answer ?? NOT_RUN),
        sourceOf(known.name, known),
      ]),
    ),
    "## Related systems",
    "[One table](neighbors.md) lists related systems, with what is measured of each here or why nothing is.",
    "## Contradicts the paper",
    "Our measurement contradicts these claims. A model that does not fit its training data contradicts none by a failure.",
    contradictions(pages, experiments, (claim) => claim.unlike === undefined),
    "Under other conditions, named in the last column, our measurement differs from these:",
    contradictions(pages, experiments, (claim) => claim.unlike !== undefined),
  ].join("\n\n")}\n`;
}

const INDEX_HEAD = `# Results

This page lists what the experiments measured, where each number is stored, and which published claims they contradict.

How to read it:

- *Rows* are a file under version control with one line per model, seed and test. *Values* are a file with the numbers of each claim per seed. A *log* is a lab notebook.
- *Fits its training data* means at least 95 % on the densest reveals that were trained, in every seed, and a finished curriculum. A failure of a model that does not fit is *inconclusive*.
- Laptop scale has smaller models, fewer steps or shorter training sequences than the papers. A published value is *comparable* only if length ratio, loss and metric agree.
- Runs before 2026-11-28 had weight decay on embeddings and convolutions. The same commands give other numbers now.
- Times are measured on shared machines. Each page names its own, where it was recorded.
- Of arXiv:2602.14814 we had the abstract, the captions and the figures.

\`statelab reproduce --evidence\` writes this page.`;

const isLaptop = ({ scale }: EvidenceEntry) => scale === "laptop";

function sourceOf(name: string, known: KnownExperiment | undefined): string {
  const at = `../../evidence/${name}`;
  const rows = (known?.entries ?? [])
    .filter(isLaptop)
    .map(({ rows }) => (rows.length > 0 ? `[rows](${at}/rows.jsonl)` : `[values](${at}/laptop.json)`));
  const log = known === undefined || known.hasLog ? [`[log](${at}/log.md)`] : [];
  return [...rows, ...log].join(", ");
}

function contradictions(
  pages: readonly ResultPage[],
  experiments: readonly KnownExperiment[],
  isShown: (claim: Claim) => boolean,
): string {
  const found = experiments.flatMap(({ name, entries }) =>
    entries.flatMap(({ claims }) =>
      claims
        .filter((claim) => claim.verdict === "contradicts" && isPublished(claim) && isShown(claim))
        .map((claim) => ({ name, claim })),
    ),
  );
  if (found.length === 0) return "None.";
  const isUnlike = found.some(({ claim }) => claim.unlike !== undefined);
  const rows = found.map(({ name, claim }) => {
    const page = pages.find((each) => each.experiments.includes(name))?.page;
    const at = page === undefined ? `../../evidence/${name}/log.md` : `${page}.md`;
    return [
      `[${cell(claim.statement)}](${at})`,
      cell(claim.source),
      publishedText(claim),
      `${oursText(claim)}${claim.here === undefined ? "" : `: ${cell(claim.here)}`}`,
      ...(isUnlike ? [cell(claim.unlike ?? "")] : []),
    ];
  });
  return markdown(["claim", "source", "published", "ours", ...(isUnlike ? ["other conditions"] : [])], rows);
}

/** The generated part of a result page about one experiment. */
export function experimentPart({ claims, entries, pivot, name, hasLog }: KnownExperiment): string {
  if (entries.length === 0) return [NOT_RUN, ...claimTables(claims)].join("\n\n");
  return entries
    .flatMap((entry) => measuredPart(entry, isLaptop(entry) ? pivot : undefined, { name, hasLog }))
    .join("\n\n");
}

function measuredPart(
  entry: JudgedEntry,
  pivot: Pivot | undefined,
  { name, hasLog }: Pick<KnownExperiment, "name" | "hasLog">,
): string[] {
  const { scale, seeds, command, date, device, seconds, claims, checks = [], findings, machine } = entry;
  const sources = [
    entry.rows.length > 0
      ? `[rows](../../evidence/${name}/rows.jsonl)`
      : `[values](../../evidence/${name}/${scale}.json)`,
    ...(hasLog ? [`[log](../../evidence/${name}/log.md)`] : []),
  ];
  const missed = checks.filter(({ met }) => met !== true);
  return [
    ...pivotTable(pivot),
    ...claimTables(
      claims.filter(({ statement }) => pivot?.statements.test(statement) !== true),
      entry.trained,
    ),
    ...rowsTable(entry),
    ...(missed.length > 0
      ? [
          `Expectations that are not met:\n\n${markdown(
            checkColumns,
            missed.map((check) => checkRow(check).map(cell)),
          )}`,
        ]
      : findings.length > 0
        ? [`${formatCount(findings.length, "expectation")} not met: \`findings\` in the rows.`]
        : []),
    ...(entry.outdated === undefined
      ? []
      : [`**Outdated**: the command gives other numbers today. ${cell(entry.outdated)}`]),
    markdown(
      ["command", "seeds", "device", "time", "date", "machine", "source"],
      [
        [
          ...[`\`${command}\``, seeds.join(" "), device, duration(seconds), date],
          ...[machine === undefined ? "not recorded" : cell(machineWords(machine)), sources.join(", ")],
        ],
      ],
    ),
  ];
}

function pivotTable(pivot: Pivot | undefined): string[] {
  if (pivot === undefined) return [];
  const { columns, rows } = pivot.table;
  return [
    markdown(
      columns.map(cell),
      rows.map((row) => row.map((each) => cell(String(each)))),
    ),
    pivot.words,
  ];
}

const isOwn = ({ source }: Claim) => /^(own|by arithmetic)/.test(source);
const isPublished = (claim: Claim) => !isOwn(claim);

/** Comparable claims, claims under other conditions, own measurements, and what was not measured. */
function claimTables(claims: readonly JudgedClaim[], trained?: readonly Trained[]): string[] {
  const has = claims.filter(({ values }) => values.length > 0);
  const isExpected = (claim: Claim) => isPublished(claim) || claim.published !== undefined;
  const unlike = has.filter((claim) => isExpected(claim) && claim.unlike !== undefined);
  const like = has.filter((claim) => isExpected(claim) && claim.unlike === undefined);
  const own = has.filter((claim) => !isExpected(claim));
  const missing = claims.filter((claim) => claim.values.length === 0 && isPublished(claim));
  const spreads = [...new Set(has.flatMap((claim) => spreadKinds(claim)))];
  return [
    ...(like.length === 0 ? [] : [claimTable(like, trained, { published: true })]),
    ...(unlike.length === 0
      ? []
      : [
          "Published under other conditions, so not comparable:",
          claimTable(unlike, trained, { published: true }),
        ]),
    ...(own.length === 0 ? [] : [claimTable(own, trained, { published: false })]),
    ...(spreads.length === 0
      ? []
      : [`${spreads.map((kind) => `*${kind}*: ${spreadWords[kind]}`).join(". ")}.`]),
    ...(missing.length === 0
      ? []
      : [
          `Published, but not measured at this scale:\n\n${missing.map((claim) => `- ${cell(claim.statement)} (${cell(claim.source)})`).join("\n")}`,
        ]),
  ];
}

type SpreadKind = keyof typeof spreadWords;

const spreadKinds = (claim: Claim): SpreadKind[] =>
  (Object.keys(spreadWords) as SpreadKind[]).filter((kind) => spreadText(claim)?.includes(`(${kind}`));

function claimTable(
  claims: readonly JudgedClaim[],
  trained: readonly Trained[] | undefined,
  { published }: { readonly published: boolean },
): string {
  const isUnlike = claims.some((claim) => claim.unlike !== undefined);
  const owned = claims.filter(isOwn).length;
  const expected = owned === 0 ? "published" : owned === claims.length ? "expected" : "published or expected";
  const names = [
    "claim",
    ...(published ? [expected] : []),
    ...["ours", "range over seeds", "seeds", "training"],
    ...(published ? ["verdict"] : []),
    ...(isUnlike ? ["other conditions"] : []),
  ];
  const rows = claims.map((claim) => {
    const { statement, source, here } = claim;
    const about = isOwn(claim) ? "" : ` (${cell(source)})`;
    return [
      `${cell(statement)}${about}${here === undefined ? "" : `; measured: ${cell(here)}`}`,
      ...(published ? [publishedText(claim)] : []),
      oursText(claim),
      spreadText(claim) ?? "\u2013",
      String(claim.values.length),
      trainingText(claim, trained),
      ...(published ? [verdictText(claim)] : []),
      ...(isUnlike ? [cell(claim.unlike ?? "")] : []),
    ];
  });
  return markdown(names, rows);
}

const publishedText = (claim: Claim) =>
  claim.published === undefined ? "in words" : quantity(claim, claim.published);

function oursText(claim: Claim): string {
  const value = claimValue(claim);
  return value === undefined ? "\u2013" : quantity(claim, value);
}

function verdictText({ verdict, unlike }: JudgedClaim): string {
  if (verdict === undefined) return "\u2013";
  if (unlike === undefined || verdict === "inconclusive") return verdict;
  return verdict === "agrees" ? "similar" : "differs";
}

/** `stage 4 of 5, 96.1 % (70.2 %)`: the last stage of every seed, and the hardest test up to it; `does not fit` before it. */
function trainingText(
  { models = [], setting, values }: Claim,
  trained: readonly Trained[] | undefined,
): string {
  if (models.length === 0 || values.length === 0) return "";
  if (trained === undefined) return "not recorded";
  const own = trained.filter(
    (each) => models.includes(each.model) && (setting ?? each.setting) === each.setting,
  );
  const several = (key: "setting" | "model") => new Set(own.map((each) => each[key])).size > 1;
  return own
    .map((each) => {
      const named = (["setting", "model"] as const).flatMap((key) => (several(key) ? [cell(each[key])] : []));
      return [...named, `${unfitted(each)}${reached(each)}`].join(": ");
    })
    .join("; ");
}

function unfitted({ unlearned, highest = 1 }: Trained): string {
  // Entries without counts per seed show it by their means.
  const { seeds, of } = unlearned ?? { seeds: Number(highest < LEARNED), of: 1 };
  if (seeds === 0) return "";
  return seeds === of ? "does not fit: " : `does not fit in ${seeds} of ${of} seeds: `;
}

function reached({ stage, stages, lowest, lowestSeed = lowest }: Trained): string {
  const said = `stage ${stage} of ${stages}`;
  if (lowest === undefined || lowestSeed === undefined) return said;
  const least =
    percentSign(lowestSeed) === percentSign(lowest) ? "" : ` (lowest seed ${percentSign(lowestSeed)})`;
  return `${said}, ${percentSign(lowest)}${least}`;
}

/** Accuracy of each model by test, with the range over seeds: `99.2 (96.0-100.0)`. */
function rowsTable(entry: Evidence): string[] {
  const rows = testRows(entry);
  if (rows.length === 0) return [];
  const tests = [...new Set(rows.map(({ name }) => name))];
  const lines = [...grouped(rows, ({ setting, label }) => `${setting}\0${label}`).values()].map((own) => {
    const [{ setting, label }] = own as [TestRow, ...TestRow[]];
    const shares = tests.map((test) => {
      const tested = own.filter(({ name }) => name === test);
      if (tested.length === 0) return "";
      const { mean, min, max } = spread(tested.map(({ correct, total }) => correct / total));
      const range = percent(min) === percent(max) ? "" : ` (${percentRange(min, max)})`;
      return `${percent(mean)}${range}${tested.every(({ asTrained }) => asTrained) ? "" : " *"}`;
    });
    return [cell([setting, label].filter((part) => part !== "").join(", ")), ...shares];
  });
  const words = "Accuracy in percent, mean over seeds (lowest-highest). `*`: not trained in every seed.";
  return [markdown(["model", ...tests.map(cell)], lines), words];
}

export const markdown = (names: readonly string[], rows: readonly (readonly string[])[]) =>
  [names, names.map(() => "---"), ...rows].map((line) => `| ${line.join(" | ")} |`).join("\n");

/** Text that stays inside its cell, and is text. */
export const cell = (text: string) => text.replaceAll(/[\\|<>`*_[\]]/g, "\\$&").replaceAll(/\s+/g, " ");

/** `evidence/README.md`; `others` are folders with a log that belong to no experiment. */
export function evidenceIndex(experiments: readonly KnownExperiment[], others: readonly string[]): string {
  const linked = (name: string) => `[${name}](${name}/log.md)`;
  const rows = experiments.flatMap(({ name, entries, answer, hasLog }) => {
    const first = [hasLog ? linked(name) : name, cell(answer ?? NOT_RUN)];
    if (entries.length === 0) return [[...first, "", "", ""]];
    return entries.map(({ scale, seeds, date, rows }, i) => [
      ...(i === 0 ? first : ["", ""]),
      ...[rows.length > 0 ? `[${rows.length}](${name}/rows.jsonl)` : `[values](${name}/${scale}.json)`],
      ...[String(seeds.length), date],
    ]);
  });
  return `${[
    EVIDENCE_HEAD,
    markdown(["experiment", "result", "rows", "seeds", "date"], rows),
    ...(others.length === 0
      ? []
      : ["## Other logs", `Removed experiments and checks of the code: ${others.map(linked).join(", ")}.`]),
  ].join("\n\n")}\n`;
}

const EVIDENCE_HEAD = `# Evidence

This folder keeps what each experiment measured, so that every number of [the results](../docs/results/index.md) has a source.

- \`NAME/rows.jsonl\`: one line per model, seed and test, and per measurement. Experiments that ran before 2026-11-27 have none.
- \`NAME/laptop.json\`: claims and their values per seed.
- \`NAME/log.md\`: the lab notebook, newest entry first. Its titles are not verdicts.

Unless a log says otherwise, the machine has two cores of a shared AMD EPYC, 24 GiB and Node 20. \`statelab reproduce --evidence\` writes this page.`;

/** The table of docs/how-to/reproduce.md. */
export function experimentsTable(experiments: readonly KnownExperiment[]): string {
  return markdown(
    ["experiment", "question", "published in", "time", "seeds"],
    experiments.map(({ name, about, publishedIn, entries }) => {
      const measured = entries.find(({ scale }) => scale === "laptop");
      const cost =
        measured === undefined ? ["", ""] : [minutes(measured.seconds), String(measured.seeds.length)];
      return [`\`${name}\``, cell(about), cell(publishedIn), ...cost];
    }),
  );
}

function minutes(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds / 60));
  return whole < 60 ? `${whole} min` : `${Math.floor(whole / 60)} h ${whole % 60} min`;
}

/** `page` with the table between its two marks regenerated; unchanged if it has no such marks. */
export const withExperiments = (page: string, experiments: readonly KnownExperiment[]): string =>
  withPart(page, "experiments", experimentsTable(experiments));

/** `page` with the part between the marks of that name replaced; unchanged if it has no such marks. */
export function withPart(page: string, name: string, part: string): string {
  const begin = `<!-- ${name}: generated by statelab reproduce --evidence -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf("<!-- end -->", from);
  if (from === -1 || to === -1) return page;
  return `${page.slice(0, from)}${begin}\n\n${part}\n\n${page.slice(to)}`;
}
