/**
 * @file The figures of a search for a recipe: the best score so far, and the scores by what was drawn for one key.
 *
 *     80 |        ____s__       batch: explains 12 % of the variance
 *     60 |  ____o|  o           8    . o  o|  .       mean 61.2 %
 *     40 | o . .   .            16  .  .|o            mean 48.0 %
 *          programs spent           40     60     80  score, %
 *
 * The trial that is ahead is a square everywhere.
 */

import { measured, percentSign, short } from "../../core/format.ts";
import { mean } from "../../core/statistics.ts";
import type { Range } from "../../schemas/search-space.ts";
import { element, type Markup } from "../svg.ts";
import { seriesClass } from "../theme.ts";
import {
  bottomAxis,
  circle,
  figureFrame,
  fitted,
  headings,
  levelRule,
  linear,
  marker,
  type Point,
  path,
  series,
  straight,
  text,
  tickLabel,
  ticks,
  ticksBetween,
} from "./marks.ts";

/** A score of a trial. */
export interface Scored {
  readonly trial: number;
  readonly score: number;
}

export interface KeyFigure {
  readonly key: string;
  /** Text below it: how much it explains. */
  readonly about: string;
  /** The trial that is ahead. */
  readonly ahead: number;
  /** Round scores: the same in all figures that are to be compared. */
  readonly scores: readonly number[];
}

const [WIDTH, LEFT, RIGHT, TOP, BOTTOM] = [400, 48, 380, 52, 222];
const LINE = 0;
/** The series of the trial that is ahead: its marker is the square. */
export const AHEAD = 1;

/** Round numbers around all scores, for an axis. */
export const roundScores = (scores: readonly number[]) =>
  ticksBetween(Math.min(...scores), Math.max(...scores), 5);

/** `asked` in the order in which it was spent: the programs of all trials until then, and the score that came. */
export function bestFigure(
  asked: readonly (Scored & { readonly rung: number; readonly spent: number })[],
  ahead: number,
): Markup {
  const end = asked.at(-1)!.spent; // a page without a score has no figure
  const scores = roundScores(asked.map(({ score }) => score));
  const x = linear(0, end, LEFT, RIGHT);
  const y = linear(scores[0], scores.at(-1)!, BOTTOM, TOP);
  const best = asked.map((_, i) => Math.max(...asked.slice(0, i + 1).map(({ score }) => score)));
  const steps = asked.flatMap(({ spent }, i): Point[] => [
    ...(i === 0 ? [] : [[x(spent), y(best[i - 1])] as const]),
    [x(spent), y(best[i])],
  ]);
  const rungs = asked.filter(({ rung }, i) => i > 0 && rung !== asked[i - 1].rung);
  const edges = rungs.map(({ rung }) => x(asked.findLast((each) => each.rung === rung - 1)!.spent)); // it follows one
  return figureFrame(
    [WIDTH, BOTTOM + 46],
    `Best so far: ${percentSign(best.at(-1)!)} after ${short(end)} programs of all trials.`,
    fitted(4, 16, `Best so far, ${percentSign(best.at(-1)!)}`, 52, { class: "name" }),
    fitted(4, 36, "score of a trial, %", 60, { class: "muted small" }),
    scoreAxis(scores, y),
    edges.map((edge, i) => [
      straight("guess", edge, edge, TOP - 10, BOTTOM),
      text(edge + 4, TOP - 5, `rung ${i + 2}`, { class: "muted small" }),
    ]),
    series(LINE, element("path", { class: "line", d: path(steps) })),
    asked.map((each) => {
      const about = `trial ${each.trial}, rung ${each.rung + 1}: ${percentSign(each.score)}`;
      return dot(x(each.spent), y(each.score), each, ahead, about);
    }),
    bottomAxis(
      [LEFT, RIGHT, BOTTOM],
      ticks(end, 5).map((tick) => [x(tick), short(tick)]),
      "programs spent on all trials",
    ),
  );
}

