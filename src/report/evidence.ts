/**
 * @file The evidence as one page of Markdown: every published result next to ours.
 *
 *     | published | theirs | ours | interval or range | seeds | as trained |
 */

import { duration, formatCount, percent, percentRange, percentSign } from "../core/format.ts";
import { LEARNED } from "../schemas/convergence.ts";
import type { EvidenceEntry, EvidenceRow, Trained } from "../schemas/evidence.ts";
import type { Claim } from "../schemas/experiment-result.ts";
import { grouped, spread } from "./aggregate.ts";
import {
  checkColumns,
  checkRow,
  claimValue,
  machineWords,
  quantity,
  spreadText,
  spreadWords,
} from "./sections.ts";

export interface KnownExperiment {
  readonly name: string;
  readonly question: string;
  /** The question in a few words, for a row of a table. */
  readonly about: string;
  /** `A, Fig. 3`. */
  readonly publishedIn: string;
  /** Its claims without values: shown if it has not run. */
  readonly claims: readonly Claim[];
  /** One a scale at which it was measured. */
  readonly entries: readonly EvidenceEntry[];
  /** The title of the newest entry of its log.md. */
  readonly verdict: string | undefined;
}

/** In the order of the page. */
export function evidencePage(experiments: readonly KnownExperiment[]): string {
  const blocks = experiments.flatMap(({ name, question, claims, entries, verdict }) => [
    `## ${name}\n\n${cell(question)}`,
    ...(entries.length === 0
      ? [`Not run yet: \`statelab reproduce ${name}\`.`, table(claims)]
      : entries.flatMap(measured)),
    ...(verdict === undefined ? [] : [`What was tried: [log](../../evidence/${name}/log.md).`]),
  ]);
  return `${[HEAD, ...blocks].join("\n\n")}\n`;
}

const HEAD = `# Evidence

What the papers publish that an experiment of the lab is read against, beside what was measured here; it is not all that they
publish. Made by \`statelab reproduce --evidence\` from the results in \`runs/\` and \`evidence/\`; a result that contradicts the paper
stays in it. Percentages are accuracies (scaled where the statement says so). "Ours" is the mean over seeds or, where the paper
gives the best seed, the best. Beside it stands one of three, named in the cell:

${Object.entries(spreadWords)
  .map(([kind, words]) => `- *${kind}*: ${words}`)
  .join("\n")}

Of A (arXiv:2602.14814) the abstract, the captions and the figures were read, not the whole text. Laptop scale is smaller than the
papers' in every respect: what is compared is who tracks and who does not, not the digits. *As trained* is the last stage of the
curriculum to which every seed of the model came, and its mean accuracy in the hardest programs that were in its training until then (the
seed that has least in brackets). Who is below 95 % at the densest reveals of its training has *not learned* it in this budget,
and shows nothing beyond it. Results from before 2026-11-23 did not record it, nor their machine. The cell is empty where a claim is about
no model of ours. Accuracies by test are made from the rows in \`evidence/NAME/SCALE.json\`. Results from before 2026-11-27 kept no rows: what they
had by seed and test is in the log alone.`;

function measured(entry: EvidenceEntry): string[] {
  const { scale, seeds, command, date, device, seconds, claims, checks = [], findings, machine } = entry;
  const about = `**${scale} scale**, ${seeds.length === 1 ? "seed" : "seeds"} ${seeds.join(", ")}, ${device}, ${duration(seconds)}, ${date}: \`${command}\`. ${
    machine === undefined ? "The machine was not recorded." : `Machine: ${cell(machineWords(machine))}.`
  }`;
  const before =
    entry.outdated === undefined
      ? []
      : [`**Outdated**, the command gives other numbers today: ${cell(entry.outdated)}`];
  const disagreements =
    checks.length > 0
      ? [
          `Expected, and measured:\n\n${markdown(
            checkColumns,
            checks.map((check) => checkRow(check).map(cell)),
          )}`,
        ]
      : findings.length === 0
        ? []
        : [`What disagrees:\n\n${findings.map((each) => `- ${cell(each)}`).join("\n")}`];
  const shown = claims.length === 0 ? [] : [table(claims, entry.trained)];
  return [about, ...before, ...shown, ...rowsTable(entry), ...disagreements];
}

/** Accuracy of each model by test, with the number of seeds: `99.2 % (96.0 to 100.0)`. */
function rowsTable({ rows = [] }: EvidenceEntry): string[] {
  if (rows.length === 0) return [];
  const tests = [...new Set(rows.map(({ test }) => test))];
  const lines = [...grouped(rows, ({ setting, model }) => `${setting}\0${model}`).values()].map((own) => {
    const [{ setting, model }] = own as [EvidenceRow, ...EvidenceRow[]];
    const shares = tests.map((test) => {
      const asked = own.filter((row) => row.test === test);
      if (asked.length === 0) return "";
      const { mean, min, max } = spread(asked.map(({ accuracy }) => accuracy));
      const range = percent(min) === percent(max) ? "" : ` (${percentRange(min, max)})`;
      return `${percent(mean)}${range}${asked.every(({ asTrained }) => asTrained) ? "" : " *"}`;
    });
    return [cell([setting, model].filter((part) => part !== "").join(", ")), ...shares];
  });
  const head = [
    ["accuracy, percent", ...tests.map(cell)],
    ["---", ...tests.map(() => "---:")],
  ];
  const words = "Mean over seeds (lowest\u2013highest), all reveals. * : not trained in every seed.";
  return [`${[...head, ...lines].map((line) => `| ${line.join(" | ")} |`).join("\n")}`, words];
}

