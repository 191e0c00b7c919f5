/**
 * @file What a layer's own numbers are: every tap [B, T, n] that it hands out under its own name (gates, decays, cells, eigenvalues of a
 * model of one's own), by kind of token, and where in a command they differ. What is wider than a number a channel (queries, keys,
 * values) is for other parts.
 *
 *     decay at the tokens of a command   .99 .98 .61 .99      kept = .99 x .98 x .61 x .99 = .59 a command
 *     horizon = ln(1/2) / ln(kept)                            commands after which half of what is held is left: 1.3
 *
 * `kept` is said of the tap by which a mixer declares that it multiplies what it carries (`keeps` of its traits), as a geometric mean over
 * commands of the product of its sizes at their tokens.
 */

import { z } from "zod";
import { formatCount, signed } from "../core/format.ts";
import { quantile } from "../core/statistics.ts";
import { defineAnalysis, type Requirement } from "./analysis.ts";
import { tokenText, writeHorizon } from "./beta.ts";
import type { Figure, Part } from "./figures.ts";
import { type Program, type Recording, rowAt, type Tap, type TokenClass, tokenClasses } from "./recording.ts";

const BINS = 20;
/** Quantiles and histograms use at most so many values, evenly spaced. */
const MOST_VALUES = 200_000;
const MOST_FIGURES = 8;
const MOST_ROWS = 24;

const OfClass = z.strictObject({
  class: z.enum(tokenClasses),
  values: z.int(),
  mean: z.number(),
  /** The least, the 5th percentile, the median, the 95th, and the largest. */
  quantiles: z.tuple([z.number(), z.number(), z.number(), z.number(), z.number()]),
  /** In each of `BINS` equal ranges from the least value of all classes to the largest. */
  counts: z.array(z.int()),
});

const OfTap = z.strictObject({
  layer: z.int(),
  /** Under which the mixer hands it out. */
  name: z.string(),
  /** Heads or channels: n. */
  channels: z.int(),
  classes: z.array(OfClass),
  /** [channel][place]: its mean at each token of a command, as far as all commands go; of the first channels. */
  command: z.array(z.array(z.number())),
  /** The tokens that stand at these places most often, as text. */
  tokens: z.array(z.string()),
  /** For a tap that multiplies the carried state, per channel; the horizon is Infinity if nothing is lost (null in JSON). */
  kept: z
    .array(
      z.strictObject({
        perCommand: z.number(),
        horizon: z
          .number()
          .nullable()
          .transform((commands) => commands ?? Number.POSITIVE_INFINITY),
      }),
    )
    .optional(),
});
export type OfTap = z.infer<typeof OfTap>;

/** Taps of every mixer that other parts read. */
const NOT_ITS_OWN = new Set(["residual", "heads"]);

const someNumber: Requirement = {
  taps: (_, declared) =>
    declared.filter(({ name, rest }) => rest.length === 1 && !NOT_ITS_OWN.has(name)).map(({ name }) => name),
  isMet: ({ recording }) => numbersOf(recording).length > 0,
  otherwise: "no layer of this model has a tap with one number per head or channel",
};

export const taps = defineAnalysis({
  name: "taps",
  summary: "values of gates, decays and other taps of a layer, by kind of token",
  caution: "A value at a token does not show that the model needs it.",
  found: z.array(OfTap),
  needs: [someNumber],
  measure: ({ recording }) => numbersOf(recording).map((each) => measured(recording, each)),
  part: partOf,
});

interface Numbers {
  readonly layer: number;
  readonly name: string;
  readonly tap: Tap;
}

/** Its taps of [programs, T, n], by layer. */
function numbersOf({ taps }: Recording): Numbers[] {
  const found = Object.entries(taps).flatMap(([key, tap]): Numbers[] => {
    const [, layer, name] = /^layers\.(\d+)\.(.+)$/.exec(key) ?? [];
    if (name === undefined || tap.shape.length !== 3 || NOT_ITS_OWN.has(name)) return [];
    return [{ layer: Number(layer), name, tap }];
  });
  return found.sort((a, b) => a.layer - b.layer);
}

