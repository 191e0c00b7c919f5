/**
 * @file Where in its memory a head writes: how many directions its keys use, and whether each swap has one of its own.
 *
 *     explained_n = (λ_1 + ... + λ_n) / Σ λ       λ: variances of the keys at commands along their principal components
 *     direction of a command = leading eigenvector of mean(k k') over its occurrences; own share = λ_1 / Σ λ
 *     angle(i, j) = arccos |u_i' u_j|
 *
 * The memory is turned by I - b k k', in which k and -k are one: only the line through k is identifiable, and of the
 * whole only angles between lines, since any rotation of the key space is undone by the queries. If each variable had
 * a slot e_i, a swap's line would be that of (e_i - e_j)/√2: 60 degrees from a swap that shares a variable, 90 from one
 * that does not. Several tokens of a command may write, so the swap may be the product of their reflections: every place
 * is given.
 */

import { angleBetweenLines, meanRow, secondMoments, symmetricEigen } from "../math/linear-algebra.ts";
import { betaOfHeads } from "./beta.ts";
import { layersWith, type Program, type Recording, rowAt } from "./recording.ts";

export interface Angle {
  /** Two commands, as text. */
  readonly between: readonly [string, string];
  readonly degrees: number;
  /** Of the lines of their swaps; undefined where one of them is no swap. */
  readonly expected: number | undefined;
}

export interface KeysAtPlace {
  readonly place: number;
  readonly token: string;
  readonly beta: number;
  /** How much of the keys lies along their command's own direction, on average; 1 if each command has one key. */
  readonly ownShare: number;
  readonly angles: readonly Angle[];
}

export interface KeysOfHead {
  readonly layer: number;
  readonly head: number;
  /** Cumulative, of the keys at all tokens of commands; as many as dimensions. */
  readonly explained: readonly number[];
  /** Components that explain 95 %. */
  readonly components: number;
  readonly places: readonly KeysAtPlace[];
}

/** More different commands than this are not compared in pairs. */
const MOST_LETTERS = 12;
/** Keys beyond this many say nothing new. */
const MOST_KEYS = 20_000;

export function keysOfHeads(recording: Recording, betaMax: number): KeysOfHead[] {
  const { programs, taps } = recording;
  const swaps = swapsOf(programs);
  const heads = betaOfHeads(recording, betaMax);
  return layersWith(recording, "key").flatMap((layer) => {
    const tap = taps[`layers.${layer}.key`];
    return heads
      .filter((each) => each.layer === layer)
      .map(({ head, command }) => {
        const keys: Float32Array[] = [];
        const byPlace = new Map<number, Map<string, Float32Array[]>>();
        for (const [i, program] of programs.entries()) {
          for (let t = 0; t < program.tokens.length; t++) {
            if (program.classes[t] !== "command") continue;
            const key = rowAt(tap, i, t, head);
            if (keys.length < MOST_KEYS) keys.push(key);
            const letter = program.letters[commandAt(program, t)];
            const letters = byPlace.get(program.places[t]) ?? new Map<string, Float32Array[]>();
            byPlace.set(program.places[t], letters);
            const own = letters.get(letter) ?? [];
            letters.set(letter, own);
            own.push(key);
          }
        }
        const explained = explainedBy(keys);
        const components = 1 + explained.findIndex((share) => share >= 0.95);
        const places = command.map(({ place, token, mean }) => ({
          place,
          token,
          beta: mean,
          ...directionsOf(byPlace.get(place) ?? new Map(), swaps),
        }));
        return { layer, head, explained, components, places };
      });
  });
}

/** The number of the command that a token of it belongs to, from 0. */
export function commandAt({ commands, ends }: Program, t: number): number {
  return ends[commands[t]] === t ? commands[t] - 1 : commands[t];
}

/** Cumulative shares of variance along principal components. */
export function explainedBy(rows: readonly ArrayLike<number>[]): number[] {
  const { values } = symmetricEigen(secondMoments(rows, meanRow(rows)));
  const total = values.reduce((sum, value) => sum + Math.max(0, value), 0);
  let sum = 0;
  return values.map((value) => {
    sum += Math.max(0, value);
    return total === 0 ? 1 : Math.min(1, sum / total);
  });
}

function directionsOf(
  letters: ReadonlyMap<string, readonly Float32Array[]>,
  swaps: ReadonlyMap<string, readonly number[] | undefined>,
): Pick<KeysAtPlace, "ownShare" | "angles"> {
  const names = [...letters.keys()].sort();
  const found = names.map((name) => {
    const { values, vectors } = symmetricEigen(secondMoments(letters.get(name)!)); // its names are its keys
    return { name, direction: vectors[0], share: values[0] / values.reduce((sum, value) => sum + value, 0) };
  });
  const ownShare = found.reduce((sum, { share }) => sum + share, 0) / Math.max(1, found.length);
  if (names.length > MOST_LETTERS) return { ownShare, angles: [] };
  const angles = found.flatMap((one, i) =>
    found.slice(i + 1).map(
      (other): Angle => ({
        between: [one.name, other.name],
        degrees: angleBetweenLines(one.direction, other.direction),
        expected: expectedAngle(swaps.get(one.name), swaps.get(other.name)),
      }),
    ),
  );
  return { ownShare, angles };
}

function expectedAngle(one: readonly number[] | undefined, other: readonly number[] | undefined) {
  if (one === undefined || other === undefined) return undefined;
  const shared = one.filter((variable) => other.includes(variable)).length;
  return [90, 60, 0][shared];
}

/** Of each command the two variables that it exchanges; undefined if it does something else. */
export function swapsOf(programs: readonly Program[]): Map<string, readonly number[] | undefined> {
  const swaps = new Map<string, readonly number[] | undefined>();
  for (const { letters, states } of programs) {
    for (const [i, letter] of letters.entries()) {
      const [before, after] = [states[i], states[i + 1]];
      // What holds one value only, or the same twice, does not tell what was moved.
      if (swaps.has(letter) || before.length < 2 || new Set(before).size < before.length) continue;
      const moved = before.flatMap((value, variable) => (after[variable] === value ? [] : [variable]));
      const [a, b] = moved;
      const isSwap = moved.length === 2 && after[a] === before[b] && after[b] === before[a];
      swaps.set(letter, isSwap ? moved : undefined);
    }
  }
  return swaps;
}
