import { expect, test } from "vitest";
import { overSeeds, smoothed, toPoints } from "./chart.tsx";

test("seeds of different lengths: mean, least and greatest of those that have come so far", () => {
  const [short, long] = [toPoints([[1, 4, 4]]), toPoints([[1, 2, 2], [2, 1, 3]])]; // biome-ignore format: a table
  expect(overSeeds([short, long])).toEqual([
    [1, 2, 3, 4],
    [2, 2, 2, 2],
  ]);
});

test("smoothing moves the mean, and hides no extreme", () => {
  const points = toPoints([0, 6, 0].map((value, step) => [step, value, value]));
  expect(smoothed(points, 2 / 3)).toEqual([
    [0, 0, 3, 0],
    [1, 6, 2, 6],
    [2, 0, 3, 0],
  ]);
  expect(smoothed(points, 0)).toEqual(points);
});
