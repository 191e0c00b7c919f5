/**
 * @file How a number is distributed in each of a few classes: histograms above each other over one axis.
 *
 *     command         |           __#    mean 1.55
 *     reveal          |#_  _      _ #    mean 1.36
 *                     0     1      2     beta
 */

import type { DistributionFigure } from "../../analysis/figures.ts";
import { integer, signed } from "../../core/format.ts";
import { element, type Markup } from "../svg.ts";
import { fitted, hover, linear, text } from "./marks.ts";

const [WIDTH, LEFT, RIGHT, TOP, ROW] = [400, 92, 330, 34, 48];

/** `1.5`, `-0.0213`: of what was measured no more digits than can be read. */
const tickText = (value: number) => String(Number(value.toPrecision(3)));

/** Each class is drawn to its own largest bar: it is the shape that is compared. */
export function distributionFigure({ title, xLabel, from = 0, to, classes }: DistributionFigure): Markup {
  const bottom = TOP + classes.length * ROW;
  const x = linear(from, to, LEFT, RIGHT);
  const about = classes.map(({ name, mean }) => `${name}: mean ${signed(mean, 2)}`).join(", ");
  return element(
    "svg",
    {
      class: "fig",
      viewBox: `0 0 ${WIDTH} ${bottom + 40}`,
      role: "img",
      "aria-label": `${title}, ${xLabel} from ${tickText(from)} to ${tickText(to)}. ${about}.`,
    },
    fitted(4, 16, title, 52, { class: "name" }),
    classes.map(({ name, mean, counts }, i) => {
      const base = TOP + (i + 1) * ROW - 4;
      const total = counts.reduce((sum, count) => sum + count, 0);
      const y = linear(0, Math.max(1, ...counts), base, base - ROW + 12);
      const step = (to - from) / counts.length;
      return [
        element("line", { class: "rule", x1: LEFT, x2: RIGHT, y1: base, y2: base }),
        text(LEFT - 8, base - 10, name, { class: "small", "text-anchor": "end" }),
        text(RIGHT + 8, base - 10, total === 0 ? "none" : `mean ${signed(mean, 2)}`, {
          class: "muted small",
        }),
        element(
          "g",
          { class: `s${i}` },
          counts.map((count, bin) =>
            count === 0
              ? null
              : element(
                  "rect",
                  {
                    class: "dot",
                    x: x(from + bin * step) + 0.5,
                    width: x(from + step) - x(from) - 1,
                    y: y(count),
                    height: Math.max(0.5, base - y(count)),
                  },
                  hover(
                    `${name}, ${signed(from + bin * step, 2)} to ${signed(from + (bin + 1) * step, 2)}: ${integer(count)} of ${integer(total)}`,
                  ),
                ),
          ),
        ),
      ];
    }),
    [from, (from + to) / 2, to].map((tick) =>
      text(x(tick), bottom + 12, tickText(tick), { class: "muted small", "text-anchor": "middle" }),
    ),
    text((LEFT + RIGHT) / 2, bottom + 30, xLabel, { class: "muted small", "text-anchor": "middle" }),
  );
}
