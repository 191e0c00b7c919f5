/**
 * @file Figures of the headline: accuracy by test condition, one panel per model, and accuracy by position in the program.
 *
 *     100 |-o--o--o--o   o--o--o-   markers: the model; with several seeds dots, their mean, and a bar from min to max
 *         |###########   #######    grey:   what a filter that sees only the last W commands reaches
 *      33 |. . . . . . . . . . .    dotted: guessing
 *           1  2  4 12   4  8 24    a reveal every k commands
 *          12 commands  48 commands
 */

import { formatCount, percent, percentSign, wrapped } from "../../core/format.ts";
import { type Cell, type Condition, cellAt, grouped, type ModelSummary, type Summary } from "../aggregate.ts";
import { element, type Markup } from "../svg.ts";
import { seriesClass } from "../theme.ts";
import {
  areaTo,
  bottomAxis,
  centered,
  circle,
  endLabels,
  figureFrame,
  fitted,
  hover,
  linear,
  marker,
  type Point,
  path,
  rectangle,
  series,
  seriesLine,
  shareAxis,
  straight,
  text,
  ticks,
} from "./marks.ts";

const [WIDTH, HEIGHT] = [860, 170]; // of the figure, and of a panel's plot
const LEFT = 44;
const GAP = 26;
const TITLE = 44; // room above a panel for two lines of text
const LETTER = 6.7; // width of a letter in wide fonts
const AXIS = 62; // Room below it for spacings, commands and whether trained.

interface Slot {
  readonly condition: Condition;
  readonly x: number;
  readonly width: number;
}

/** Four panels side by side. */
export function conditionsFigure(summary: Summary): Markup {
  const columns = Math.min(summary.models.length, 4);
  const panelWidth = (WIDTH - LEFT - 8 - GAP * (columns - 1)) / columns;
  const panelHeight = TITLE + HEIGHT + AXIS;
  const panels = summary.models.map((model, i) => {
    const column = i % columns;
    const left = LEFT + column * (panelWidth + GAP);
    const top = Math.floor(i / columns) * panelHeight + TITLE;
    return panel(summary, model, { left, top, width: panelWidth, first: column === 0 });
  });
  const rows = Math.ceil(summary.models.length / columns);
  const key = explanation(summary, rows * panelHeight + 14);
  return figureFrame([WIDTH, Math.ceil(key.bottom)], describe(summary), panels, key.content);
}

/** The figure in words, for screen readers. */
function describe(summary: Summary): string {
  const lines = summary.models.map(
    (model) =>
      `${model.label}: ${model.cells.map(({ condition, accuracy }) => `${condition.key} ${percentSign(accuracy.mean)}`).join(", ")}`,
  );
  return `Accuracy by test condition (commands/spacing). ${lines.join(". ")}.`;
}

interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly first: boolean;
}

function panel(summary: Summary, model: ModelSummary, frame: Frame): Markup {
  const { left, top, width, first } = frame;
  const y = linear(0, 1, top + HEIGHT, top);
  const holds = model.cells.filter((cell) => cell.holds).length;
  const slots = slotsOf(summary.conditions, left, width);
  const letters = Math.floor(width / LETTER);
  return series(
    model.index,
    marker(left + 5, top - 31, model.index),
    fitted(left + 16, top - 27, model.label, Math.floor((width - 16) / 8.8), { class: "name" }),
    fitted(left, top - 11, `passes ${holds} of ${formatCount(summary.conditions.length, "test")}`, letters, {
      class: "muted",
    }),
    slots.map(({ condition: { windowed }, x, width: slot }) =>
      rectangle("window", { x, y: y(windowed), width: slot, height: y(0) - y(windowed) }),
    ),
    shareAxis(left, left + width, y, { labelled: first, guess: summary.hardest.chance }),
    slots.map(({ condition: { exact, windowed }, x, width: slot }) => [
      straight("exact", x, x + slot, y(exact)),
      straight("edge", x, x + slot, y(windowed)),
    ]),
    curves(model, slots, y),
    hardestValue(summary, model, slots.at(-1)!, y),
    axis(model, slots, top + HEIGHT),
  );
}

