/**
 * @file Cells under the names of columns, next to the names of rows: a grid of shares, a matrix of numbers, predictions with what was measured.
 *
 *     commands    32   64  128                    >>>   a    ,   b    =                     parity   Z_3    S_3
 *     every  4   100  100   98        layer 0.0  1.99 1.94 1.19 1.99 0.57        DeltaNet   + 5/5   - 0/5  - 0/5
 *     every 16    97   88   61        layer 0.1  0.19 0.53 0.57 0.34 1.24        GRU        + 5/5   + 2/5  + .
 *
 * The darker, the larger. Grid: framed if trained. Predictions: the sign is the theory, the number how many seeds solved it; framed and
 * orange: contradicted; `.`: not run; a dot in the corner: weights set by hand solve it; dashed: not learned.
 */

import type { CellNames, MatrixFigure } from "../../analysis/figures.ts";
import { percentSign, signed } from "../../core/format.ts";
import type { Markup } from "../svg.ts";
import {
  type Box,
  centered,
  circle,
  figureFrame,
  fitted,
  linear,
  opacity,
  rectangle,
  series,
} from "./marks.ts";

const NARROW = 400;
/** From this depth on the number has the color of the paper. */
const DARK = 0.62;

const inset = ({ x, y, width, height }: Box, by: number) => {
  return { x: x + by, y: y + by, width: width - 2 * by, height: height - 2 * by, rx: 3 };
};

interface CellsShape {
  readonly width: number;
  /** Room for the names of rows. */
  readonly left: number;
  readonly rowHeight: number;
  /** The figure in words. */
  readonly description: string;
}

const TOP = 54;
/** A letter of a small name, and a line of it: where names come nearer, some are left out. */
const [LETTER, NAME_WIDTH, NAME_HEIGHT] = [6.6, 18, 12];

function namedCells(
  { title, rowLabel, columnLabel, rows, columns }: CellNames,
  { width, left, rowHeight: height, description }: CellsShape,
  cell: (row: number, column: number, place: Box) => Markup | null,
): Markup {
  const columnWidth = (width - left - 6) / Math.max(1, columns.length);
  const every = Math.ceil(NAME_WIDTH / columnWidth);
  return figureFrame(
    [width, TOP + rows.length * height + 12],
    description,
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

export function gridFigure(figure: GridFigure): Markup {
  const { rows, columns, cells } = figure;
  const shade = linear(0, 1, 0.05, 0.85);
  const shape = {
    width: NARROW,
    left: Math.max(88, 12 + LETTER * Math.max(0, ...rows.map(({ length }) => length))),
    rowHeight: 30,
    description: describeGrid(figure),
  };
  return namedCells(figure, shape, (i, j, box) => {
    const cell = cells[i]?.[j];
    if (cell === undefined) return null;
    const { share, trained, about = "" } = cell;
    return series(
      0,
      rectangle(
        "dot",
        inset(box, 1),
        `${rows[i]}, ${columns[j]}: ${percentSign(share)}${about}`,
        opacity(shade(share)),
      ),
      trained ? rectangle("bar", inset(box, 2)) : null,
      inCell(box, (share * 100).toFixed(0), share >= DARK ? "inverse" : ""),
    );
  });
}

/** Text in the middle of a cell. */
const inCell = ({ x, y, width, height }: Box, content: string, className: string) =>
  centered(x + width / 2, y + height / 2 + 4, content, className);

function describeGrid({ title, rowLabel, columnLabel, rows, columns, cells }: GridFigure): string {
  const each = rows.map((row, i) => {
    const shares = cells[i]!.flatMap((cell, j) =>
      cell === undefined ? [] : [`${columns[j]} ${percentSign(cell.share)}`],
    );
    return `${rowLabel} ${row}: ${shares.join(", ")}`;
  });
  return `${title}: ${rowLabel} by ${columnLabel}. ${each.join(". ")}.`;
}

export function matrixFigure(figure: MatrixFigure): Markup {
  const { rows, columns, cells, from, to, digits } = figure;
  const shade = linear(from, to, 0.04, 0.88);
  const shape = {
    width: columns.length > 6 ? 820 : NARROW,
    left: 96,
    rowHeight: 28,
    description: describeMatrix(figure),
  };
  return namedCells(figure, shape, (i, j, box) => {
    const value = cells[i]?.[j];
    if (value === undefined) return null;
    const depth = Math.min(0.88, Math.max(0.04, shade(value)));
    const shown = signed(value, digits);
    return series(
      0,
      rectangle("dot", inset(box, 1), `${rows[i]}, ${columns[j]}: ${shown}`, opacity(depth)),
      inCell(box, shown, depth >= DARK ? "inverse small" : "small"),
    );
  });
}

/** The figure in words; for a large one its size and its largest number. */
function describeMatrix({
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

export interface PredictedCell {
  /** + it can, \u2212 it cannot; undefined without a prediction. */
  readonly predicted?: "+" | "\u2212" | undefined;
  /** undefined where it was not run; `share`: how dark it is, in [0, 1]. */
  readonly measured?: { readonly text: string; readonly share: number } | undefined;
  readonly contradicted: boolean;
  /** Weights that are set by hand solve it. */
  readonly constructed: boolean;
  /** Shown on hover. */
  readonly about: string;
}

export interface PredictionsFigure extends CellNames {
  /** [row][column]. */
  readonly cells: readonly (readonly PredictedCell[])[];
}

const PREDICTIONS_LEFT = 140;
/** Room for the name of a column. */
const NARROWEST = 74;
/** From this share on the number has the color of the paper. */
const DARK_SHARE = 0.8;
/** Series of a cell that agrees with its prediction, and of one that does not. */
const [HELD, AGAINST] = [0, 1] as const;

export function predictionsFigure(figure: PredictionsFigure): Markup {
  const { rows, cells } = figure;
  const shade = linear(0, 1, 0, 0.95);
  const width = Math.max(NARROW, PREDICTIONS_LEFT + NARROWEST * figure.columns.length + 6);
  const shape = { width, left: PREDICTIONS_LEFT, rowHeight: 26, description: describePredictions(figure) };
  return namedCells(figure, shape, (i, j, box) => {
    const { predicted = "", measured, contradicted, constructed, about } = cells[i]![j]!; // a cell for each pair
    const share = measured?.share ?? 0;
    const place = inset(box, 1.5);
    const title = `${rows[i]}: ${about}`;
    const shown = `${predicted} ${measured?.text ?? "\u00B7"}`.trim();
    const isDark = share >= DARK_SHARE;
    return series(
      contradicted ? AGAINST : HELD,
      rectangle("stage0", place, title),
      share === 0 ? null : rectangle("dot", place, title, { "fill-opacity": shade(share) }),
      contradicted ? rectangle("bar", place) : null,
      inCell(box, shown, `${isDark ? "inverse" : measured === undefined ? "muted" : "plain"} small`),
      constructed ? circle(isDark ? "paper" : "dot", box.x + box.width - 6, box.y + 6, 2) : null,
    );
  });
}

function describePredictions({ title, rows, columns, cells }: PredictionsFigure): string {
  const all = rows.flatMap((row, i) => columns.map((column, j) => ({ row, column, cell: cells[i]![j]! })));
  const run = all.filter(({ cell }) => cell.measured !== undefined);
  const against = run.filter(({ cell }) => cell.contradicted);
  const pairs = against.map(({ row, column }) => `${row} on ${column}`).join(", ");
  return `${title}: ${rows.length} architectures by ${columns.length} tasks, ${run.length} of ${all.length} run, ${against.length} against the prediction${pairs === "" ? "" : ` (${pairs})`}.`;
}
