/**
 * @file Where in its memory a head writes: how many directions its keys use, and whether each swap has a separate one.
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

import { z } from "zod";
import { formatCount, integer, percentSign, signed } from "../core/format.ts";
import { angleBetweenLines, meanRow, secondMoments, symmetricEigen } from "../core/linear-algebra.ts";
import { type Ablation, ablation } from "./ablation.ts";
import { defineAnalysis, hasGate, hasTap } from "./analysis.ts";
import { betaOfHeads } from "./beta.ts";
import { headName, type Part, shortHead } from "./figures.ts";
import { layersWith, type Program, type Recording, rowAt } from "./recording.ts";

const Angle = z.strictObject({
  /** Two commands, as text. */
  between: z.tuple([z.string(), z.string()]),
  degrees: z.number(),
  /** Between the lines of their swaps; undefined if one of them is no swap. */
  expected: z.number().optional(),
});
type Angle = z.infer<typeof Angle>;

const KeysAtPlace = z.strictObject({
  place: z.int(),
  token: z.string(),
  beta: z.number(),
  /** How much of the keys lies along their command's own direction, on average; 1 if each command has one key. */
  ownShare: z.number(),
  angles: z.array(Angle),
});
type KeysAtPlace = z.infer<typeof KeysAtPlace>;

const KeysOfHead = z.strictObject({
  layer: z.int(),
  head: z.int(),
  /** Cumulative, of the keys at tokens of commands; as many as dimensions. */
  explained: z.array(z.number()),
  /** The first so many keys of so many made these variances; absent in files of before that was recorded. */
  keys: z.strictObject({ read: z.int(), of: z.int() }).optional(),
  /** Components that explain 95 %. */
  components: z.int(),
  places: z.array(KeysAtPlace),
});
export type KeysOfHead = z.infer<typeof KeysOfHead>;

const NOTHING = "no layer of this model has keys and a beta";

export const keys = defineAnalysis({
  name: "keys",
  summary: "the directions along which each head writes to its memory",
  caution:
    "The table shows one token per head. Among those with at least nine tenths of the largest beta it is the one whose commands are farthest apart. This choice favors large angles. A command may write at several tokens, so that its effect is a product of reflections.",
  found: z.array(KeysOfHead),
  needs: [hasGate(NOTHING), hasTap("key", NOTHING)],
  measure: ({ recording }) => keysOfHeads(recording),
  part: (found, { of }) => partOf(found, of(ablation)),
});

/** More different commands than this are not compared in pairs. */
const MOST_LETTERS = 12;
/** At most so many keys are read for their variance; their number is recorded too. */
const MOST_KEYS = 20_000;