function measured({ programs, layers }: Recording, { layer, name, tap }: Numbers): OfTap {
  const channels = tap.shape[2];
  const values = Object.fromEntries(tokenClasses.map((each) => [each, valuesOf(programs, tap, each)]));
  const range = rangeOf(Object.values(values).flat());
  const keeps = layers[layer]?.keeps === name;
  return {
    ...{ layer, name, channels },
    classes: tokenClasses.flatMap((each) =>
      values[each].length > 0 ? [ofClass(each, values[each], range)] : [],
    ),
    ...alongCommands(programs, tap),
    ...(keeps && { kept: Array.from({ length: channels }, (_, channel) => keptBy(programs, tap, channel)) }),
  };
}

/** Not by Math.min(...all): there may be more than a call takes. */
function rangeOf(values: readonly number[]): [least: number, most: number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return [least, most];
}

function valuesOf(programs: readonly Program[], tap: Tap, kind: TokenClass): number[] {
  const total = programs.reduce(
    (sum, { classes }) => sum + classes.filter((each) => each === kind).length,
    0,
  );
  const every = Math.max(1, Math.ceil((total * tap.shape[2]) / MOST_VALUES));
  const values: number[] = [];
  let at = 0;
  for (const [i, { classes }] of programs.entries()) {
    for (const [t, each] of classes.entries()) {
      if (each !== kind) continue;
      for (const value of rowAt(tap, i, t)) if (at++ % every === 0) values.push(value);
    }
  }
  return values;
}

function ofClass(kind: TokenClass, values: readonly number[], [least, most]: readonly [number, number]) {
  const counts = new Array<number>(BINS).fill(0);
  const width = (most - least) / BINS || 1;
  for (const value of values) counts[Math.min(BINS - 1, Math.floor((value - least) / width))]++;
  const [q0, q5, q50, q95, q100] = [0, 0.05, 0.5, 0.95, 1].map((q) => quantile(values, q));
  const quantiles: [number, number, number, number, number] = [q0, q5, q50, q95, q100];
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { class: kind, values: values.length, mean, quantiles, counts };
}

/** The mean of the first channels at each place that every command has. */
function alongCommands(programs: readonly Program[], tap: Tap): Pick<OfTap, "command" | "tokens"> {
  const channels = Math.min(tap.shape[2], MOST_ROWS);
  const places: { seen: number; sum: number[]; tokens: Map<string, number> }[] = [];
  for (const [i, program] of programs.entries()) {
    for (const [t, kind] of program.classes.entries()) {
      if (kind !== "command") continue;
      const place = program.places[t];
      places[place] ??= { seen: 0, sum: new Array<number>(channels).fill(0), tokens: new Map() };
      const at = places[place];
      at.seen++;
      at.tokens.set(program.tokens[t], (at.tokens.get(program.tokens[t]) ?? 0) + 1);
      const row = rowAt(tap, i, t);
      for (let channel = 0; channel < channels; channel++) at.sum[channel] += row[channel];
    }
  }
  const commands = places[0]?.seen ?? 0;
  const shared = places.filter(({ seen }) => seen === commands);
  return {
    command: Array.from({ length: channels }, (_, channel) =>
      shared.map(({ sum }) => sum[channel] / commands),
    ),
    tokens: shared.map(({ tokens }) => tokenText(tokens)),
  };
}

function keptBy(programs: readonly Program[], tap: Tap, channel: number) {
  let logarithm = 0;
  let commands = 0;
  for (const [i, { classes, places }] of programs.entries()) {
    for (const [t, kind] of classes.entries()) {
      if (kind !== "command") continue;
      if (places[t] === 0) commands++;
      logarithm += Math.log(Math.max(Math.abs(rowAt(tap, i, t)[channel]), 1e-12));
    }
  }
  const perCommand = commands === 0 ? 1 : Math.exp(logarithm / commands);
  return { perCommand, horizon: writeHorizon(perCommand) };
}

const title = ({ layer, name }: Pick<OfTap, "layer" | "name">) => `${name}, layer ${layer}`;

