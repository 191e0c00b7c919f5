/**
 * @file Shares over two numbers: one cell a pair, the darker the higher, with its percentage written in it.
 *
 *     commands    32   64  128
 *     every  4   100  100   98
 *     every 16    97   88   61     framed: as trained
 */

import { percentSign, shortened } from "../format.ts";
import { fitted, hover, linear, text } from "../marks.ts";
import { element, type Markup } from "../svg.ts";

export interface GridFigure {
  readonly kind: "grid";
  readonly title: string;
  readonly rowLabel: string;
  readonly columnLabel: string;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
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
const [LEFT, TOP, HEIGHT] = [58, 54, 30];
/** From this share on the cell is dark, and its number written in the paper's colour. */
const DARK = 0.62;

export function gridFigure(figure: GridFigure): Markup {
  const { title, rowLabel, columnLabel, rows, columns, cells } = figure;
  const width = (GRID_WIDTH - LEFT - 6) / columns.length;
  const shade = linear(0, 1, 0.05, 0.85);
  const bottom = TOP + rows.length * HEIGHT;
  return element(
    "svg",
    {
      class: "fig",
      viewBox: `0 0 ${GRID_WIDTH} ${bottom + 12}`,
      role: "img",
      "aria-label": describeGrid(figure),
    },
    fitted(4, 16, title, 52, { class: "name" }),
    fitted(LEFT, 34, columnLabel, 50, { class: "muted small" }),
    fitted(4, TOP - 5, rowLabel, 9, { class: "muted small" }),
    columns.map((column, j) =>
      text(LEFT + (j + 0.5) * width, TOP - 5, shortened(column, Math.floor(width / 6.5)), {
        class: "small",
        "text-anchor": "middle",
      }),
    ),
    rows.map((row, i) => [
      text(LEFT - 8, TOP + (i + 0.5) * HEIGHT + 4, row, { class: "small", "text-anchor": "end" }),
      cells[i]!.map((cell, j) => {
        const [x, y] = [LEFT + j * width, TOP + i * HEIGHT];
        if (cell === undefined) return null;
        return element(
          "g",
          { class: "s0" },
          element(
            "rect",
            {
              class: "dot",
              x: x + 1,
              y: y + 1,
              width: width - 2,
              height: HEIGHT - 2,
              rx: 3,
              "fill-opacity": Math.round(shade(cell.share) * 1000) / 1000,
            },
            hover(`${row}, ${columns[j]}: ${percentSign(cell.share)}${cell.about ?? ""}`),
          ),
          cell.trained
            ? element("rect", {
                class: "bar",
                x: x + 2,
                y: y + 2,
                width: width - 4,
                height: HEIGHT - 4,
                rx: 3,
              })
            : null,
          text(x + width / 2, y + HEIGHT / 2 + 4, (cell.share * 100).toFixed(0), {
            class: cell.share >= DARK ? "inverse" : "",
            "text-anchor": "middle",
          }),
        );
      }),
    ]),
  );
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