export function keysOfHeads(recording: Recording): KeysOfHead[] {
  const { programs, taps } = recording;
  const swaps = programSwaps(programs);
  const heads = betaOfHeads(recording);
  return layersWith(recording, "key").flatMap((layer) => {
    const tap = taps[`layers.${layer}.key`];
    return heads
      .filter((each) => each.layer === layer)
      .map(({ head, command }) => {
        const keys: Float32Array[] = [];
        let of = 0;
        const byPlace = new Map<number, Map<string, Float32Array[]>>();
        for (const [i, program] of programs.entries()) {
          for (let t = 0; t < program.tokens.length; t++) {
            if (program.classes[t] !== "command") continue;
            const key = rowAt(tap, i, t, head);
            of++;
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
        return { layer, head, explained, keys: { read: keys.length, of }, components, places };
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

/** The two variables that each command exchanges; undefined if it does something else. */
export function programSwaps(programs: readonly Program[]): Map<string, readonly number[] | undefined> {
  const swaps = new Map<string, readonly number[] | undefined>();
  for (const { letters, states } of programs) {
    for (const [i, letter] of letters.entries()) {
      const [before, after] = [states[i], states[i + 1]];
      // A state with one value only, or one value twice, does not identify the move.
      if (swaps.has(letter) || before.length < 2 || new Set(before).size < before.length) continue;
      const moved = before.flatMap((value, variable) => (after[variable] === value ? [] : [variable]));
      const [a, b] = moved;
      const isSwap = moved.length === 2 && after[a] === before[b] && after[b] === before[a];
      swaps.set(letter, isSwap ? moved : undefined);
    }
  }
  return swaps;
}

const MOST_COMPONENTS = 32;

function partOf(keys: readonly KeysOfHead[], ablation: Ablation | undefined): Part {
  const head = trackingHead(keys, ablation);
  const places = head.places.filter(({ angles }) => angles.length > 0);
  return {
    heading: "Write directions of each head",
    how: [
      `Principal components of each head's keys at ${keysRead(head)}: a head that changes few variables needs few. Then, at each token of a command, the direction of each command's keys (the leading eigenvector of the mean k k\u2032) and the angles between those of different commands.`,
      "Only lines and their angles are identifiable: k and \u2212k act alike, and the queries undo any rotation. With one slot per variable, swaps that share a variable are 60 degrees apart, others 90.",
    ],
    figures: {
      ...(places.length > 0 && {
        "key-angles": {
          kind: "matrix",
          title: `Degrees between commands, ${headName(head)}`,
          rowLabel: "token",
          columnLabel: "pairs of commands; in brackets: one slot per variable",
          rows: places.map(({ place, token }) => `${place}: ${token}`),
          columns: places[0]!.angles.map(pairText),
          cells: places.map(({ angles }) => angles.map(({ degrees }) => degrees)),
          from: 0,
          to: 90,
          digits: 0,
        },
      }),
      "key-components": {
        kind: "lines",
        title: "Variance of keys explained",
        xLabel: "principal components",
        scale: "linear",
        chance: 0,
        lines: keys.slice(0, 6).map((each, index) => ({
          label: shortHead(each),
          index,
          seeds: [
            {
              seed: 0,
              points: [
                [0, 0] as const,
                ...each.explained.slice(0, MOST_COMPONENTS).map((share, i) => [i + 1, share] as const),
              ],
            },
          ],
        })),
      },
    },
    caption: `Cumulative share of variance${keys.length > 6 ? ", the first six heads" : ""}; and angles at each token of a command.`,
    table: {
      columns: ["layer.head", "components for 95 %", "token", "mean beta", "own share", "angles (degrees)"],
      rows: keys.flatMap((each) => {
        const place = bestPlace(each);
        return [
          [
            shortHead(each),
            String(each.components),
            place === undefined ? "\u2013" : `${place.place}: ${place.token}`,
            place === undefined ? "\u2013" : signed(place.beta, 2),
            place === undefined ? "\u2013" : percentSign(place.ownShare),
            place === undefined ? "\u2013" : rangeText(place.angles),
          ],
        ];
      }),
    },
    meaning: meaningOf(head, keys),
  };
}

/** `all 1,800 tokens of commands`, or of how many the first. */
function keysRead({ keys }: KeysOfHead): string {
  if (keys === undefined) return "tokens of commands";
  const { read, of } = keys;
  return `${read < of ? `the first ${integer(read)} of ${integer(of)}` : `all ${integer(of)}`} tokens of commands`;
}

/** The head whose loss costs most; without ablation the one with the largest beta on commands. */
function trackingHead(keys: readonly KeysOfHead[], ablation: Ablation | undefined): KeysOfHead {
  const score = ({ layer, head, places }: KeysOfHead) =>
    ablation?.silenced.find((each) => each.kind === "mean" && each.layer === layer && each.head === head)
      ?.drop ?? Math.max(0, ...places.map(({ beta }) => beta));
  return keys.reduce((most, each) => (score(each) > score(most) ? each : most));
}

function bestPlace({ places }: KeysOfHead): KeysAtPlace | undefined {
  const strongest = Math.max(...places.map(({ beta }) => beta));
  const meanAngle = ({ angles }: KeysAtPlace) =>
    angles.reduce((sum, { degrees }) => sum + degrees, 0) / angles.length;
  return places
    .filter(({ beta, angles }) => beta >= 0.9 * strongest && angles.length > 0)
    .reduce<KeysAtPlace | undefined>(
      (most, each) => (most === undefined || meanAngle(each) > meanAngle(most) ? each : most),
      undefined,
    );
}

const pairText = ({ between, expected }: Angle) => {
  const pair = between.map((text) => text.replace(/ = .*/s, "").replace(/^>>> /, "").trim()).join(" / ");
  return expected === undefined ? pair : `${pair} [${expected}]`;
};

function rangeText(angles: readonly Angle[]): string {
  const degrees = angles.map((each) => each.degrees).toSorted((a, b) => a - b);
  if (degrees.length === 0) return "\u2013";
  return `${signed(degrees[0]!, 0)} to ${signed(degrees.at(-1)!, 0)}`;
}

function meaningOf(head: KeysOfHead, keys: readonly KeysOfHead[]): string[] {
  const others = keys.filter((each) => each !== head).map(({ components }) => components);
  const fewer = others.length > 0 && head.components < Math.min(...others);
  const beside =
    others.length === 0
      ? ""
      : `; the others need ${Math.min(...others)}${Math.min(...others) === Math.max(...others) ? "" : ` to ${Math.max(...others)}`}${fewer ? ", so this head writes along the fewest directions" : ""}`;
  const first = `${headName(head).replace("l", "L")} has 95 % of its keys' variance in ${formatCount(head.components, "component")}${beside}.`;
  const place = bestPlace(head);
  const known = place?.angles.filter(({ expected }) => expected !== undefined) ?? [];
  if (place === undefined || known.length === 0) return [first];
  const off = known.map(({ degrees, expected }) => Math.abs(degrees - expected!));
  const mean = off.reduce((sum, each) => sum + each, 0) / off.length;
  const at = `At "${place.token}" (token ${place.place}, mean beta ${signed(place.beta, 2)}) commands are ${rangeText(known)} degrees apart, on average ${signed(mean, 0)} degrees from one slot per variable.`;
  const verdict =
    mean < 15
      ? "That is near the geometry of swaps of slots."
      : "That is not the geometry of swaps of slots: the head tracks in another basis, or over several tokens.";
  return [first, `${at} ${verdict}`];
}
