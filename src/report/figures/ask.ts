/**
 * @file The figures of an asking: each program's accuracy as function and as trace, and accuracy by number of steps.
 *
 *     traced 100 |O    .  o       a circle's area is the number of programs at its place
 *                |   .   /
 *              0 |o  /   .
 *                 0   100 untraced
 */

import { formatCount, percentSign } from "../../core/format.ts";
import type { ArmResult, AskResults } from "../../schemas/eval.ts";
import type { Markup } from "../svg.ts";
import {
  bottomAxis,
  circle,
  figureFrame,
  heading,
  linear,
  marker,
  series,
  seriesLine,
  shareAxis,
  straight,
  text,
  ticks,
} from "./marks.ts";

const [WIDTH, HEIGHT] = [400, 300];
const [LEFT, RIGHT, TOP, BOTTOM] = [52, 380, 40, 252];
/** The radius of all programs at one place. */
const largest = 30;

export function pairsFigure(title: string, pairs: AskResults["pairs"]): Markup {
  const x = linear(0, 1, LEFT + largest, RIGHT - largest);
  const y = linear(0, 1, BOTTOM - largest, TOP + largest);
  const programsIn = (own: AskResults["pairs"]) => own.reduce((sum, { programs }) => sum + programs, 0);
  const all = programsIn(pairs);
  const above = programsIn(pairs.filter(({ traced, untraced }) => traced > untraced));
  const below = programsIn(pairs.filter(({ traced, untraced }) => traced < untraced));
  return figureFrame(
    [WIDTH, HEIGHT],
    `${title}: ${formatCount(all, "program")}, ${above} better as a trace, ${below} better as a function.`,
    heading(title),
    straight("guess", x(0), x(1), y(0), y(1)),
    shareAxis(LEFT, RIGHT, y),
    pairs.map(({ untraced, traced, programs }) => {
      const about = `${formatCount(programs, "program")}: ${percentSign(untraced)} as function, ${percentSign(traced)} as trace`;
      const radius = Math.max(1.5, largest * Math.sqrt(programs / all));
      return series(
        traced > untraced ? 0 : traced < untraced ? 1 : 5,
        circle("open", x(untraced), y(traced), radius, about, { "fill-opacity": "0.5" }),
      );
    }),
    bottomAxis(
      [LEFT, RIGHT, BOTTOM],
      [0, 0.5, 1].map((share) => [x(share), `${share * 100}`]),
      `as function, %; ${above} above the diagonal, ${below} below`,
    ),
    text(4, TOP - 6, "as trace", { class: "muted small" }),
  );
}

export function stepsFigure(title: string, index: number, bySteps: ArmResult["bySteps"]): Markup {
  const last = Math.max(1, ...bySteps.map(({ to }) => to));
  const x = linear(0, last, LEFT, RIGHT - 8);
  const y = linear(0, 1, BOTTOM, TOP);
  const groups = bySteps.map(({ from, to, accuracy, interval: [low, high], programs }) => {
    const name = `${from === to ? from : `${from} to ${to}`} steps: ${percentSign(accuracy)}`;
    return { x: x((from + to) / 2), y: y(accuracy), low: y(low), high: y(high), name, programs };
  });
  return figureFrame(
    [WIDTH, HEIGHT],
    `${title}. ${groups.map(({ name }) => name).join(". ")}.`,
    heading(title),
    shareAxis(LEFT, RIGHT, y),
    series(
      index,
      seriesLine(
        groups.map((group) => [group.x, group.y] as const),
        index,
        "line thin",
      ),
      groups.map((group) => straight("bar", group.x, group.x, group.low, group.high)),
      groups.map((group) => {
        const about = `${group.name} of ${formatCount(group.programs, "program")}`;
        return marker(group.x, group.y, index, about, 3.5);
      }),
    ),
    bottomAxis(
      [LEFT, RIGHT, BOTTOM],
      ticks(last, 6).map((tick) => [x(tick), String(tick)]),
      "steps",
    ),
  );
}
