/**
 * @file Shares over two numbers: one cell a pair, the darker the higher, with its percentage written in it.
 *
 *     commands    32   64  128
 *     every  4   100  100   98
 *     every 16    97   88   61     framed: as trained
 */

import type { CellNames } from "../../analysis/figures.ts";
import { percentSign } from "../../core/format.ts";
import { element, type Markup } from "../svg.ts";
import { hover, linear, text } from "./marks.ts";
import { namedCells } from "./shared/named-cells.ts";

export interface GridFigure extends CellNames {
  readonly kind: "grid";
  /** [row][column]; undefined where that pair was not tested. */
  readonly cells: readonly (readonly (GridCell | undefined)[])[];
}

export interface GridCell {
  readonly share: number;
  /** Drawn with a frame. */
  readonly trained: boolean;
  /** Shown on hover, after the percentage. */
  readonly about?: string;
}

export const GRID_WIDTH = 400;
const [LEFT, HEIGHT] = [88, 30];
/** From this share on the cell is dark, and its number written in the paper's colour. */
const DARK = 0.62;

export function gridFigure(figure: GridFigure): Markup {
  const { rows, columns, cells } = figure;
  const shade = linear(0, 1, 0.05, 0.85);
  const shape = {
    width: GRID_WIDTH,
    left: LEFT,
    rowHeight: HEIGHT,
    description: describeGrid(figure),
  };
  return namedCells(figure, shape, (i, j, { x, y, width, height }) => {
    const cell = cells[i]?.[j];
    if (cell === undefined) return null;
    const inset = (by: number) => {
      return { x: x + by, y: y + by, width: width - 2 * by, height: height - 2 * by, rx: 3 };
    };
    return element(
      "g",
      { class: "s0" },
      element(
        "rect",
        { class: "dot", ...inset(1), "fill-opacity": Math.round(shade(cell.share) * 1000) / 1000 },
        hover(`${rows[i]}, ${columns[j]}: ${percentSign(cell.share)}${cell.about ?? ""}`),
      ),
      cell.trained ? element("rect", { class: "bar", ...inset(2) }) : null,
      text(x + width / 2, y + height / 2 + 4, (cell.share * 100).toFixed(0), {
        class: cell.share >= DARK ? "inverse" : "",
        "text-anchor": "middle",
      }),
    );
  });
}

export function describeGrid({ title, rowLabel, columnLabel, rows, columns, cells }: GridFigure): string {
  const each = rows.map((row, i) => {
    const shares = cells[i]!.flatMap((cell, j) =>
      cell === undefined ? [] : [`${columns[j]} ${percentSign(cell.share)}`],
    );
    return `${rowLabel} ${row}: ${shares.join(", ")}`;
  });
  return `${title}: ${rowLabel} by ${columnLabel}. ${each.join(". ")}.`;
}
