import { expect, test } from "vitest";
import { kMeans, squaredDistance } from "./k-means.ts";
import { rngFrom } from "./rng.ts";

test("clouds that lie far apart are found, whatever the seed", () => {
  for (let seed = 0; seed < 6; seed++) {
    const rng = rngFrom(seed);
    const points = Array.from({ length: 120 }, (_, i) => [10 * (i % 4) + rng.normal() / 4, rng.normal() / 4]);
    const clusters = kMeans(points, 4, rng);
    for (const [i, cluster] of clusters.entries()) expect(cluster).toBe(clusters[i % 4]);
    expect(new Set(clusters).size).toBe(4);
  }
});

test("no point is nearer to another cluster's mean than to its own", () => {
  const rng = rngFrom(3);
  const points = Array.from({ length: 200 }, () => [rng.normal(), rng.normal(), rng.normal()]);
  const clusters = kMeans(points, 5, rng);
  const means = [0, 1, 2, 3, 4].map((c) => {
    const own = points.filter((_, i) => clusters[i] === c);
    return [0, 1, 2].map((d) => own.reduce((sum, point) => sum + point[d], 0) / own.length);
  });
  for (const [i, point] of points.entries()) {
    const nearest = Math.min(...means.map((mean) => squaredDistance(point, mean)));
    expect(squaredDistance(point, means[clusters[i]])).toBeCloseTo(nearest, 10);
  }
});

test("there are no more clusters than different points", () => {
  const points = Array.from({ length: 30 }, (_, i) => [i % 3]);
  expect(new Set(kMeans(points, 8, rngFrom(1))).size).toBe(3);
});