/** The accuracy in the hardest condition, in figures, above its marks, or below its marker where there is no room above. */
function hardestValue(
  summary: Summary,
  model: ModelSummary,
  slot: Slot,
  y: (share: number) => number,
): Markup | null {
  const accuracy = cellAt(model, summary.hardest)?.accuracy;
  if (accuracy === undefined) return null;
  const at = y(accuracy.max) - 10 < y(1) + 10 ? y(accuracy.mean) + 20 : y(accuracy.max) - 10;
  return centered(slot.x + slot.width / 2, at, percent(accuracy.mean), "halo value");
}

/** Equal slots, with a gap where the number of commands changes. */
function slotsOf(conditions: readonly Condition[], left: number, width: number): Slot[] {
  const changes = conditions.map((condition, i) =>
    i > 0 && condition.commands !== conditions[i - 1]!.commands ? 1 : 0,
  );
  const gap = 10;
  const slot = (width - gap * changes.reduce<number>((sum, change) => sum + change, 0)) / conditions.length;
  let x = left;
  return conditions.map((condition, i) => {
    x += gap * changes[i]!;
    const placed = { condition, x, width: slot };
    x += slot;
    return placed;
  });
}

/** Lines join the conditions of one program length, if there are three or more: between lengths there is nothing to interpolate. */
function curves(model: ModelSummary, slots: readonly Slot[], y: (share: number) => number): Markup[] {
  const placed = slots.flatMap((slot) => {
    const cell = cellAt(model, slot.condition);
    return cell === undefined
      ? []
      : [{ cell, x: slot.x + slot.width / 2, commands: slot.condition.commands }];
  });
  const lines = [...grouped(placed, ({ commands }) => commands).values()]
    .filter((group) => group.length > 2)
    .map((group) =>
      seriesLine(
        group.map(({ cell, x }): Point => [x, y(cell.accuracy.mean)]),
        model.index,
      ),
    );
  return [...lines, ...placed.flatMap(({ cell, x }) => marks(model, cell, x, y))];
}

function marks(model: ModelSummary, cell: Cell, x: number, y: (share: number) => number): Markup[] {
  const { mean, min, max, values } = cell.accuracy;
  const about = `${model.label}, ${cell.condition.key}`;
  if (values.length === 1) return [marker(x, y(mean), model.index, `${about}: ${percentSign(mean)}`)];
  const extent: Point[] = [min, max].map((share) => [x, y(share)]);
  return [
    element("path", { class: "bar", d: path(extent) }),
    ...cell.rows.map(({ seed, accuracy }, i) => {
      const cx = x + (i - (values.length - 1) / 2) * Math.min(3, 14 / values.length);
      return circle("open seed", cx, y(accuracy), 2.2, `${about}, seed ${seed}: ${percentSign(accuracy)}`);
    }),
    marker(
      x,
      y(mean),
      model.index,
      `${about}: mean ${percentSign(mean)}, ${percentSign(min)} to ${percentSign(max)}`,
    ),
  ];
}

function axis(model: ModelSummary, slots: readonly Slot[], bottom: number): Markup[] {
  const spacings = slots.map(({ condition: { reveal, spacing }, x, width }) =>
    centered(x + width / 2, bottom + 16, reveal === "full" ? "all" : String(spacing), "small"),
  );
  const groups = [...grouped(slots, ({ condition }) => condition.commands)].flatMap(([commands, group]) => {
    const left = group[0]!.x;
    const right = group.at(-1)!.x + group.at(-1)!.width;
    const trained = group.filter(({ condition }) => cellAt(model, condition)?.asTrained).length;
    const training =
      trained === group.length
        ? "as trained"
        : trained === 0
          ? "never trained"
          : `${trained} of ${group.length} trained`;
    const isWide = right - left > 62;
    const lines = isWide ? [formatCount(commands, "command"), training] : [String(commands)];
    return [
      straight("rule", left + 2, right - 2, bottom + 22),
      ...lines.map((line, i) => centered((left + right) / 2, bottom + 35 + 13 * i, line, "muted small")),
    ];
  });
  return [...spacings, ...groups];
}

