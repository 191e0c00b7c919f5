/**
 * @file Points in a plane, coloured and shaped by what they are; one path may join some of them.
 *
 *     o o        s      1 2 3   o
 *      o--------s s     2 1 3   s
 */

import type { ScatterFigure } from "../../analysis/figures.ts";
import { element, type Markup } from "../svg.ts";
import { seriesClass } from "../theme.ts";
import {
  figureFrame,
  fitted,
  heading,
  hover,
  linear,
  marker,
  type Point,
  path,
  rectangle,
  series,
  text,
  tickLabel,
} from "./marks.ts";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [400, 320, 20, 300, 34, 286];
const MOST_KINDS = 12;

export function scatterFigure({ title, xLabel, yLabel, kinds, points, joined = [] }: ScatterFigure): Markup {
  const spanned = [...points, ...joined.map(([x, y]) => ({ x, y }))];
  const range = (values: readonly number[]): [number, number] => [Math.min(...values), Math.max(...values)];
  const [left, right] = range(spanned.map((point) => point.x));
  const [low, high] = range(spanned.map((point) => point.y));
  const x = linear(left, right, LEFT + 8, RIGHT - 8);
  const y = linear(low, high, BOTTOM - 8, TOP + 8);
  return figureFrame(
    [WIDTH, HEIGHT],
    `${title}: ${points.length} points of ${kinds.length} kinds, by ${xLabel} and ${yLabel}.`,
    heading(title),
    rectangle("rule", { x: LEFT, y: TOP, width: RIGHT - LEFT, height: BOTTOM - TOP }, undefined, {
      fill: "none",
    }),
    joined.length < 2
      ? null
      : element("path", {
          class: "edge",
          d: path(joined.map(([px, py]): Point => [x(px), y(py)])),
          "stroke-opacity": 0.6,
        }),
    points.map(({ x: px, y: py, kind }) =>
      element("g", { class: `${seriesClass(kind)} seed` }, marker(x(px), y(py), kind, kinds[kind], 3)),
    ),
    kinds
      .slice(0, MOST_KINDS)
      .map((kind, i) => [
        series(i, marker(RIGHT + 14, TOP + 10 + 18 * i, i, undefined, 4)),
        fitted(RIGHT + 24, TOP + 14 + 18 * i, kind, 12, { class: "small" }),
      ]),
    kinds.length > MOST_KINDS
      ? element(
          "g",
          {},
          text(RIGHT + 24, TOP + 14 + 18 * MOST_KINDS, "\u2026", { class: "muted small" }),
          hover(`${kinds.length} kinds`),
        )
      : null,
    tickLabel((LEFT + RIGHT) / 2, BOTTOM + 18, xLabel),
    text(LEFT, TOP - 4, yLabel, { class: "muted small" }),
  );
}
