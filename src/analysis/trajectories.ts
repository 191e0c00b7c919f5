/**
 * @file Hidden states in two dimensions: the residual of the last layer at the end of each command, along its first two
 * principal components, with the true state.
 *
 *     point = ((x - mean)' u_1, (x - mean)' u_2),   u: leading eigenvectors of the covariance
 */

import { z } from "zod";
import { formatCount, percentSign } from "../core/format.ts";
import { dot, meanRow, secondMoments, symmetricEigen } from "../core/linear-algebra.ts";
import { defineAnalysis, hasTap } from "./analysis.ts";
import type { Part } from "./figures.ts";
import { layersWith, type Recording, rowAt } from "./recording.ts";

const NOTHING = "no program has hidden states at the ends of commands";

const Trajectories = z.strictObject({
  layer: z.int(),
  /** Share of variance along the two components. */
  explained: z.tuple([z.number(), z.number()]),
  /** Names of the true states, the most frequent first. */
  states: z.array(z.string()),
  /** Of the first programs: at each command's end where the hidden state is, and which true state it should be. */
  programs: z.array(z.array(z.strictObject({ x: z.number(), y: z.number(), state: z.int() }))),
});
export type Trajectories = z.infer<typeof Trajectories>;

export const trajectories = defineAnalysis({
  name: "trajectories",
  summary: "hidden states in two dimensions, by the true state",
  found: Trajectories,
  needs: [hasTap("residual", NOTHING)],
  measure: ({ recording }) => findTrajectories(recording) ?? NOTHING,
  part: partOf,
});

const MOST_POINTS = 600;

export function findTrajectories(recording: Recording): Trajectories | undefined {
  const { programs, values } = recording;
  const layer = layersWith(recording, "residual").at(-1);
  if (layer === undefined) return undefined;
  const tap = recording.taps[`layers.${layer}.residual`];
  const rows = programs.map(({ ends }, i) => ends.slice(1).map((end) => rowAt(tap, i, end)));
  const all = rows.flat();
  if (all.length < 3) return undefined;
  const mean = meanRow(all);
  const { values: variances, vectors } = symmetricEigen(secondMoments(all, mean));
  const total = variances.reduce((sum, each) => sum + Math.max(0, each), 0);
  const counts = new Map<string, number>();
  const nameOf = (state: readonly number[]) => state.map((value) => values[value] ?? "?").join(" ");
  for (const { states } of programs)
    for (const state of states.slice(1)) counts.set(nameOf(state), (counts.get(nameOf(state)) ?? 0) + 1);
  const states = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([name]) => name);
  const along = (row: ArrayLike<number>, component: number) =>
    dot(row, vectors[component]) - dot(mean, vectors[component]);
  let points = 0;
  const shown = rows.flatMap((own, i) => {
    if (points > 0 && points + own.length > MOST_POINTS) return [];
    points += own.length;
    return [
      own.map((row, n) => ({
        x: along(row, 0),
        y: vectors.length > 1 ? along(row, 1) : 0,
        state: states.indexOf(nameOf(programs[i].states[n + 1])),
      })),
    ];
  });
  const share = (component: number) => (total === 0 ? 0 : Math.max(0, variances[component] ?? 0) / total);
  return { layer, explained: [share(0), share(1)], states, programs: shown };
}

const JOINED = 12;

function partOf({ layer, explained, states, programs }: Trajectories): Part {
  const points = programs.flat();
  const [first = []] = programs;
  return {
    heading: "Hidden states in two dimensions",
    how: [
      `Output of the last layer (${layer}) at the end of each command, along its first two principal components. Color and shape show the true state. The line is one program's first ${Math.min(JOINED, first.length)} commands.`,
    ],
    figures: {
      trajectories: {
        kind: "scatter",
        title: "Hidden states at the ends of commands",
        xLabel: `component 1, ${percentSign(explained[0])} of variance`,
        yLabel: `component 2, ${percentSign(explained[1])}`,
        kinds: states,
        points: points.map(({ x, y, state }) => ({ x, y, kind: state })),
        joined: first.slice(0, JOINED).map(({ x, y }) => [x, y] as const),
      },
    },
    caption: `${formatCount(points.length, "hidden state")} of ${formatCount(programs.length, "program")}; ${formatCount(states.length, "true state")}.`,
    meaning: [
      explained[0] + explained[1] > 0.5
        ? `The plane explains ${percentSign(explained[0] + explained[1])} of the variance: clusters of one color are one state of the model.`
        : `The plane explains only ${percentSign(explained[0] + explained[1])} of the variance: states that overlap here may differ in other directions; see the probes.`,
    ],
  };
}
