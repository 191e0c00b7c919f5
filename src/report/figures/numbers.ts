/**
 * @file Lines of numbers that are no shares: nats by partial reveals, a logarithm by length. One line a model, its seeds behind it.
 *
 *      0.4 |          s--s  row          a level is a dotted line across: what a uniform guess pays
 *      0.2 |   s--s--       t  LSTM
 *        0 |o--o--o--o--o--o  exact
 *           0  4  8  12  16     partial reveals since the last full one
 */

import type { LinesFigure } from "../../analysis/figures.ts";
import { measured } from "../../core/format.ts";
import { element, type Markup } from "../svg.ts";
import { seriesClass } from "../theme.ts";
import { endLabels, endOfLines, fitted, linear, type Point, text } from "./marks.ts";
import { coincidence, drawnLine, endOf, meanLine } from "./shared/seed-lines.ts";

export interface NumbersFigure extends Pick<LinesFigure, "title" | "xLabel" | "lines" | "mark"> {
  readonly kind: "numbers";
  readonly yLabel: string;
  /** Horizontal: what to read the lines against. */
  readonly levels?: readonly { readonly y: number; readonly label: string }[];
}

const [WIDTH, HEIGHT] = [400, 282];
const [LEFT, TOP, BOTTOM] = [48, 52, 222];

export function numbersFigure(figure: NumbersFigure): Markup {
  const { title, xLabel, yLabel, lines, levels = [], mark } = figure;
  const drawn = lines.filter((line) => endOf(line) !== undefined);
  const points = drawn.flatMap(({ seeds }) => seeds.flatMap((seed) => seed.points));
  const xs = points.map(([x]) => x);
  const ys = [...points.map(([, y]) => y), ...levels.map(({ y }) => y)];
  const right = endOfLines(
    WIDTH,
    [...levels, ...drawn].map(({ label }) => label),
  );
  const x = linear(Math.min(0, ...xs), Math.max(...xs, 1), LEFT, right);
  const yTicks = ticksBetween(Math.min(0, ...ys), Math.max(0, ...ys), 5);
  const y = linear(yTicks[0]!, yTicks.at(-1)!, BOTTOM, TOP);
  const place = ([px, py]: Point): Point => [x(px), y(py)];
  return element(
    "svg",
    { class: "fig", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": describeNumbers(figure) },
    fitted(4, 16, title, 52, { class: "name" }),
    fitted(4, 36, yLabel, 60, { class: "muted small" }),
    yTicks.map((tick) => [
      element("line", { class: "rule", x1: LEFT, x2: right, y1: y(tick), y2: y(tick) }),
      text(LEFT - 7, y(tick) + 4, measured(tick), { class: "muted small", "text-anchor": "end" }),
    ]),
    levels.map((level) =>
      element("line", { class: "guess", x1: LEFT, x2: right, y1: y(level.y), y2: y(level.y) }),
    ),
    mark === undefined
      ? null
      : [
          element("line", { class: "rule", x1: x(mark.x), x2: x(mark.x), y1: TOP - 4, y2: BOTTOM }),
          text(x(mark.x) + 4, TOP + 6, mark.label, { class: "muted small" }),
        ],
    drawn.map((line) => drawnLine(line, place, measured)),
    endLabels(
      [
        ...levels.map((level) => ({ text: level.label, y: y(level.y), className: "w" })),
        ...drawn.map((line) => ({
          text: line.label,
          y: place(endOf(line)!)[1],
          className: seriesClass(line.index),
        })),
      ],
      right + 4,
      right + 18,
      TOP,
      BOTTOM,
    ),
    ticksBetween(Math.min(0, ...xs), Math.max(...xs, 1), 5)
      .filter((tick) => x(tick) <= right + 1)
      .map((tick) =>
        text(x(tick), BOTTOM + 17, measured(tick), { class: "muted small", "text-anchor": "middle" }),
      ),
    text((LEFT + right) / 2, BOTTOM + 36, xLabel, { class: "muted small", "text-anchor": "middle" }),
    coincidence(drawn, place, BOTTOM + 54),
  );
}

/** Round numbers, at most `count` steps apart, the outer ones at or beyond both ends: 0 is among them if the ends hold it. */
export function ticksBetween(from: number, to: number, count: number): number[] {
  const width = to - from || 1;
  const power = 10 ** Math.floor(Math.log10(width / count));
  const step = [1, 2, 5, 10, 20].map((factor) => factor * power).find((each) => width / each <= count)!;
  const [first, last] = [Math.floor(from / step + 1e-9), Math.ceil(to / step - 1e-9)];
  // Rounded, so that 3 · 0.1 is written 0.3.
  return Array.from({ length: Math.max(2, last - first + 1) }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
}

/** The figure in words, for readers who do not see it. */
export function describeNumbers({ title, xLabel, yLabel, lines }: NumbersFigure): string {
  const each = lines.flatMap((line) => {
    const [first, last] = [meanLine(line)[0], meanLine(line).at(-1)];
    if (first === undefined || last === undefined) return [];
    const [from, to] = [first, last].map(([at, value]) => `${measured(value)} at ${measured(at)}`);
    return [`${line.label}: ${from}, ${to}`];
  });
  return `${title}: ${yLabel}, by ${xLabel}. ${each.join(". ")}.`;
}
