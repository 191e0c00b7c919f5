/**
 * @file The table of related systems: what the committed evidence has of each, or the reason why it has nothing.
 *
 *     | system | kernel | published | ours | seeds | command | minutes |
 *
 * experiments/neighbors.ts lists the systems. A number is read from claims, from cells of the zoo, or from a log.
 */

import { percent, percentRange } from "../../src/core/format.ts";
import { mean } from "../../src/core/statistics.ts";
import { cell, markdown } from "../../src/report/evidence.ts";
import { claimValue, quantity } from "../../src/report/sections.ts";
import type { Evidence } from "../../src/schemas/evidence.ts";
import { ZooCells } from "../../src/schemas/zoo.ts";
import { columnLabel, isGraded, listOf, rowLabel } from "../zoo/table.ts";

export interface NeighborSources {
  readonly entry: (experiment: string) => Evidence | undefined;
  /** The text of evidence/zoo/laptop-cells.json. */
  readonly cells: string;
  /** The text of evidence/neighbors/log.md. */
  readonly log: string;
}

interface Measured {
  readonly text: string;
  /** One count, or one per part. */
  readonly seeds: readonly number[];
  readonly commands: readonly string[];
  readonly seconds: number;
  /** Path of its evidence from docs/results, and what kind of source that is. */
  readonly source: readonly [kind: string, path: string];
}

type Measure = (from: NeighborSources, system: string) => Measured;

export interface Neighbor {
  readonly system: string;
  readonly paper: string;
  readonly kernel: string;
  readonly published: string;
  /** Without it `missing` is the reason why the system is left out. */
  readonly ours?: Measure;
  readonly missing?: string;
}

/** Claims of an experiment by the first words of their statements, each with what its value is. */
export const claims =
  (experiment: string, parts: readonly (readonly [words: string, label: string])[]): Measure =>
  ({ entry }) => {
    const found = entry(experiment);
    if (found === undefined) throw new Error(`evidence/${experiment}/laptop.json is missing: restore it`);
    const values = parts.map(([words, label]) => {
      const claim =
        found.claims.find(({ statement }) => statement === words) ??
        found.claims.find(({ statement }) => statement.startsWith(words));
      const value = claim && claimValue(claim);
      if (claim === undefined || value === undefined)
        throw new Error(`evidence/${experiment}/laptop.json has no value for "${words}"`);
      const [low, high] = [Math.min(...claim.values), Math.max(...claim.values)];
      const range = low === high ? "" : ` (${quantity(claim, low)} to ${quantity(claim, high)})`;
      return { text: `${label}: ${quantity(claim, value)}${range}`, seeds: claim.values.length };
    });
    return {
      text: values.map(({ text }) => text).join("; "),
      seeds: values.map(({ seeds }) => seeds),
      ...{ commands: [found.command], seconds: found.seconds },
      source: ["values", `../../evidence/${experiment}/laptop.json`],
    };
  };

/** Cells of the zoo; the time is that of training, with the runs that choose the learning rate. */
export const zooCells =
  (column: string, rows: readonly string[]): Measure =>
  ({ cells }) => {
    const all = ZooCells.parse(JSON.parse(cells)).cells;
    const own = rows.map((row) => {
      const found = all.find((each) => each.row === row && each.column === column);
      if (found === undefined)
        throw new Error(`evidence/zoo/laptop-cells.json has no cell ${row} of ${column}`);
      return found;
    });
    const share = (values: readonly number[]) =>
      `${percent(mean(values))} % (${percentRange(Math.min(...values), Math.max(...values))})`;
    const texts = own.map((cell) =>
      isGraded(cell)
        ? `${rowLabel(cell.row)} ${share(cell.runs.map(({ trained }) => trained))} as trained, ${share(cell.runs.map(({ longer }) => longer))} beyond`
        : `${rowLabel(cell.row)} reach ${listOf(cell, ({ reach }) => reach)}, generalization ${listOf(cell, ({ generalization }) => generalization)} symbols`,
    );
    const seeds = own.map(({ runs }) => runs.length);
    return {
      text: `${columnLabel(column)}: ${texts.join("; ")}`,
      seeds,
      commands: [
        `statelab reproduce zoo --only ${rows.join(",")} --tasks ${column} --seeds ${Math.max(...seeds)}`,
      ],
      seconds: own.reduce((sum, { seconds, runs, grid }) => sum + seconds * (runs.length + grid.length), 0),
      source: ["cells", "../../evidence/zoo/laptop-cells.json"],
    };
  };

/** What its commands in the log print: the groups of `form`, joined into `words` in place of $1, $2. */
export const printed =
  (form: RegExp, words: string): Measure =>
  ({ log }, system) => {
    const [, block = ""] = log.split(`\n### ${system}\n`);
    const [output] = block.split("\n### ");
    const found = form.exec(output);
    if (found === null) throw new Error(`evidence/neighbors/log.md has no line ${form} below ${system}`);
    const times = [...output.matchAll(/^([\d.]+) s$/gm)].map(([, seconds]) => Number(seconds));
    return {
      text: words.replaceAll(/\$(\d)/g, (_, group) => found[Number(group)]),
      seeds: [1],
      commands: [...output.matchAll(/^\$ (statelab .+)$/gm)].map(([, command]) => command),
      seconds: times.reduce((sum, seconds) => sum + seconds, 0),
      source: ["log", "../../evidence/neighbors/log.md"],
    };
  };

const minutes = (seconds: number) => (seconds < 60 ? "<1" : String(Math.round(seconds / 60)));

/** The generated part of docs/results/neighbors.md. */
export function neighborsTable(neighbors: readonly Neighbor[], from: NeighborSources): string {
  const rows = neighbors.map(({ system, paper, kernel, published, ours, missing }) => {
    const first = [`**${cell(system)}** (${cell(paper)})`, kernel, cell(published)];
    if (ours === undefined) return [...first, `Left out: ${missing}`, "\u2013", "\u2013", "\u2013"];
    const { text, seeds, commands, seconds, source } = ours(from, system);
    const [kind, path] = source;
    return [
      ...first,
      `${cell(text)} [${kind}](${path})${missing === undefined ? "" : `. Missing: ${missing}`}`,
      ...[
        [...new Set(seeds)].join(", "),
        commands.map((command) => `\`${command}\``).join(", "),
        cell(minutes(seconds)),
      ],
    ];
  });
  const measured = neighbors.filter(({ ours }) => ours !== undefined).length;
  return [
    `${measured} of ${neighbors.length} systems have a number, and ${neighbors.length - measured} have a reason why they have none.`,
    markdown(["system", "kernel", "published", "ours", "seeds", "command", "minutes"], rows),
  ].join("\n\n");
}