/** A score against the number that was drawn. */
export function rangeFigure(
  { key, about, ahead, scores }: KeyFigure,
  { from, to, scale }: Pick<Range, "from" | "to" | "scale">,
  points: readonly (Scored & { readonly value: number })[],
): Markup {
  const stretch = scale === "log" ? Math.log : (value: number) => value;
  const at = linear(stretch(from), stretch(to), LEFT + 8, RIGHT - 8);
  const y = linear(scores[0], scores.at(-1)!, BOTTOM, TOP);
  return figureFrame(
    [WIDTH, BOTTOM + 46],
    `${key}: ${about}. ${points.length} trials.`,
    headings(key, about),
    scoreAxis(scores, y),
    points.map((each) => {
      const about = `trial ${each.trial}, ${measured(each.value)}: ${percentSign(each.score)}`;
      return dot(at(stretch(each.value)), y(each.score), each, ahead, about);
    }),
    bottomAxis(
      [LEFT, RIGHT, BOTTOM],
      valueTicks(from, to, scale).map((tick) => [at(stretch(tick)), measured(tick)]),
      scale === "log" ? "on a log scale" : "",
    ),
  );
}

const ROW = 40;

/** The scores of each choice in a strip, with their mean. */
export function choicesFigure(
  { key, about, ahead, scores }: KeyFigure,
  choices: readonly { readonly name: string; readonly points: readonly Scored[] }[],
): Markup {
  const bottom = TOP + choices.length * ROW;
  const x = linear(scores[0], scores.at(-1)!, 16, RIGHT);
  const said = (points: readonly Scored[]) =>
    points.length === 0
      ? "not drawn"
      : `${percentSign(middle(points))}, ${points.length === 1 ? "one trial" : `mean of ${points.length}`}`;
  return figureFrame(
    [WIDTH, bottom + 40],
    `${key}: ${about}. ${choices.map(({ name, points }) => `${name}: ${said(points)}`).join(". ")}.`,
    headings(key, about),
    scores.map((score) => [
      straight("rule", x(score), x(score), TOP - 2, bottom),
      tickLabel(x(score), bottom + 14, measured(100 * score)),
    ]),
    choices.map(({ name, points }, i) => {
      const base = TOP + i * ROW + 28;
      return [
        straight("rule", x(scores[0]), x(scores.at(-1)!), base),
        fitted(4, base - 16, name, 42, { class: "small halo" }),
        text(WIDTH - 4, base - 16, said(points), { class: "muted small halo", "text-anchor": "end" }),
        points.length === 0
          ? null
          : series(LINE, straight("line", x(middle(points)), x(middle(points)), base - 9, base + 9)),
        points.map((each) =>
          dot(x(each.score), base, each, ahead, `trial ${each.trial}: ${percentSign(each.score)}`),
        ),
      ];
    }),
    tickLabel((16 + RIGHT) / 2, bottom + 32, "score, %"),
  );
}

const middle = (points: readonly Scored[]) => mean(points.map(({ score }) => score));

const scoreAxis = (scores: readonly number[], y: (score: number) => number) =>
  scores.map((score) => levelRule(LEFT, RIGHT, y(score), measured(100 * score)));

/** Points may lie on each other, so they are half transparent; the one that is ahead is not. */
function dot(x: number, y: number, { trial }: Scored, ahead: number, title: string): Markup {
  if (trial === ahead) return series(AHEAD, marker(x, y, AHEAD, title, 5));
  return element("g", { class: `${seriesClass(LINE)} seed` }, circle("dot", x, y, 4, title));
}

/** Round numbers in a range, of 1, 2 and 5 on a log scale; its ends if it has fewer than two. */
export function valueTicks(from: number, to: number, scale: Range["scale"]): number[] {
  const powers = Array.from({ length: 31 }, (_, i) => 10 ** (i - 15));
  const within = (all: readonly number[]) =>
    all.map((tick) => Number(tick.toPrecision(12))).filter((tick) => tick >= from && tick <= to);
  const fine =
    scale === "log"
      ? within(powers.flatMap((power) => [power, 2 * power, 5 * power]))
      : within(ticksBetween(from, to, 5));
  const found = fine.length <= 7 ? fine : within(powers);
  return found.length < 2 ? [...new Set([from, to])] : found;
}
