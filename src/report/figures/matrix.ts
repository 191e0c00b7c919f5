/**
 * @file Numbers over two lists of names: one cell a pair, the darker the larger, with its number written in it.
 *
 *                 >>>   a    ,   b    =
 *     layer 0.0  1.99 1.94 1.19 1.99 0.57
 *     layer 0.1  0.19 0.53 0.57 0.34 1.24
 */

import type { MatrixFigure } from "../../analysis/figures.ts";
import { signed } from "../../core/format.ts";
import { element, type Markup } from "../svg.ts";
import { hover, linear, text } from "./marks.ts";
import { namedCells } from "./shared/named-cells.ts";

const [WIDTH, NARROW, LEFT, HEIGHT, GAP] = [820, 400, 96, 28, 2];
/** From this depth on the number is written in the paper's colour. */
const DARK = 0.62;

export function matrixFigure(figure: MatrixFigure): Markup {
  const { rows, columns, cells, from, to, digits } = figure;
  const shade = linear(from, to, 0.04, 0.88);
  const shape = {
    width: columns.length > 6 ? WIDTH : NARROW,
    left: LEFT,
    rowHeight: HEIGHT,
    description: describeMatrix(figure),
  };
  return namedCells(figure, shape, (i, j, { x, y, width, height }) => {
    const value = cells[i]?.[j];
    if (value === undefined) return null;
    const depth = Math.min(0.88, Math.max(0.04, shade(value)));
    return element(
      "g",
      { class: "s0" },
      element(
        "rect",
        {
          class: "dot",
          x: x + GAP / 2,
          y: y + GAP / 2,
          width: width - GAP,
          height: height - GAP,
          rx: 3,
          "fill-opacity": Math.round(depth * 1000) / 1000,
        },
        hover(`${rows[i]}, ${columns[j]}: ${signed(value, digits)}`),
      ),
      text(x + width / 2, y + height / 2 + 4, signed(value, digits), {
        class: depth >= DARK ? "inverse small" : "small",
        "text-anchor": "middle",
      }),
    );
  });
}

/** The figure in words, for readers who do not see it; of a large one its size and its largest number. */
export function describeMatrix({
  title,
  rowLabel,
  columnLabel,
  rows,
  columns,
  cells,
  digits,
}: MatrixFigure): string {
  const all = rows.flatMap((row, i) =>
    cells[i]!.flatMap((value, j) => (value === undefined ? [] : [{ row, column: columns[j]!, value }])),
  );
  const head = `${title}: ${rowLabel} by ${columnLabel}.`;
  if (all.length === 0) return `${head} Nothing was measured.`;
  const most = all.reduce((largest, each) => (each.value > largest.value ? each : largest));
  if (all.length > 60) {
    return `${head} ${rows.length} by ${columns.length} numbers, the largest ${signed(most.value, digits)} at ${most.row}, ${most.column}.`;
  }
  return `${head} ${all.map(({ row, column, value }) => `${row}, ${column}: ${signed(value, digits)}`).join("; ")}.`;
}
