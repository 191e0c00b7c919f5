/**
 * @file k-means: points into k clusters, each around its mean.
 *
 *     minimise Σ |x - centre of its cluster|²       by turns: nearest centre, mean of the points
 *
 * First centres are drawn with probability proportional to the squared distance from those before.
 * Source: Lloyd 1982, IEEE Trans. Inf. Theory 28:2; Arthur and Vassilvitskii 2007 (k-means++).
 */

import type { Rng } from "./rng.ts";

const MOST_TURNS = 50;

/** The cluster of each point, from 0; fewer than k if there are fewer distinct points. */
export function kMeans(points: readonly ArrayLike<number>[], k: number, rng: Rng): Int32Array {
  const centres = firstCentres(points, k, rng);
  const cluster = new Int32Array(points.length).fill(-1);
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    let moved = false;
    for (const [i, point] of points.entries()) {
      const nearest = nearestOf(centres, point);
      moved ||= nearest !== cluster[i];
      cluster[i] = nearest;
    }
    if (!moved) break;
    for (const [c, centre] of centres.entries()) {
      let count = 0;
      const sum = new Float64Array(centre.length);
      for (const [i, point] of points.entries()) {
        if (cluster[i] !== c) continue;
        count++;
        for (let d = 0; d < sum.length; d++) sum[d] += point[d];
      }
      if (count > 0) centre.set(sum.map((each) => each / count));
    }
  }
  return cluster;
}

function firstCentres(points: readonly ArrayLike<number>[], k: number, rng: Rng): Float64Array[] {
  const centres = [Float64Array.from(points[rng.below(points.length)])];
  const distances = Float64Array.from(points, (point) => squaredDistance(point, centres[0]));
  while (centres.length < k) {
    let left = rng.next() * distances.reduce((sum, each) => sum + each, 0);
    if (left === 0 && distances.every((each) => each === 0)) break;
    let drawn = 0;
    while (drawn < points.length - 1 && left >= distances[drawn]) left -= distances[drawn++];
    const centre = Float64Array.from(points[drawn]);
    centres.push(centre);
    for (const [i, point] of points.entries())
      distances[i] = Math.min(distances[i], squaredDistance(point, centre));
  }
  return centres;
}

function nearestOf(centres: readonly Float64Array[], point: ArrayLike<number>): number {
  let [nearest, least] = [0, Number.POSITIVE_INFINITY];
  for (const [c, centre] of centres.entries()) {
    const distance = squaredDistance(point, centre);
    if (distance < least) [nearest, least] = [c, distance];
  }
  return nearest;
}

export function squaredDistance(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += (x[i] - y[i]) ** 2;
  return sum;
}
