/**
 * @file Lines of shares over a number: accuracy by spacing, by length, by position. One line a model, its seeds behind it.
 *
 *     100 |o--o--o--o--o  DeltaNet [-1,1]
 *         |  s__          windowed filter (grey area: what needs no tracking)
 *         |     s--s--s   Transformer
 *           1  2  4  8  16   commands per reveal
 */

import type { LinesFigure } from "../../analysis/figures.ts";
import { percentSign } from "../../core/format.ts";
import { element, type Markup } from "../svg.ts";
import { seriesClass } from "../theme.ts";
import {
  endLabels,
  endOfLines,
  fitted,
  leastShare,
  linear,
  type Point,
  path,
  shareAxis,
  text,
  ticks,
} from "./marks.ts";
import { coincidence, drawnLine, endOf, meanLine } from "./shared/seed-lines.ts";

export const LINES_WIDTH = 400;
const HEIGHT = 272;
const [LEFT, TOP, BOTTOM] = [44, 40, 212];

export function linesFigure(figure: LinesFigure): Markup {
  const { title, xLabel, lines, window: reachable, chance, mark } = figure;
  const xs = [
    ...new Set(lines.flatMap(({ seeds }) => seeds.flatMap(({ points }) => points.map(([x]) => x)))),
  ];
  xs.sort((a, b) => a - b);
  const stretch = figure.scale === "log2" ? Math.log2 : (value: number) => value;
  const from = figure.scale === "log2" ? stretch(xs[0] ?? 1) : 0;
  const right = endOfLines(LINES_WIDTH, [reachable?.label ?? "", ...lines.map(({ label }) => label)]);
  const at = linear(from, stretch(xs.at(-1) ?? 1), LEFT, right);
  const x = (value: number) => at(stretch(value));
  const least = leastShare(
    lines.flatMap(({ seeds }) => seeds.flatMap(({ points }) => points.map(([, share]) => share))),
  );
  const y = linear(least, 1, BOTTOM, TOP);
  const place = ([px, share]: Point): Point => [x(px), y(Math.max(least, Math.min(1, share)))];
  const area = reachable?.points.map(place) ?? [];
  const drawn = lines.filter((line) => endOf(line) !== undefined);
  return element(
    "svg",
    {
      class: "fig",
      viewBox: `0 0 ${LINES_WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": describeLines(figure),
    },
    fitted(4, 16, title, 52, { class: "name" }),
    area.length === 0
      ? null
      : element("path", {
          class: "window",
          d: `${path([[area[0]![0], y(0)], ...area, [area.at(-1)![0], y(0)]])}Z`,
        }),
    shareAxis(LEFT, right, y, { guess: chance, least }),
    mark === undefined
      ? null
      : [
          element("line", { class: "rule", x1: x(mark.x), x2: x(mark.x), y1: TOP - 4, y2: BOTTOM }),
          text(x(mark.x), TOP - 8, mark.label, { class: "muted small", "text-anchor": "middle" }),
        ],
    element("path", { class: "edge", d: path(area) }),
    drawn.map((line) => drawnLine(line, place, percentSign)),
    endLabels(
      [
        ...(area.length === 0 ? [] : [{ text: reachable!.label, y: area.at(-1)![1], className: "w" }]),
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
    shownTicks(xs, figure.scale).map((tick) =>
      text(x(tick), BOTTOM + 17, String(tick), { class: "muted small", "text-anchor": "middle" }),
    ),
    text((LEFT + right) / 2, BOTTOM + 36, xLabel, { class: "muted small", "text-anchor": "middle" }),
    coincidence(drawn, place, BOTTOM + 54),
  );
}

/** Every x where they are few and log-spaced, else round numbers. */
function shownTicks(xs: readonly number[], scale: LinesFigure["scale"]): number[] {
  if (xs.length <= 8 && scale === "log2") return [...xs];
  return ticks(xs.at(-1) ?? 1, 5);
}

/** The figure in words, for readers who do not see it. */
export function describeLines({ title, xLabel, lines }: LinesFigure): string {
  const each = lines.flatMap((line) => {
    const mean = meanLine(line);
    if (mean.length === 0) return [];
    const [first, last] = [mean[0]!, mean.at(-1)!];
    return [`${line.label}: ${percentSign(first[1])} at ${first[0]}, ${percentSign(last[1])} at ${last[0]}`];
  });
  return `${title}, by ${xLabel}. ${each.join(". ")}.`;
}
