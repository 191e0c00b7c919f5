/**
 * @file How strongly a delta rule writes: beta by layer, head and kind of token, and how far a state can be carried.
 *
 *     S_t = a (I - b k k') S_{t-1} + ...        along k the state is multiplied by a (1 - b): the eigenvalue
 *     kept  = |a (1 - b)|, its geometric mean over commands, at the token of a command where b is largest on average
 *     horizon = ln(1/2) / ln(kept)              commands after which half of what is moved at each of them is left
 *
 * b = 1.9 keeps 0.9 a command: half after 6.6 commands, 0.1 % after 64. With b = 2 the eigenvalue is -1 and the horizon
 * has no end. It is a prediction for what is turned at every command: what lies off the key is not touched.
 */

import { z } from "zod";
import { formatCount, percentSign, signed } from "../core/format.ts";
import type { ModelAccuracy } from "./accuracy.ts";
import { defineAnalysis, hasGate, ifHasTap } from "./analysis.ts";
import type { Figure } from "./figures.ts";
import { headName, type Part, shortHead } from "./figures.ts";
import { type LayerGate, type Recording, recordedGates, rowAt, tokenClasses } from "./recording.ts";

export const BINS = 20;

const BetaOfClass = z.strictObject({
  class: z.enum(tokenClasses),
  tokens: z.int(),
  mean: z.number(),
  /** Tokens in each of `BINS` equal ranges of [0, maximum]. */
  counts: z.array(z.int()),
});

const BetaOfPlace = z.strictObject({
  place: z.int(),
  /** The tokens that stand there most often, as text. */
  token: z.string(),
  mean: z.number(),
});
export type BetaOfPlace = z.infer<typeof BetaOfPlace>;

const BetaOfHead = z.strictObject({
  layer: z.int(),
  head: z.int(),
  /** The maximum of beta in this layer; `betaMax` of the model if absent. */
  maximum: z.number().optional(),
  classes: z.array(BetaOfClass),
  /** Along a command, and along a reveal. */
  command: z.array(BetaOfPlace),
  reveal: z.array(BetaOfPlace),
  /** The place in a command with the largest mean. */
  strongest: BetaOfPlace,
  /** The place in a reveal with the largest mean. */
  strongestReveal: BetaOfPlace.optional(),
  /** Mean |2 - b| at the strongest token of commands. */
  distanceFrom2: z.number(),
  /** The eigenvalue a (1 - b) at that token: its mean, and the geometric mean of its size. */
  eigenvalue: z.number(),
  kept: z.number(),
  /** Commands; Infinity where nothing is lost (null in JSON). */
  horizon: z
    .number()
    .nullable()
    .transform((commands) => commands ?? Number.POSITIVE_INFINITY),
});
export type BetaOfHead = z.infer<typeof BetaOfHead>;

/** `betaMax` is the widest of all layers. */
const Betas = z.strictObject({ betaMax: z.number(), heads: z.array(BetaOfHead) });
export type Betas = z.infer<typeof Betas>;

export const beta = defineAnalysis({
  name: "beta",
  summary: "how strongly each head of a delta rule writes, and how long the state lasts",
  caution:
    "A beta near 2 is necessary for tracking by reflections. It does not show that the model uses the head, which ablation shows.",
  found: Betas,
  needs: [hasGate("no layer of this model has a beta"), ifHasTap("decay")],
  measure: ({ recording }) => ({
    betaMax: Math.max(...recordedGates(recording).map(({ maximum }) => maximum)),
    heads: betaOfHeads(recording),
  }),
  part: (found, { accuracy }) => partOf(found, accuracy),
});

/** One entry a head; none where no layer has a beta. */
export function betaOfHeads(recording: Recording): BetaOfHead[] {
  return recordedGates(recording).flatMap((gate) =>
    Array.from({ length: gate.tap.shape[2] }, (_, head) => betaOfHead(recording, gate, head)),
  );
}

