/**
 * @file How many traces have how many steps: one bar a range, as in B's figure of trace lengths.
 *
 *     300 |##
 *         |## ##
 *         |## ## ## #  .  .     .
 *           0  5  10 ...       55+   steps
 */

import { integer } from "../../core/format.ts";
import { element, type Markup } from "../svg.ts";
import { fitted, hover, linear, text, ticks } from "./marks.ts";

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

export const HISTOGRAM_WIDTH = 400;
const HEIGHT = 240;
const [LEFT, RIGHT, TOP, BOTTOM] = [48, 392, 48, 196];

export function histogramFigure({ title, xLabel, unit, bins, about }: Histogram): Markup {
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
  return element(
    "svg",
    {
      class: "fig",
      viewBox: `0 0 ${HISTOGRAM_WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": `${title}. ${about}. ${bins.map((bin) => `${range(bin)}: ${bin.count}`).join(", ")}.`,
    },
    fitted(4, 16, title, 52, { class: "name" }),
    fitted(4, 34, about, 64, { class: "muted small" }),
    ticks(most, 4).map((tick) => [
      element("line", { class: "rule", x1: LEFT, x2: RIGHT, y1: y(tick), y2: y(tick) }),
      text(LEFT - 7, y(tick) + 4, integer(tick), { class: "muted small", "text-anchor": "end" }),
    ]),
    element(
      "g",
      { class: "s0" },
      bins.map((bin, i) =>
        element(
          "rect",
          {
            class: "dot",
            x: LEFT + i * width + 1,
            width: Math.max(1, width - 2),
            y: y(bin.count),
            height: BOTTOM - y(bin.count),
          },
          hover(`${range(bin)} ${xLabel}: ${integer(bin.count)} ${unit}`),
        ),
      ),
    ),
    bins.map((bin, i) =>
      i % every === 0 || bin.to === null
        ? text(
            LEFT + (i + 0.5) * width,
            BOTTOM + 16,
            bin.to === null ? `${integer(bin.from)}+` : integer(bin.from),
            {
              class: "muted small",
              "text-anchor": "middle",
            },
          )
        : null,
    ),
    text((LEFT + RIGHT) / 2, BOTTOM + 36, xLabel, { class: "muted small", "text-anchor": "middle" }),
  );
}