function partOf(found: readonly OfTap[]): Part | undefined {
  if (found.length === 0) return undefined;
  const figures = found.slice(0, MOST_FIGURES).flatMap((tap): [string, Figure][] => {
    const key = `taps-${tap.layer}-${tap.name.replaceAll(/[^\w-]+/g, "-")}`;
    return [
      [`${key}-values`, valuesFigure(tap)],
      ...((tap.command[0]?.length ?? 0) > 0
        ? [[`${key}-command`, commandFigure(tap)] as [string, Figure]]
        : []),
    ];
  });
  const kept = found.flatMap(({ kept = [], ...tap }) =>
    kept.map((each, channel) => ({ ...tap, ...each, channel })),
  );
  return {
    heading: "Taps of each layer",
    how: [
      "Every tap with one number per head or channel, such as gates, decays and cells. The values over all programs by kind of token, and the mean at each token of a command.",
    ],
    figures: Object.fromEntries(figures),
    caption: `Each tap: its values by kind of token, each scaled to its largest bar, and its mean along a command (at most ${MOST_ROWS} channels)${found.length > MOST_FIGURES ? `; the first ${MOST_FIGURES} of ${found.length} taps` : ""}.`,
    table: {
      columns: ["layer", "tap", "channels", "at", "mean", "5 %", "median", "95 %"],
      rows: found.flatMap(({ layer, name, channels, classes }) =>
        classes.map(({ class: kind, mean, quantiles: [, low, middle, high] }) => [
          ...[String(layer), name, String(channels), kind],
          ...[mean, low, middle, high].map((value) => signed(value, 3)),
        ]),
      ),
    },
    meaning: kept.length === 0 ? [differsText(found)] : kept.map(keptText),
  };
}

function valuesFigure(tap: OfTap): Figure {
  const { classes } = tap;
  return {
    kind: "distribution",
    title: `${title(tap)}: values`,
    xLabel: tap.name,
    from: Math.min(...classes.map(({ quantiles }) => quantiles[0])),
    to: Math.max(...classes.map(({ quantiles }) => quantiles[4])),
    classes: classes.map(({ class: name, mean, counts }) => ({ name, mean, counts })),
  };
}

function commandFigure(tap: OfTap): Figure {
  const means = tap.command.flat();
  return {
    kind: "matrix",
    title: `${title(tap)}: mean along a command`,
    rowLabel: "channel",
    columnLabel: "tokens of a command, from its first",
    rows: tap.command.map((_, channel) => String(channel)),
    columns: tap.tokens,
    cells: tap.command,
    from: Math.min(...means),
    to: Math.max(...means),
    digits: 2,
  };
}

function keptText(each: OfTap & { perCommand: number; horizon: number; channel: number }): string {
  const half = Number.isFinite(each.horizon)
    ? `half is left after ${signed(each.horizon, 1)} commands`
    : "nothing is lost";
  return `By ${title(each)}, channel ${each.channel}, a command keeps ${signed(each.perCommand, 4)} of the state: ${half}.`;
}

/** Which tap differs most between commands and reveals, in units of its spread. */
function differsText(found: readonly OfTap[]): string {
  const differences = found.flatMap((tap) => {
    const [command, reveal] = ["command", "reveal"].map((kind) =>
      tap.classes.find((each) => each.class === kind),
    );
    if (command === undefined || reveal === undefined) return [];
    const spread = Math.max(...[command, reveal].map(({ quantiles }) => quantiles[3] - quantiles[1]));
    return spread > 0 ? [{ tap, command, reveal, share: Math.abs(command.mean - reveal.mean) / spread }] : [];
  });
  const [most] = differences.sort((a, b) => b.share - a.share);
  if (most === undefined)
    return `${formatCount(found.length, "tap")}; these programs have no commands and reveals to compare.`;
  return `Commands and reveals differ most in ${title(most.tap)}: ${signed(most.command.mean, 3)} on average at commands, ${signed(most.reveal.mean, 3)} at reveals.`;
}