function betaOfHead(recording: Recording, { layer, tap, maximum }: LayerGate, head: number): BetaOfHead {
  const { programs, taps } = recording;
  const decay: Recording["taps"][string] | undefined = taps[`layers.${layer}.decay`];
  const ofClass = tokenClasses.map((name) => ({ class: name, betas: [] as number[] }));
  const alongs = { command: new Along(), reveal: new Along() };
  for (const [i, { tokens, classes, places }] of programs.entries()) {
    for (let t = 0; t < tokens.length; t++) {
      const beta = rowAt(tap, i, t, head)[0];
      ofClass[tokenClasses.indexOf(classes[t])].betas.push(beta);
      const name = classes[t];
      if (name === "initialisation") continue;
      // DeltaProduct has several betas a head and one decay.
      const a = decay === undefined ? 1 : rowAt(decay, i, t, head % decay.shape[2])[0];
      alongs[name].see(places[t], tokens[t], beta, a * (1 - beta));
    }
  }
  const [command, reveal] = [alongs.command.means(), alongs.reveal.means()];
  const strongest = largest(command) ?? { place: 0, token: "", mean: 0 };
  const eigenvalues = alongs.command.eigenvalues(strongest.place);
  const kept = Math.exp(average(eigenvalues.map((each) => Math.log(Math.max(Math.abs(each), 1e-12)))));
  return {
    layer,
    head,
    maximum,
    classes: ofClass.map(({ class: name, betas }) => ({
      class: name,
      tokens: betas.length,
      mean: average(betas),
      counts: histogram(betas, maximum),
    })),
    command,
    reveal,
    strongest,
    strongestReveal: largest(reveal),
    distanceFrom2: average(alongs.command.betas(strongest.place).map((beta) => Math.abs(2 - beta))),
    eigenvalue: average(eigenvalues),
    kept,
    horizon: writeHorizon(kept),
  };
}

/** Steps after which a half is left of what each step multiplies by `kept`. */
export function writeHorizon(kept: number): number {
  if (kept >= 1) return Number.POSITIVE_INFINITY;
  return Math.log(1 / 2) / Math.log(kept);
}

/** The token at each place along a command or reveal. */
class Along {
  private readonly places = new Map<
    number,
    { tokens: Map<string, number>; betas: number[]; eigenvalues: number[] }
  >();

  see(place: number, token: string, beta: number, eigenvalue: number): void {
    const at = this.places.get(place) ?? { tokens: new Map<string, number>(), betas: [], eigenvalues: [] };
    this.places.set(place, at);
    at.tokens.set(token, (at.tokens.get(token) ?? 0) + 1);
    at.betas.push(beta);
    at.eigenvalues.push(eigenvalue);
  }

  means(): BetaOfPlace[] {
    return [...this.places]
      .sort(([a], [b]) => a - b)
      .map(([place, { tokens, betas }]) => ({ place, token: tokenText(tokens), mean: average(betas) }));
  }

  betas(place: number): readonly number[] {
    return this.places.get(place)?.betas ?? [];
  }

  eigenvalues(place: number): readonly number[] {
    return this.places.get(place)?.eigenvalues ?? [];
  }
}

/** Up to four tokens, the most frequent first: `a|b|c`. */
export function tokenText(tokens: ReadonlyMap<string, number>): string {
  const sorted = [...tokens].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([token]) => token);
  const shown = sorted.length > 4 ? [...sorted.slice(0, 4).sort(), "…"] : sorted.sort();
  return shown.map((token) => token.trim() || JSON.stringify(token).slice(1, -1)).join("|");
}

function largest(places: readonly BetaOfPlace[]): BetaOfPlace | undefined {
  return places.reduce<BetaOfPlace | undefined>(
    (most, each) => (most === undefined || each.mean > most.mean ? each : most),
    undefined,
  );
}

function histogram(values: readonly number[], to: number): number[] {
  const counts = new Array<number>(BINS).fill(0);
  for (const value of values) counts[Math.min(BINS - 1, Math.max(0, Math.floor((value / to) * BINS)))]++;
  return counts;
}

