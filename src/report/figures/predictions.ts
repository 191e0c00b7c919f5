/**
 * @file Predictions beside what was measured: a cell for each architecture and task, its sign what theory says, its number how many
 * seeds solved it.
 *
 *                parity   Z_3    S_3
 *     DeltaNet   + 5/5   - 0/5  - 0/5     the darker, the more seeds; framed and orange: it contradicts the prediction
 *     GRU        + 5/5   + 2/5  + .       . not run; a dot in the corner: weights set by hand solve it; dashed: not learned
 */

import type { CellNames } from "../../analysis/figures.ts";
import { element, type Markup } from "../svg.ts";
import { hover, linear, text } from "./marks.ts";
import { namedCells } from "./shared/named-cells.ts";

export interface PredictedCell {
  /** + it can, \u2212 it cannot; undefined where nothing is predicted. */
  readonly predicted?: "+" | "\u2212" | undefined;
  /** Seeds that solved it; undefined where it was not run. */
  readonly solved?: { readonly seeds: number; readonly of: number } | undefined;
  readonly contradicted: boolean;
  /** No run learned what it was trained on, or solved what it could: nothing is shown. */
  readonly open?: boolean;
  /** Weights that are set by hand solve it. */
  readonly constructed: boolean;
  /** The same in words, shown on hover. */
  readonly about: string;
}

export interface PredictionsFigure extends CellNames {
  /** [row][column]. */
  readonly cells: readonly (readonly PredictedCell[])[];
}

const [WIDTH, LEFT, HEIGHT, INSET] = [400, 140, 26, 1.5];
/** No column is narrower: its name has room. */
const NARROWEST = 58;
/** From this share on the number is written in the paper's colour. */
const DARK = 0.8;
const [HELD, AGAINST] = ["s0", "s1"] as const;

export function predictionsFigure(figure: PredictionsFigure): Markup {
  const { rows, cells } = figure;
  const shade = linear(0, 1, 0, 0.95);
  const width = Math.max(WIDTH, LEFT + NARROWEST * figure.columns.length + 6);
  const shape = { width, left: LEFT, rowHeight: HEIGHT, description: describePredictions(figure) };
  return namedCells(figure, shape, (i, j, { x, y, width, height }) => {
    const { predicted = "", solved, contradicted, constructed, open = false, about } = cells[i]![j]!; // a cell for each pair
    const share = solved === undefined || solved.of === 0 ? 0 : solved.seeds / solved.of;
    const place = {
      ...{ x: x + INSET, y: y + INSET, width: width - 2 * INSET, height: height - 2 * INSET, rx: 3 },
    };
    const shown = `${predicted} ${solved === undefined ? "\u00B7" : `${solved.seeds}/${solved.of}`}`.trim();
    return element(
      "g",
      { class: contradicted ? AGAINST : HELD },
      element("rect", { class: "stage0", ...place }, hover(`${rows[i]}: ${about}`)),
      share === 0
        ? null
        : element(
            "rect",
            { class: "dot", ...place, "fill-opacity": shade(share) },
            hover(`${rows[i]}: ${about}`),
          ),
      contradicted ? element("rect", { class: "bar", ...place }) : null,
      open ? element("rect", { class: "edge", "stroke-dasharray": "2 3", ...place }) : null,
      text(x + width / 2, y + height / 2 + 4, shown, {
        class: `${share >= DARK ? "inverse" : solved === undefined ? "muted" : "plain"} small`,
        "text-anchor": "middle",
      }),
      constructed
        ? element("circle", { class: share >= DARK ? "paper" : "dot", cx: x + width - 6, cy: y + 6, r: 2 })
        : null,
    );
  });
}

/** The figure in words, for readers who do not see it. */
export function describePredictions({ title, rows, columns, cells }: PredictionsFigure): string {
  const all = rows.flatMap((row, i) => columns.map((column, j) => ({ row, column, cell: cells[i]![j]! })));
  const run = all.filter(({ cell }) => cell.solved !== undefined);
  const against = run.filter(({ cell }) => cell.contradicted);
  const told = against.map(({ row, column }) => `${row} on ${column}`).join(", ");
  return `${title}: ${rows.length} architectures by ${columns.length} tasks, ${run.length} of ${all.length} run, ${against.length} against the prediction${told === "" ? "" : ` (${told})`}.`;
}
