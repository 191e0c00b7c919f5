/**
 * @file Accuracy along a program: by the position of the reveal, for programs of one shape.
 *
 *     100 |o--o--o--o--o  DeltaNet [-1,1]
 *         |  s__          windowed filter
 *         |     s--s--s   Transformer
 *           4  8  12 ...  commands run before the reveal
 */

import { counted, percentSign } from "../../core/format.ts";
import type { Cell, Condition, ModelSummary, Summary } from "../aggregate.ts";
import { cellAt } from "../findings.ts";
import { element, type Markup } from "../svg.ts";
import { seriesClass } from "../theme.ts";
import {
  endLabels,
  hover,
  linear,
  marker,
  type Point,
  path,
  seriesLine,
  shareAxis,
  text,
  ticks,
} from "./shared/marks.ts";

export const REVEALS_WIDTH = 360;
const HEIGHT = 248;
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 246, 34, 206];

/** The conditions whose programs reveal state more than once: never trained ones, or all where there is none such. */
export function conditionsWithPositions(summary: Summary): Condition[] {
  const several = summary.conditions.filter(({ windowedByReveal }) => windowedByReveal.length > 1);
  const untrained = several.filter(({ asTrained }) => !asTrained);
  return untrained.length > 0 ? untrained : several;
}

export function revealsFigure(summary: Summary, condition: Condition): Markup {
  const count = condition.windowedByReveal.length;
  // Full reveals print several values at once: then a position is a number of values, not of commands.
  const unit = count === Math.floor(condition.commands / condition.spacing) ? condition.spacing : 1;
  const x = linear(0, count * unit, LEFT, RIGHT);
  const y = linear(0, 1, BOTTOM, TOP);
  const at = (position: number) => x((position + 1) * unit);
  const windowed = condition.windowedByReveal.map((share, i): Point => [at(i), y(share)]);
  const lines = summary.models.flatMap((model) => {
    const cell = cellAt(model, condition);
    return cell === undefined || cell.byReveal.length === 0 ? [] : [{ model, cell }];
  });
  return element(
    "svg",
    {
      class: "fig",
      viewBox: `0 0 ${REVEALS_WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": describe(condition, lines),
    },
    text(4, 14, `${counted(condition.commands, "command")}, a reveal every ${condition.spacing}`, {
      class: "name",
    }),
    element("path", {
      class: "window",
      d: `${path([[windowed[0]![0], y(0)], ...windowed, [windowed.at(-1)![0], y(0)]])}Z`,
    }),
    shareAxis(LEFT, RIGHT, y, { guess: summary.chance }),
    element("path", { class: "edge", d: path(windowed) }),
    lines.map(({ model, cell }) => curve(model, cell, at, y, unit)),
    endLabels(
      [
        { text: "windowed filter", y: windowed.at(-1)![1], className: "w" },
        ...lines.map(({ model, cell }) => ({
          text: model.label,
          y: y(cell.byReveal.at(-1)!.mean),
          className: seriesClass(model.index),
        })),
      ],
      RIGHT + 4,
      RIGHT + 20,
      TOP,
      BOTTOM,
    ),
    positionTicks(count, unit).map((tick) =>
      text(x(tick), BOTTOM + 17, String(tick), { class: "muted small", "text-anchor": "middle" }),
    ),
    text(
      (LEFT + RIGHT) / 2,
      BOTTOM + 36,
      unit === 1 && condition.spacing !== 1 ? "value revealed" : "commands run before the reveal",
      {
        class: "muted small",
        "text-anchor": "middle",
      },
    ),
  );
}

function curve(
  model: ModelSummary,
  cell: Cell,
  at: (position: number) => number,
  y: (share: number) => number,
  unit: number,
): Markup {
  const { byReveal } = cell;
  const seeds = cell.rows.length;
  const mean = byReveal.map((spread, i): Point => [at(i), y(spread.mean)]);
  const upper = byReveal.map(({ max }, i): Point => [at(i), y(max)]);
  const lower = byReveal.map(({ min }, i): Point => [at(i), y(min)]);
  return element(
    "g",
    { class: seriesClass(model.index) },
    seeds > 1 ? element("path", { class: "band", d: `${path([...upper, ...lower.toReversed()])}Z` }) : null,
    seeds > 1
      ? cell.rows.map((row) =>
          element(
            "path",
            {
              class: "line thin",
              d: path(byReveal.map((_, i): Point => [at(i), y(row.accuracyByReveal[i]!)])),
            },
            hover(`${model.label}, seed ${row.seed}`),
          ),
        )
      : null,
    seriesLine(mean, model.index),
    byReveal.map((spread, i) =>
      marker(
        at(i),
        y(spread.mean),
        model.index,
        `${model.label}, at ${(i + 1) * unit}: ${percentSign(spread.mean)}`,
        3.5,
      ),
    ),
  );
}

/** Multiples of the spacing, at most six, the last position always among them. */
function positionTicks(count: number, unit: number): number[] {
  const stride = Math.max(1, Math.ceil(count / 6));
  const marks = Array.from({ length: Math.floor(count / stride) }, (_, i) => count - i * stride).toReversed();
  return count > 100 ? ticks(count * unit, 5) : marks.map((position) => position * unit);
}

function describe(condition: Condition, lines: readonly { model: ModelSummary; cell: Cell }[]): string {
  const each = lines.map(
    ({ model, cell }) =>
      `${model.label}: from ${percentSign(cell.byReveal[0]!.mean)} at the first reveal to ${percentSign(cell.byReveal.at(-1)!.mean)} at the last`,
  );
  return `Accuracy by reveal position at ${condition.key}. ${each.join(". ")}.`;
}