const markdown = (names: readonly string[], rows: readonly (readonly string[])[]) =>
  [names, names.map(() => "---"), ...rows].map((line) => `| ${line.join(" | ")} |`).join("\n");

function table(claims: readonly Claim[], trained?: readonly Trained[]): string {
  const rows = claims.map((claim) => {
    const { statement, source, here, published, values } = claim;
    const value = claimValue(claim);
    return [
      `${cell(statement)} (${cell(source)})${here === undefined ? "" : `; ours: ${cell(here)}`}`,
      published === undefined ? "in words" : quantity(claim, published),
      value === undefined ? "\u2013" : quantity(claim, value),
      spreadText(claim) ?? "\u2013",
      String(values.length),
      asTrained(claim, trained),
    ];
  });
  const lines = [
    ["published", "theirs", "ours", "interval or range", "seeds", "as trained"],
    ["---", "---:", "---:", "---:", "---:", "---"],
    ...rows,
  ];
  return lines.map((line) => `| ${line.join(" | ")} |`).join("\n");
}

/** `not learned in 1 of 3 seeds: stage 4 of 5, 96.1 % (70.2 %)`: how far every seed came, and the hardest of what it came to. */
function asTrained({ models = [], setting, values }: Claim, trained: readonly Trained[] | undefined): string {
  if (models.length === 0 || values.length === 0) return "";
  if (trained === undefined) return "not recorded";
  const own = trained.filter(
    (each) => models.includes(each.model) && (setting ?? each.setting) === each.setting,
  );
  const several = (key: "setting" | "model") => new Set(own.map((each) => each[key])).size > 1;
  return own
    .map((each) => {
      const named = (["setting", "model"] as const).flatMap((key) => (several(key) ? [cell(each[key])] : []));
      return [...named, `${notLearned(each)}${came(each)}`].join(": ");
    })
    .join("; ");
}

function notLearned({ unlearned, highest = 1 }: Trained): string {
  // Entries that do not count seeds tell it by their means.
  const { seeds, of } = unlearned ?? { seeds: Number(highest < LEARNED), of: 1 };
  if (seeds === 0) return "";
  return `not learned${seeds === of ? "" : ` in ${seeds} of ${of} seeds`}: `;
}

function came({ stage, stages, lowest, lowestSeed = lowest }: Trained): string {
  const said = `stage ${stage} of ${stages}`;
  if (lowest === undefined || lowestSeed === undefined) return said;
  const least = percentSign(lowestSeed) === percentSign(lowest) ? "" : ` (${percentSign(lowestSeed)})`;
  return `${said}, ${percentSign(lowest)}${least}`;
}

/** Text that stays inside its cell, and is text. */
export const cell = (text: string) => text.replaceAll(/[\\|<>`*_[\]]/g, "\\$&").replaceAll(/\s+/g, " ");

/** A folder with a log that is no experiment's. */
export interface OtherLog {
  readonly name: string;
  readonly verdict: string;
}

/** `evidence/README.md`. */
export function evidenceIndex(experiments: readonly KnownExperiment[], others: readonly OtherLog[]): string {
  const rows = experiments.flatMap(({ name, entries, verdict }) => {
    const linked = verdict === undefined ? name : `[${name}](${name}/log.md)`;
    const said = verdict === undefined ? "no entry yet" : cell(withoutName(name, verdict));
    if (entries.length === 0) return [[linked, said, "not run yet", "", ""]];
    return entries.map(({ scale, seeds, date }, i) => [
      ...(i === 0 ? [linked, said] : ["", ""]),
      ...[scale, formatCount(seeds.length, "seed"), date],
    ]);
  });
  return `${[
    INDEX_HEAD,
    markdown(["experiment", "verdict", "scale", "seeds", "date"], rows),
    ...(others.length === 0
      ? []
      : [
          "## Beside the experiments",
          markdown(
            ["log", "verdict"],
            others.map(({ name, verdict }) => [
              `[${name}](${name}/log.md)`,
              cell(withoutName(name.replaceAll("-", " "), verdict)),
            ]),
          ),
        ]),
  ].join("\n\n")}\n`;
}

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
  const begin = `<!-- ${name}: made by statelab reproduce --evidence -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf("<!-- end -->", from);
  if (from === -1 || to === -1) return page;
  return `${page.slice(0, from)}${begin}\n\n${part}\n\n${page.slice(to)}`;
}

/** The title of the first entry of a log, which is the newest; undefined where there is none. */
export function readVerdict(log: string): string | undefined {
  return /^## (.+)$/m.exec(log)?.[1];
}

/** `state-repl, one seed: it learns` -> `It learns`: the name is in another column. */
function withoutName(name: string, verdict: string): string {
  if (!verdict.toLowerCase().startsWith(name) || !/^[:,]/.test(verdict.slice(name.length))) return verdict;
  const rest = verdict.slice(verdict.indexOf(": ") + 2);
  return `${rest[0]?.toUpperCase()}${rest.slice(1)}`;
}

const INDEX_HEAD = `# What was measured, and what was tried

Made by \`statelab reproduce --evidence\`. A folder an experiment: \`SCALE.json\` is what it last measured of each published
result ([all of them beside ours](../docs/results/index.md)), \`log.md\` what was asked and tried, the newest first: one entry a question,
the verdict in its title. Results that contradict a paper stay. Machine, unless said otherwise: 2 cores of a shared AMD EPYC (AVX-512),
24 GiB, Node 20; times are from a noisy machine. What the benchmarks found is in [bench/log](../bench/log).`;