/** The references in words with a sample of their mark, flowing onto as many lines as the width needs. */
function explanation(summary: Summary, top: number): { readonly content: Markup[]; readonly bottom: number } {
  const { key, commands, spacing } = summary.hardest;
  const full = summary.conditions.find(({ reveal }) => reveal === "full");
  const columns = `columns: a reveal every k commands${full === undefined ? "" : " (all: of all variables after each)"}`;
  const seeds = Math.max(...summary.models.map((model) => model.seeds));
  const entries: { readonly text: string; readonly sample?: (x: number, y: number) => Markup[] }[] = [
    {
      text: `${columns}; ${key}: ${formatCount(commands, "command")}, one every ${spacing}`,
    },
    {
      text: `reachable from the last ${formatCount(summary.window, "command")} alone (windowed filter)`,
      sample: (x, y) => [
        rectangle("window", { x, y: y - 9, width: 20, height: 12 }),
        straight("edge", x, x + 20, y - 9),
      ],
    },
    {
      text: "exact filter",
      sample: (x, y) => [straight("exact", x, x + 20, y - 4)],
    },
    {
      text: `chance, ${percentSign(summary.hardest.chance)}${full === undefined ? "" : ` (all: ${percentSign(full.chance)})`}`,
      sample: (x, y) => [straight("guess", x, x + 20, y - 4)],
    },
    ...(seeds > 1 ? [{ text: `small rings: ${seeds} seeds; marker: mean; bar: lowest to highest` }] : []),
  ];
  let [x, y] = [4, top];
  const content = entries.flatMap((entry) => {
    const indent = entry.sample === undefined ? 0 : 26;
    const lines = wrapped(entry.text, Math.floor((WIDTH - indent - 4) / LETTER));
    const needed = indent + Math.max(...lines.map((line) => line.length)) * LETTER;
    if (x > 4 && (x + needed > WIDTH || lines.length > 1)) [x, y] = [4, y + 19];
    const from = { x, y };
    x += needed + 18;
    y += (lines.length - 1) * 16;
    return [
      ...(entry.sample?.(from.x, from.y) ?? []),
      ...lines.map((line, i) => text(from.x + indent, from.y + i * 16, line, { class: "muted" })),
    ];
  });
  return { content, bottom: y + 8 };
}

const [RIGHT, TOP, BOTTOM] = [246, 34, 206];

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
  return figureFrame(
    [360, 248],
    describeReveals(condition, lines),
    text(4, 14, `${formatCount(condition.commands, "command")}, a reveal every ${condition.spacing}`, {
      class: "name",
    }),
    element("path", { class: "window", d: areaTo(y(0), windowed) }),
    shareAxis(LEFT, RIGHT, y, { guess: condition.chance }),
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
    bottomAxis(
      [LEFT, RIGHT, BOTTOM],
      positionTicks(count, unit).map((tick) => [x(tick), String(tick)]),
      unit === 1 && condition.spacing !== 1 ? "value revealed" : "commands run before the reveal",
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
  const { byReveal, rows } = cell;
  const line = (shares: readonly number[]) => shares.map((share, i): Point => [at(i), y(share)]);
  const upper = line(byReveal.map(({ max }) => max));
  const lower = line(byReveal.map(({ min }) => min));
  return series(
    model.index,
    rows.length < 2
      ? null
      : [
          element("path", { class: "band", d: `${path([...upper, ...lower.toReversed()])}Z` }),
          rows.map(({ seed, accuracyByReveal }) => {
            const d = path(line(accuracyByReveal.slice(0, byReveal.length)));
            return element("path", { class: "line thin", d }, hover(`${model.label}, seed ${seed}`));
          }),
        ],
    seriesLine(line(byReveal.map(({ mean }) => mean)), model.index),
    byReveal.map(({ mean }, i) => {
      const about = `${model.label}, at ${(i + 1) * unit}: ${percentSign(mean)}`;
      return marker(at(i), y(mean), model.index, about, 3.5);
    }),
  );
}

/** Multiples of the spacing, at most six, the last position always among them. */
function positionTicks(count: number, unit: number): number[] {
  const stride = Math.max(1, Math.ceil(count / 6));
  const marks = Array.from({ length: Math.floor(count / stride) }, (_, i) => count - i * stride).toReversed();
  return count > 100 ? ticks(count * unit, 5) : marks.map((position) => position * unit);
}

function describeReveals(
  condition: Condition,
  lines: readonly { model: ModelSummary; cell: Cell }[],
): string {
  const each = lines.map(
    ({ model, cell }) =>
      `${model.label}: from ${percentSign(cell.byReveal[0]!.mean)} at the first reveal to ${percentSign(cell.byReveal.at(-1)!.mean)} at the last`,
  );
  return `Accuracy by reveal position at ${condition.key}. ${each.join(". ")}.`;
}
