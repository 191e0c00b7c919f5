/**
 * @file Bars: how many items fall into each range, for one set of items, or for each of a few classes over one axis.
 *
 *     300 |##                                     command         |           __#    mean 1.55
 *         |## ## ## #  .  .     .                 reveal          |#_  _      _ #    mean 1.36
 *           0  5  10 ...       55+   steps                        0     1      2     beta
 */

import type { DistributionFigure } from "../../analysis/figures.ts";
import { integer, signed } from "../../core/format.ts";
import type { Markup } from "../svg.ts";
import {
  bottomAxis,
  figureFrame,
  heading,
  headings,
  levelRule,
  linear,
  rectangle,
  series,
  straight,
  text,
  tickLabel,
  ticks,
} from "./marks.ts";

export interface Histogram {
  readonly title: string;
  readonly xLabel: string;
  /** What is counted: `traces`. */
  readonly unit: string;
  /** Equal ranges, both ends included; the last may be open. */
  readonly bins: readonly { readonly from: number; readonly to: number | null; readonly count: number }[];
  /** Words under the title: `mean 6.8, median 5, longest 323`. */
  readonly about: string;
}

const WIDTH = 400;

export function histogramFigure({ title, xLabel, unit, bins, about }: Histogram): Markup {
  const [LEFT, RIGHT, TOP, BOTTOM] = [48, 392, 48, 196];
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const y = linear(0, most, BOTTOM, TOP);
  const width = (RIGHT - LEFT) / Math.max(1, bins.length);
  const every = Math.ceil(bins.length / 7);
  const range = ({ from, to }: Histogram["bins"][number]) =>
    to === null
      ? `${integer(from)} or more`
      : to === from
        ? integer(from)
        : `${integer(from)} to ${integer(to)}`;
  return figureFrame(
    [WIDTH, 240],
    `${title}. ${about}. ${bins.map((bin) => `${range(bin)}: ${bin.count}`).join(", ")}.`,
    headings(title, about),
    ticks(most, 4).map((tick) => levelRule(LEFT, RIGHT, y(tick), integer(tick))),
    series(
      0,
      bins.map((bin, i) => {
        const [x, top] = [LEFT + i * width + 1, y(bin.count)];
        const box = { x, y: top, width: Math.max(1, width - 2), height: BOTTOM - top };
        return rectangle("dot", box, `${range(bin)} ${xLabel}: ${integer(bin.count)} ${unit}`);
      }),
    ),
    bottomAxis(
      [LEFT, RIGHT, BOTTOM],
      bins.flatMap(({ from, to }, i) =>
        i % every === 0 || to === null
          ? [[LEFT + (i + 0.5) * width, to === null ? `${integer(from)}+` : integer(from)] as const]
          : [],
      ),
      xLabel,
    ),
  );
}

/** `1.5`, `-0.0213`: three digits. */
const tickText = (value: number) => String(Number(value.toPrecision(3)));

/** Histograms over one axis, one per class; each is scaled to its largest bar: shapes are compared. */
export function distributionFigure({ title, xLabel, from = 0, to, classes }: DistributionFigure): Markup {
  const [LEFT, RIGHT, TOP, ROW] = [92, 330, 34, 48];
  const bottom = TOP + classes.length * ROW;
  const x = linear(from, to, LEFT, RIGHT);
  const about = classes.map(({ name, mean }) => `${name}: mean ${signed(mean, 2)}`).join(", ");
  return figureFrame(
    [WIDTH, bottom + 40],
    `${title}, ${xLabel} from ${tickText(from)} to ${tickText(to)}. ${about}.`,
    heading(title),
    classes.map(({ name, mean, counts }, i) => {
      const base = TOP + (i + 1) * ROW - 4;
      const total = counts.reduce((sum, count) => sum + count, 0);
      const y = linear(0, Math.max(1, ...counts), base, base - ROW + 12);
      const step = (to - from) / counts.length;
      return [
        straight("rule", LEFT, RIGHT, base),
        text(LEFT - 8, base - 10, name, { class: "small", "text-anchor": "end" }),
        text(RIGHT + 8, base - 10, total === 0 ? "none" : `mean ${signed(mean, 2)}`, {
          class: "muted small",
        }),
        series(
          i,
          counts.map((count, bin) => {
            if (count === 0) return null;
            const [low, high] = [from + bin * step, from + (bin + 1) * step];
            const about = `${name}, ${signed(low, 2)} to ${signed(high, 2)}: ${integer(count)} of ${integer(total)}`;
            const [left, width] = [x(low) + 0.5, x(from + step) - x(from) - 1];
            const box = { x: left, y: y(count), width, height: Math.max(0.5, base - y(count)) };
            return rectangle("dot", box, about);
          }),
        ),
      ];
    }),
    [from, (from + to) / 2, to].map((tick) => tickLabel(x(tick), bottom + 12, tickText(tick))),
    tickLabel((LEFT + RIGHT) / 2, bottom + 30, xLabel),
  );
}
