/**
 * @file Lines over a number, one per model, with its seeds thin: shares (accuracy by spacing, length, position), or any numbers (nats, a logarithm).
 *
 *     100 |o--o--o--o--o  DeltaNet [-1,1]                0.4 |          s--s  row          a level is a dotted line across
 *         |  s__          windowed filter                0.2 |   s--s--       t  LSTM
 *         |     s--s--s   Transformer                      0 |o--o--o--o--o--o  exact
 *           1  2  4  8  16   commands per reveal            0  4  8  12  16     partial reveals since the last full one
 */

import type { Line, LinesFigure } from "../../analysis/figures.ts";
import { formatList, measured, percentSign } from "../../core/format.ts";
import { spread } from "../aggregate.ts";
import { type Child, element, type Markup } from "../svg.ts";
import { seriesClass } from "../theme.ts";
import {
  areaTo,
  bottomAxis,
  circle,
  type EndLabel,
  endLabels,
  endOfLines,
  figureFrame,
  fitted,
  heading,
  hover,
  leastShare,
  levelRule,
  linear,
  marker,
  type Point,
  path,
  series,
  seriesLine,
  shareAxis,
  straight,
  text,
  tickLabel,
  ticks,
  ticksBetween,
} from "./marks.ts";

export interface NumbersFigure extends Pick<LinesFigure, "title" | "xLabel" | "lines" | "mark"> {
  readonly kind: "numbers";
  readonly yLabel: string;
  /** Horizontal reference lines. */
  readonly levels?: readonly { readonly y: number; readonly label: string }[];
}

const WIDTH = 400;

/** All points of all seeds. */
const pointsOf = (lines: readonly Line[]) =>
  lines.flatMap(({ seeds }) => seeds.flatMap(({ points }) => points));

export function linesFigure(figure: LinesFigure): Markup {
  const { lines, window: reachable, chance } = figure;
  const [left, top, bottom] = [50, 40, 212];
  const points = pointsOf(lines);
  const xs = [...new Set(points.map(([x]) => x))].toSorted((a, b) => a - b);
  const isLog = figure.scale === "log2";
  const stretch = isLog ? Math.log2 : (value: number) => value;
  const right = endOfLines(WIDTH, [reachable?.label ?? "", ...lines.map(({ label }) => label)]);
  const at = linear(isLog ? stretch(xs[0] ?? 1) : 0, stretch(xs.at(-1) ?? 1), left, right);
  const x = (value: number) => at(stretch(value));
  const least = leastShare(points.map(([, share]) => share));
  const y = linear(least, 1, bottom, top);
  const place = ([px, share]: Point): Point => [x(px), y(Math.max(least, Math.min(1, share)))];
  const area = reachable?.points.map(place) ?? [];
  return linePlot(figure, {
    ...{ left, right, top, bottom, x, place, said: percentSign, tickText: String },
    description: describeLines(figure),
    backdrop: [
      area.length === 0 ? null : element("path", { class: "window", d: areaTo(y(0), area) }),
      shareAxis(left, right, y, { guess: chance, least }),
    ],
    front: element("path", { class: "edge", d: path(area) }),
    labels: area.length === 0 ? [] : [{ text: reachable!.label, y: area.at(-1)![1], className: "w" }],
    // Every x if they are few and log-spaced, else round numbers.
    xTicks: xs.length <= 8 && isLog ? xs : ticks(xs.at(-1) ?? 1, 5),
    markLabel: (mark) => tickLabel(x(mark.x), top - 8, mark.label),
  });
}

export function numbersFigure(figure: NumbersFigure): Markup {
  const { yLabel, lines, levels = [] } = figure;
  const [left, top, bottom] = [48, 52, 222];
  const points = pointsOf(lines);
  const xs = points.map(([x]) => x);
  const ys = [...points.map(([, y]) => y), ...levels.map(({ y }) => y)];
  const labels = [...levels, ...lines.filter((line) => endOf(line) !== undefined)];
  const right = endOfLines(
    WIDTH,
    labels.map(({ label }) => label),
  );
  const [from, to] = [Math.min(0, ...xs), Math.max(...xs, 1)];
  const x = linear(from, to, left, right);
  const yTicks = ticksBetween(Math.min(0, ...ys), Math.max(0, ...ys), 5);
  const y = linear(yTicks[0]!, yTicks.at(-1)!, bottom, top);
  return linePlot(figure, {
    ...{ left, right, top, bottom, x, said: measured, tickText: measured },
    place: ([px, py]) => [x(px), y(py)],
    description: describeNumbers(figure),
    backdrop: [
      fitted(4, 36, yLabel, 60, { class: "muted small" }),
      yTicks.map((tick) => levelRule(left, right, y(tick), measured(tick))),
      levels.map((level) => straight("guess", left, right, y(level.y))),
    ],
    front: null,
    labels: levels.map((level) => ({ text: level.label, y: y(level.y), className: "w" })),
    xTicks: ticksBetween(from, to, 5).filter((tick) => x(tick) <= right + 1),
    markLabel: (mark) => text(x(mark.x) + 4, top + 6, mark.label, { class: "muted small" }),
  });
}

interface LinePlot {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly x: (value: number) => number;
  readonly place: (point: Point) => Point;
  /** A value as text. */
  readonly said: (value: number) => string;
  readonly description: string;
  /** Drawn below the lines: the axis of y, areas. */
  readonly backdrop: Child;
  /** Drawn between the backdrop and the lines. */
  readonly front: Child;
  readonly labels: readonly EndLabel[];
  readonly xTicks: readonly number[];
  readonly tickText: (tick: number) => string;
  readonly markLabel: (mark: NonNullable<LinesFigure["mark"]>) => Markup;
}

