/**
 * @file The index of the evidence, as Markdown: every experiment with its verdict, and what was measured beside them.
 *
 *     | experiment | verdict | scale | seeds | date |
 */

import { counted } from "../core/format.ts";
import { cell, type KnownExperiment } from "./evidence.ts";

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
      ...[scale, counted(seeds.length, "seed"), date],
    ]);
  });
  return `${[
    HEAD,
    markdownTable(["experiment", "verdict", "scale", "seeds", "date"], rows),
    ...(others.length === 0
      ? []
      : [
          "## Beside the experiments",
          markdownTable(
            ["log", "verdict"],
            others.map(({ name, verdict }) => [
              `[${name}](${name}/log.md)`,
              cell(withoutName(name.replaceAll("-", " "), verdict)),
            ]),
          ),
        ]),
  ].join("\n\n")}\n`;
}

/** The table of docs/experiments.md. */
export function experimentsTable(experiments: readonly KnownExperiment[]): string {
  return markdownTable(
    ["experiment", "question", "published in"],
    experiments.map(({ name, about, publishedIn }) => [`\`${name}\``, cell(about), cell(publishedIn)]),
  );
}

/** `page` with the table between its two marks made anew; as it is where it has none. */
export const withExperiments = (page: string, experiments: readonly KnownExperiment[]): string =>
  withPart(page, "experiments", experimentsTable(experiments));

/** `page` with what stands between the marks of that name made anew; as it is where it has none. */
export function withPart(page: string, name: string, part: string): string {
  const begin = `<!-- ${name}: made by statelab reproduce --evidence -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf("<!-- end -->", from);
  if (from === -1 || to === -1) return page;
  return `${page.slice(0, from)}${begin}\n\n${part}\n\n${page.slice(to)}`;
}

/** The title of the first entry of a log, which is the newest; undefined where there is none. */
export function verdictOf(log: string): string | undefined {
  return /^## (.+)$/m.exec(log)?.[1];
}

/** `state-repl, one seed: it learns` -> `It learns`: what a title begins with stands beside it in other columns. */
function withoutName(name: string, verdict: string): string {
  if (!verdict.toLowerCase().startsWith(name) || !/^[:,]/.test(verdict.slice(name.length))) return verdict;
  const rest = verdict.slice(verdict.indexOf(": ") + 2);
  return `${rest[0]?.toUpperCase()}${rest.slice(1)}`;
}

const markdownTable = (columns: readonly string[], rows: readonly (readonly string[])[]) =>
  [columns, columns.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

const HEAD = `# What was measured, and what was tried

Made by \`statelab reproduce --evidence\`. A folder an experiment: \`SCALE.json\` is what it last measured of each published
result ([all of them beside ours](../docs/evidence.md)), \`log.md\` what was asked and tried, the newest first: one entry a question,
the verdict in its title. Results that contradict a paper stay. Machine, unless said otherwise: 2 cores of a shared AMD EPYC (AVX-512),
24 GiB, Node 20; times are from a noisy machine. What the benchmarks found is in [bench/log](../bench/log).`;
