/**
 * @file Hidden states in two dimensions: the residual of the last layer at the end of each command, along its first two
 * principal components, with the true state.
 *
 *     point = ((x - mean)' u_1, (x - mean)' u_2),   u: leading eigenvectors of the covariance
 */

import { dot, meanRow, secondMoments, symmetricEigen } from "../math/linear-algebra.ts";
import { layersWith, type Recording, rowAt } from "./recording.ts";

export interface Trajectories {
  readonly layer: number;
  /** Share of variance along the two components. */
  readonly explained: readonly [number, number];
  /** Names of the true states, the most frequent first. */
  readonly states: readonly string[];
  /** Of the first programs: at each command's end where the hidden state is, and which true state it should be. */
  readonly programs: readonly (readonly {
    readonly x: number;
    readonly y: number;
    readonly state: number;
  }[])[];
}

const MOST_POINTS = 600;

export function trajectoriesOf(recording: Recording): Trajectories | undefined {
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
