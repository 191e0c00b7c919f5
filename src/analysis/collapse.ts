/**
 * @file State collapse: how much of the variance of hidden vectors is between true states, by layer.
 *
 *     share   of the variance of the residual at the ends of commands that lies between the means of the true states
 *             sum_s n_s |m_s - m|^2 / sum_i |x_i - m|^2
 *     null    (S - 1) / (N - 1): its mean where states are dealt to the vectors by chance; S states, N vectors
 *     ratio   mean distance of two vectors of one state / mean distance of two of different states; 1 if states are not separated
 *
 * Histories that lead to one state have collapsed if the share is 1 and the ratio 0. A model may know the state without it: a
 * probe reads one direction, and all other variance counts here as distance.
 *
 * Source: bisimulation as a score: histories of one state should lie together; the share is the correlation ratio of Fisher 1925.
 */

import { z } from "zod";
import { formatCount, measured, percentSign } from "../core/format.ts";
import { squaredDistance } from "../core/k-means.ts";
import { meanRow } from "../core/linear-algebra.ts";
import type { Rng } from "../core/rng.ts";
import { defineAnalysis, hasCommands, hasTap } from "./analysis.ts";
import type { Part } from "./figures.ts";
import { layersWith, type Recording, rowAt } from "./recording.ts";

const NOTHING = "no two programs end in one state, or all end in the same";

const Collapse = z.strictObject({
  /** S, those that occur, and N. */
  states: z.int(),
  vectors: z.int(),
  null: z.number(),
  layers: z.array(z.strictObject({ layer: z.int(), share: z.number(), ratio: z.number() })),
});
export type Collapse = z.infer<typeof Collapse>;

export const collapse = defineAnalysis({
  name: "collapse",
  summary: "how much of the variance of hidden vectors lies between true states",
  caution:
    "A small share does not mean that the state is unknown. A probe reads one direction, while the share counts all directions.",
  found: Collapse,
  needs: [hasTap("residual", "no layer of this model has a residual"), hasCommands],
  measure: ({ recording, rng }) => measureCollapse(recording, rng) ?? NOTHING,
  part: partOf,
});

export function measureCollapse(recording: Recording, rng: Rng): Collapse | undefined {
  const { programs } = recording;
  const places = programs.flatMap(({ ends, states }, program) =>
    ends.slice(1).flatMap((end, i) => (end < 0 ? [] : [{ program, end, state: states[i + 1].join(" ") }])),
  );
  const names = [...new Set(places.map(({ state }) => state))];
  // With one state, or one vector a state, the share is what it is by definition.
  if (names.length < 2 || names.length === places.length) return undefined;
  const labels = places.map(({ state }) => names.indexOf(state));
  return {
    ...{ states: names.length, vectors: places.length },
    null: (names.length - 1) / (places.length - 1),
    layers: layersWith(recording, "residual").map((layer) => {
      const tap = recording.taps[`layers.${layer}.residual`];
      const rows = places.map(({ program, end }) => rowAt(tap, program, end));
      return {
        layer,
        share: betweenClassVariance(rows, labels),
        ratio: distanceRatio(rows, labels, rng.fork(layer)),
      };
    }),
  };
}

type Rows = readonly ArrayLike<number>[];

/** Of the variance of the rows what lies between the means of their labels; 0 where nothing varies. */
export function betweenClassVariance(rows: Rows, labels: readonly number[]): number {
  const mean = meanRow(rows);
  const groups = new Map<number, ArrayLike<number>[]>();
  for (const [i, row] of rows.entries()) groups.set(labels[i], [...(groups.get(labels[i]) ?? []), row]);
  let between = 0;
  for (const own of groups.values()) between += own.length * squaredDistance(meanRow(own), mean);
  const total = rows.reduce((sum, row) => sum + squaredDistance(row, mean), 0);
  return total === 0 ? 0 : between / total;
}

/** Pairs of each kind that are drawn; of fewer all would be. */
const PAIRS = 4000;

/** Of drawn pairs; 1 where no two differ. */
function distanceRatio(rows: Rows, labels: readonly number[], rng: Rng): number {
  const [within, between] = [
    { sum: 0, count: 0 },
    { sum: 0, count: 0 },
  ];
  for (let draws = 0; draws < 50 * PAIRS && Math.min(within.count, between.count) < PAIRS; draws++) {
    const [i, j] = [rng.below(rows.length), rng.below(rows.length)];
    const kind = labels[i] === labels[j] ? within : between;
    if (i === j || kind.count === PAIRS) continue;
    kind.sum += Math.sqrt(squaredDistance(rows[i], rows[j]));
    kind.count++;
  }
  if (within.count === 0 || between.sum === 0) return 1;
  return within.sum / within.count / (between.sum / between.count);
}

function partOf({ states, vectors, null: byChance, layers }: Collapse): Part {
  const best = layers.toSorted((a, b) => b.share - a.share)[0];
  return {
    heading: "State collapse",
    how: [
      "The share of the variance of hidden vectors, at the ends of commands, that lies between the means of the true states. And the distance of two vectors of one state, over that of two states.",
    ],
    figures: {},
    caption: `${formatCount(vectors, "hidden vector")}, ${formatCount(states, "true state")}; the expected share for random states is ${percentSign(byChance)}.`,
    meaning: [
      best.share > 2 * byChance
        ? `In layer ${best.layer} the true state explains ${percentSign(best.share)} of the variance (chance: ${percentSign(byChance)}). Vectors of one state are ${measured(best.ratio)} times as far apart as those of different states.`
        : `No layer separates the true states much better than chance (${percentSign(best.share)} of the variance; chance: ${percentSign(byChance)}).`,
    ],
    table: {
      columns: ["layer", "share", "by chance", "within / between"],
      rows: layers.map(({ layer, share, ratio }) => [
        ...[String(layer), percentSign(share), percentSign(byChance), measured(ratio)],
      ]),
    },
  };
}
