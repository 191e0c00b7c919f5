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

import { layersWith, type Recording, rowAt, type TokenClass, tokenClasses } from "./recording.ts";

export const BINS = 20;

export interface BetaOfClass {
  readonly class: TokenClass;
  readonly tokens: number;
  readonly mean: number;
  /** Tokens in each of `BINS` equal ranges of [0, betaMax]. */
  readonly counts: readonly number[];
}

export interface BetaOfPlace {
  readonly place: number;
  /** The tokens that stand there most often, as text. */
  readonly token: string;
  readonly mean: number;
}

export interface BetaOfHead {
  readonly layer: number;
  readonly head: number;
  readonly classes: readonly BetaOfClass[];
  /** Along a command, and along a reveal. */
  readonly command: readonly BetaOfPlace[];
  readonly reveal: readonly BetaOfPlace[];
  /** Where in a command the mean is largest. */
  readonly strongest: BetaOfPlace;
  /** Where in a reveal it is. */
  readonly strongestReveal: BetaOfPlace | undefined;
  /** Mean |2 - b| at the strongest token of commands. */
  readonly distanceFrom2: number;
  /** Of the eigenvalue a (1 - b) at that token: its mean, and its size as a geometric mean. */
  readonly eigenvalue: number;
  readonly kept: number;
  /** Commands; Infinity where nothing is lost (null in JSON). */
  readonly horizon: number;
}

/** One entry a head; none where no layer has a beta. */
export function betaOfHeads(recording: Recording, betaMax: number): BetaOfHead[] {
  return layersWith(recording, "beta").flatMap((layer) => {
    const heads = recording.taps[`layers.${layer}.beta`].shape[2];
    return Array.from({ length: heads }, (_, head) => betaOfHead(recording, layer, head, betaMax));
  });
}

function betaOfHead(recording: Recording, layer: number, head: number, betaMax: number): BetaOfHead {
  const { programs, taps } = recording;
  const tap = taps[`layers.${layer}.beta`];
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
    classes: ofClass.map(({ class: name, betas }) => ({
      class: name,
      tokens: betas.length,
      mean: average(betas),
      counts: histogram(betas, betaMax),
    })),
    command,
    reveal,
    strongest,
    strongestReveal: largest(reveal),
    distanceFrom2: average(alongs.command.betas(strongest.place).map((beta) => Math.abs(2 - beta))),
    eigenvalue: average(eigenvalues),
    kept,
    horizon: horizonOf(kept),
  };
}

/** Steps after which a half is left of what each step multiplies by `kept`. */
export function horizonOf(kept: number): number {
  if (kept >= 1) return Number.POSITIVE_INFINITY;
  return Math.log(1 / 2) / Math.log(kept);
}

/** What stands at each place along a command or reveal. */
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
function tokenText(tokens: ReadonlyMap<string, number>): string {
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
