/**
 * @file The evidence as one page of Markdown: every published result beside ours.
 *
 *     | published | theirs | ours | interval or range | seeds | as trained |
 */

import { counted, duration, percentSign } from "../math/format.ts";
import type { EvidenceEntry, Trained } from "../records/evidence.ts";
import type { Claim } from "../records/result.ts";
import { claimValue, quantity, spreadText, spreadWords } from "./parts.ts";
import { LEARNED } from "./summary.ts";

export interface KnownExperiment {
  readonly name: string;
  readonly question: string;
  /** The question in a few words, for a row of a table. */
  readonly about: string;
  /** `A, Fig. 3`. */
  readonly publishedIn: string;
  /** What it claims to measure, with no values: shown where it has not run. */
  readonly claims: readonly Claim[];
  /** One a scale at which it was measured. */
  readonly entries: readonly EvidenceEntry[];
  /** What its log.md says in the title of its newest entry. */
  readonly verdict: string | undefined;
}

/** In the order of the page. */
export function evidencePage(experiments: readonly KnownExperiment[]): string {
  const blocks = experiments.flatMap(({ name, question, claims, entries, verdict }) => [
    `## ${name}\n\n${cell(question)}`,
    ...(entries.length === 0
      ? [`Not run yet: \`statelab reproduce ${name}\`.`, table(claims)]
      : entries.flatMap(measured)),
    ...(verdict === undefined ? [] : [`What was tried: [log](../evidence/${name}/log.md).`]),
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
curriculum to which every seed of the model came, and its accuracy in the hardest programs that were in its training until then; who is below 95 % in all
of them has not learned its training, and shows nothing beyond it. Results from before 2026-11-23 did not record it, nor their machine.`;

function measured(entry: EvidenceEntry): string[] {
  const { scale, seeds, command, date, device, seconds, claims, findings, machine } = entry;
  const about = `**${scale} scale**, ${seeds.length === 1 ? "seed" : "seeds"} ${seeds.join(", ")}, ${device}, ${duration(seconds)}, ${date}: \`${command}\`. ${
    machine === undefined
      ? "The machine was not recorded."
      : `Machine: ${cell(machine.processor)}, ${counted(machine.cores, "core")}, ${machine.memoryGiB} GiB, ${machine.platform}, Node ${machine.node}.`
  }`;
  const disagreements =
    findings.length === 0
      ? []
      : [`What disagrees:\n\n${findings.map((each) => `- ${cell(each)}`).join("\n")}`];
  return [about, table(claims, entry.trained), ...disagreements];
}

function table(claims: readonly Claim[], trained: readonly Trained[] = []): string {
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

/** `stage 5 of 5, 99.8 %`: how far every seed came, and the lowest of the tests of what was trained there. */
function asTrained({ models = [] }: Claim, trained: readonly Trained[]): string {
  const own = trained.filter(({ model }) => models.includes(model));
  const said = own.map(({ setting, stage, stages, lowest, highest }) => {
    const came = `stage ${stage} of ${stages}, ${percentSign(lowest)}`;
    return `${setting === "" ? "" : `${cell(setting)}: `}${highest < LEARNED ? "not learned: " : ""}${came}`;
  });
  return said.length === 0 ? "\u2013" : said.join("; ");
}

/** Text that stays inside its cell, and is text. */
export const cell = (text: string) => text.replaceAll(/[\\|<>`*_[\]]/g, "\\$&").replaceAll(/\s+/g, " ");
