/** @file Lines read back: where they are drawn, joined, and labeled. */

import fc from "fast-check";
import { expect, test } from "vitest";
import type { Line, LinesFigure, Point } from "../../analysis/figures.ts";
import { points } from "../fixture.test-helper.ts";
import { readMarkup, textOf, withClass } from "../markup.test-helper.ts";
import { linesFigure } from "./lines.ts";
import { ticksBetween } from "./marks.ts";

const line = (label: string, index: number, ...seeds: (readonly Point[])[]): Line => ({
  ...{ label, index },
  seeds: seeds.map((points, seed) => ({ seed, points })),
});

const figureOf = (lines: readonly Line[]): LinesFigure => ({
  kind: "lines",
  ...{ title: "Scaled accuracy", xLabel: "commands", scale: "linear", chance: 0, lines },
});

const drawn = (lines: readonly Line[]) => readMarkup(linesFigure(figureOf(lines)).text);

const markersOf = (svg: ReturnType<typeof drawn>) =>
  withClass(svg, "dot").map(({ attributes }) => Number(/^M\S+ ([\d.]+)/.exec(attributes.d!)![1]));

const rules = (svg: ReturnType<typeof drawn>) =>
  withClass(svg, "rule").map(({ attributes }) => Number(attributes.y1));

test("a share below a guess is drawn below 0, to scale, above an end of the axis that says how far down it is", () => {
  fc.assert(
    fc.property(fc.double({ min: -1, max: -0.001, noNaN: true }), (below) => {
      const svg = drawn([line("a model", 0, points(1, 1, 2, below, 3, 0.5))]);
      const [least, zero, , one] = rules(svg);
      const [, y] = markersOf(svg);
      expect((zero! - y!) / (zero! - one!)).toBeCloseTo(below, 3);
      expect(y!).toBeLessThanOrEqual(least! + 0.01);
      const end = Number(((zero! - least!) / (zero! - one!)).toFixed(2));
      expect(textOf(svg)).toContain(`\u2212${-100 * end}`);
    }),
  );
});

test("without a share below a guess the axis begins at 0", () => {
  const svg = drawn([line("a model", 0, points(1, 0, 2, 0.5, 3, 1))]);
  expect(rules(svg)).toHaveLength(3);
  expect(textOf(svg)).not.toContain("\u2212");
});

test("two points are not joined, neither of the mean nor of a seed; three are", () => {
  const [one, two, three] = [
    [1, 0.2],
    [2, 0.4],
    [3, 0.9],
  ] as const;
  const unjoined = drawn([line("a model", 0, [one, two], [one, [2, 0.6]])]);
  expect(withClass(unjoined, "line")).toHaveLength(0);
  expect(withClass(unjoined, "seed")).toHaveLength(4);
  expect(withClass(unjoined, "dot")).toHaveLength(2);
  const joined = drawn([line("a model", 0, [one, two, three], [one, [2, 0.6], three])]);
  expect(withClass(joined, "line")).toHaveLength(3);
});

test("lines that cover each other all along are named, those that only meet are not", () => {
  const low: Point[] = points(1, 0.33, 2, 0.33, 3, 0.34);
  const near = low.map(([x, y]): Point => [x, y + 0.002]);
  const meets: Point[] = points(1, 0.33, 2, 0.33, 3, 0.9);
  const svg = drawn([line("LSTM", 0, low), line("GRU", 1, meets), line("Transformer", 2, near)]);
  expect(textOf(svg)).toContain("one on the other: LSTM and Transformer");
  expect(textOf(drawn([line("LSTM", 0, low), line("GRU", 1, meets)]))).not.toContain("one on the other");
});

test("an axis of numbers that are all one has two ticks, and begins at or below them", () => {
  expect(ticksBetween(3, 3, 5)).toEqual([3, 3.2]);
  expect(ticksBetween(-0.25, 0.3, 5)).toEqual([-0.4, -0.2, 0, 0.2, 0.4]);
});