/** 0 of nothing, so that a class without tokens has a number that JSON can hold. */
function average(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function partOf({ betaMax, heads }: Betas, accuracy: ModelAccuracy): Part {
  const maximumOf = ({ maximum = betaMax }: BetaOfHead) => maximum;
  const along = (name: "command" | "reveal"): Figure => ({
    kind: "matrix",
    title: `Mean beta along a ${name}`,
    rowLabel: "layer.head",
    columnLabel: `tokens of a ${name}, from its first`,
    rows: heads.map(shortHead),
    columns: (heads[0]?.[name] ?? []).map(({ token }) => token),
    cells: heads.map((head) => head[name].map(({ mean }) => mean)),
    from: 0,
    to: betaMax,
    digits: 2,
  });
  const strongest = heads.reduce((most, each) => (each.strongest.mean > most.strongest.mean ? each : most));
  return {
    heading: "Write strength of each head",
    how: [
      `A delta rule multiplies its memory along the key by 1 \u2212 beta: 1 keeps it, 0 erases it, and \u22121 (beta = 2) reflects it. A reflection along (e_i \u2212 e_j)/\u221A2 swaps two slots. Here beta is at most ${rangesText(heads, maximumOf)}. Kept: the size of 1 \u2212 beta (times the decay, where there is one) as a geometric mean over commands, at the token of a command where the head's mean beta is largest. Horizon: the number of commands after which half is left, ln(1/2) / ln(kept).`,
    ],
    figures: {
      "beta-command": along("command"),
      ...(heads.some(({ reveal }) => reveal.length > 0) && { "beta-reveal": along("reveal") }),
      ...Object.fromEntries(
        heads.slice(0, MOST_HISTOGRAMS).map((head) => [
          `beta-${shortHead(head)}`,
          {
            kind: "distribution",
            title: `beta, ${headName(head)}`,
            xLabel: "beta",
            to: maximumOf(head),
            classes: head.classes.map(({ class: name, ...rest }) => ({ name, ...rest })),
          },
        ]),
      ),
    },
    caption: `Above: mean beta at each token of a command and of a reveal. Below: beta at all tokens of a kind, each scaled to its largest bar${heads.length > MOST_HISTOGRAMS ? `; the first ${MOST_HISTOGRAMS} heads` : ""}.`,
    table: {
      columns: [
        "layer.head",
        "strongest token",
        "mean beta",
        "|2 \u2212 beta|",
        "eigenvalue",
        "kept",
        "horizon",
        "on reveals",
      ],
      rows: heads.map((head) => [
        shortHead(head),
        head.strongest.token,
        signed(head.strongest.mean, 3),
        signed(head.distanceFrom2, 3),
        signed(head.eigenvalue, 3),
        signed(head.kept, 4),
        horizonText(head),
        head.strongestReveal === undefined
          ? "\u2013"
          : `${signed(head.strongestReveal.mean, 3)} at ${head.strongestReveal.token}`,
      ]),
    },
    meaning: [meaningOf(strongest, betaMax), measuredText(strongest, accuracy)],
  };
}

const MOST_HISTOGRAMS = 8;

function horizonText({ horizon }: Pick<BetaOfHead, "horizon">): string {
  if (!Number.isFinite(horizon)) return "no end";
  return horizon < 10 ? signed(horizon, 1) : signed(horizon, 0);
}

/** `2`, or where layers differ `2 in layer 0, 1 in layer 2`. */
function rangesText(heads: readonly BetaOfHead[], maximumOf: (head: BetaOfHead) => number): string {
  const byLayer = new Map(heads.map((head) => [head.layer, maximumOf(head)]));
  const maxima = [...new Set(byLayer.values())];
  return maxima.length === 1
    ? String(maxima[0])
    : [...byLayer].map(([layer, maximum]) => `${maximum} in layer ${layer}`).join(", ");
}

function meaningOf(head: BetaOfHead, betaMax: number): string {
  const where = `At "${head.strongest.token}", ${headName(head)} has a mean beta of ${signed(head.strongest.mean, 3)}, the largest of all heads on commands`;
  if (betaMax < 2) {
    return `${where}. With beta at most ${betaMax} no eigenvalue is negative: this model cannot reflect, and a swap cannot be one step of its memory.`;
  }
  if (head.strongest.mean > 1.9)
    return `${where}: it reflects its memory almost exactly, as tracking by reflections requires.`;
  return `${where}. No head comes near 2 on commands: no head here reflects its memory at each command.`;
}

function measuredText(head: BetaOfHead, { byCommands }: ModelAccuracy): string {
  const [first, last] = [byCommands[0], byCommands.at(-1)];
  if (first === undefined || last === undefined) return "There was no question.";
  const from = `after ${formatCount(first.commands, "command")} accuracy is ${percentSign(first.accuracy)}`;
  const to =
    last === first
      ? ""
      : `, after ${formatCount(last.commands, "command")} it is ${percentSign(last.accuracy)}`;
  return `Predicted from that head: half of the state is left after ${horizonText(head)}${Number.isFinite(head.horizon) ? " commands" : ""}. Measured: ${from}${to}.`;
}