/** The part that both figures share: lines with their labels, the axis of x, a vertical mark. */
function linePlot(
  { title, xLabel, lines, mark }: Pick<LinesFigure, "title" | "xLabel" | "lines" | "mark">,
  plot: LinePlot,
) {
  const { left, right, top, bottom, x, place } = plot;
  const drawn = lines.filter((line) => endOf(line) !== undefined);
  const ends = drawn.map((line): EndLabel => {
    return { text: line.label, y: place(endOf(line)!)[1], className: seriesClass(line.index) };
  });
  return figureFrame(
    [WIDTH, bottom + 60],
    plot.description,
    heading(title),
    plot.backdrop,
    mark === undefined
      ? null
      : [straight("rule", x(mark.x), x(mark.x), top - 4, bottom), plot.markLabel(mark)],
    plot.front,
    drawn.map((line) => drawnLine(line, place, plot.said)),
    endLabels([...plot.labels, ...ends], right + 4, right + 18, top, bottom),
    bottomAxis(
      [left, right, bottom],
      plot.xTicks.map((tick) => [x(tick), plot.tickText(tick)]),
      xLabel,
    ),
    coincidence(drawn, place, bottom + 54),
  );
}

/** The figure in words, for screen readers. */
export function describeLines({ title, xLabel, lines }: LinesFigure): string {
  return `${title}, by ${xLabel}. ${endsOf(lines, percentSign, String)}.`;
}

export function describeNumbers({ title, xLabel, yLabel, lines }: NumbersFigure): string {
  return `${title}: ${yLabel}, by ${xLabel}. ${endsOf(lines, measured, measured)}.`;
}

/** `LSTM: 90.0 % at 1, 60.0 % at 16` */
const endsOf = (
  lines: readonly Line[],
  said: (value: number) => string,
  place: (value: number) => string,
): string =>
  lines
    .flatMap((line) => {
      const mean = meanLine(line);
      if (mean.length === 0) return [];
      const [from, to] = [mean[0]!, mean.at(-1)!].map(([at, value]) => `${said(value)} at ${place(at)}`);
      return [`${line.label}: ${from}, ${to}`];
    })
    .join(". ");

/** Lines with more points are drawn without markers. */
const MARKED = 24;
/** Two points are not joined. */
const UNJOINED = 2;
/** In drawing units: lines that are everywhere nearer cover each other. */
const COVERED = 1.5;

/** The mean over seeds with its markers, and the seeds thin; two points are not joined. `said` formats a value. */
function drawnLine(line: Line, place: (point: Point) => Point, said: (value: number) => string): Markup {
  const { label, index, seeds } = line;
  const mean = meanLine(line);
  return series(
    index,
    seeds.length === 1
      ? null
      : seeds.map(({ seed, points }) => {
          const about = `${label}, seed ${seed}: ${said(points.at(-1)?.[1] ?? 0)} at the end`;
          if (points.length > UNJOINED)
            return element("path", { class: "line thin", d: path(points.map(place)) }, hover(about));
          return points.map((point) => circle("open seed", ...place(point), 2.2, about));
        }),
    mean.length <= UNJOINED ? null : seriesLine(mean.map(place), index),
    mean.length > MARKED
      ? null
      : mean.map((point) =>
          marker(...place(point), index, `${label}, at ${measured(point[0])}: ${said(point[1])}`, 3.5),
        ),
  );
}

/** The mean over seeds at every x that all seeds have. */
export function meanLine({ seeds }: Line): Point[] {
  const [first, ...others] = seeds.map(({ points }) => new Map(points));
  if (first === undefined) return [];
  return [...first]
    .filter(([x]) => others.every((other) => other.has(x)))
    .map(([x, share]): Point => [x, spread([share, ...others.map((other) => other.get(x)!)]).mean]);
}

/** The place of a line's label: the end of the mean, or of a seed if the seeds have no x in common. */
function endOf(line: Line): Point | undefined {
  return meanLine(line).at(-1) ?? line.seeds.find(({ points }) => points.length > 0)?.points.at(-1);
}

/** Names the lines that cover each other everywhere: only the last of them is visible. */
function coincidence(lines: readonly Line[], place: (point: Point) => Point, y: number): Markup | null {
  const drawn = lines.map((line) => ({ label: line.label, points: meanLine(line).map(place) }));
  const groups: (typeof drawn)[] = [];
  for (const line of drawn) {
    const group = groups.find(([first]) => first !== undefined && covers(first.points, line.points));
    if (group === undefined) groups.push([line]);
    else group.push(line);
  }
  const said = groups.flatMap((group) =>
    group.length > 1 && group[0]!.points.length > 0 ? [namesOf(group, lines.length)] : [],
  );
  return said.length === 0
    ? null
    : fitted(4, y, `one on the other: ${said.join("; ")}`, 62, { class: "muted small" });
}

function namesOf(group: readonly { readonly label: string }[], of: number): string {
  return group.length === of && of > 2 ? `all ${of}` : formatList(group.map(({ label }) => label));
}

const covers = (line: readonly Point[], other: readonly Point[]): boolean =>
  line.length === other.length &&
  line.every(([x, y], i) => Math.abs(x - other[i]![0]) < COVERED && Math.abs(y - other[i]![1]) < COVERED);
