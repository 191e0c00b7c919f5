/**
 * @file Cells under the names of their columns, beside the names of their rows: what a matrix and a grid share.
 *
 *     title
 *               columnLabel
 *     rowLabel  one   two
 *     first     cell  cell
 */

import type { CellNames } from "../../../analysis/figures.ts";
import { element, type Markup } from "../../svg.ts";
import { fitted } from "../marks.ts";

/** Where a cell stands. */
export interface CellPlace {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface CellsShape {
  /** Of the whole figure. */
  readonly width: number;
  /** Room for the names of rows. */
  readonly left: number;
  readonly rowHeight: number;
  /** The figure in words. */
  readonly description: string;
}

const TOP = 54;
/** Wider figures keep their size on a phone, and are scrolled. */
const BROAD = 500;
/** A letter of a small name, and a line of it: where names come nearer, some are left out. */
const [LETTER, NAME_WIDTH, NAME_HEIGHT] = [6.6, 18, 12];

export function namedCells(
  { title, rowLabel, columnLabel, rows, columns }: CellNames,
  { width, left, rowHeight: height, description }: CellsShape,
  cell: (row: number, column: number, place: CellPlace) => Markup | null,
): Markup {
  const columnWidth = (width - left - 6) / Math.max(1, columns.length);
  const every = Math.ceil(NAME_WIDTH / columnWidth);
  return element(
    "svg",
    {
      class: width > BROAD ? "fig broad" : "fig",
      viewBox: `0 0 ${width} ${TOP + rows.length * height + 12}`,
      role: "img",
      "aria-label": description,
    },
    fitted(4, 16, title, width / 7.6, { class: "name" }),
    fitted(left, 33, columnLabel, (width - left) / 6, { class: "muted small" }),
    fitted(4, TOP - 5, rowLabel, left / 7, { class: "muted small" }),
    columns.map((column, j) =>
      j % every > 0
        ? null
        : fitted(
            left + (j + 0.5) * columnWidth,
            TOP - 5,
            column,
            Math.max(1, Math.floor((every * columnWidth) / LETTER)),
            { class: "small", "text-anchor": "middle" },
          ),
    ),
    rows.map((row, i) => [
      i % Math.ceil(NAME_HEIGHT / height) > 0
        ? null
        : fitted(left - 8, TOP + (i + 0.5) * height + 4, row, Math.floor(left / LETTER), {
            class: "small",
            "text-anchor": "end",
          }),
      columns.map((_, j) =>
        cell(i, j, { x: left + j * columnWidth, y: TOP + i * height, width: columnWidth, height }),
      ),
    ]),
  );
}
