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
import { element, type Markup } from "../svg.ts";
import { seriesClass } from "../theme.ts";
import {
  figureFrame,
  heading,
  hover,
  linear,
  marker,
  seriesLine,
  shareAxis,
  text,
  tickLabel,
  ticks,
} from "./marks.ts";

const WIDTH = 400;
const HEIGHT = 300;
const [LEFT, RIGHT, TOP, BOTTOM] = [52, 380, 40, 252];
/** The radius of all programs at one place. */
const largest = 30;

export function pairsFigure(title: string, pairs: AskResults["pairs"]): Markup {
  const x = linear(0, 1, LEFT + largest, RIGHT - largest);
  const y = linear(0, 1, BOTTOM - largest, TOP + largest);
  const all = pairs.reduce((sum, { programs }) => sum + programs, 0);
  const sides = [
    ["above", pairs.filter(({ traced, untraced }) => traced > untraced)],
    ["below", pairs.filter(({ traced, untraced }) => traced < untraced)],
  ] as const;
  const [above, below] = sides.map(([, own]) => own.reduce((sum, { programs }) => sum + programs, 0));
  const said = `${title}: ${formatCount(all, "program")}, ${above} better as a trace, ${below} better as a function.`;
  return figureFrame(
    [WIDTH, HEIGHT],
    said,
    heading(title),
    element("line", { class: "guess", x1: x(0), x2: x(1), y1: y(0), y2: y(1) }),
    shareAxis(LEFT, RIGHT, y),
    [0, 0.5, 1].map((share) => tickLabel(x(share), BOTTOM + 17, `${share * 100}`)),
    pairs.map(({ untraced, traced, programs }) =>
      element(
        "g",
        { class: seriesClass(traced > untraced ? 0 : traced < untraced ? 1 : 5) },
        element(
          "circle",
          {
            class: "open",
            "fill-opacity": "0.5",
            cx: x(untraced),
            cy: y(traced),
            r: Math.max(1.5, largest * Math.sqrt(programs / all)),
          },
          hover(
            `${formatCount(programs, "program")}: ${percentSign(untraced)} as function, ${percentSign(traced)} as trace`,
          ),
        ),
      ),
    ),
    tickLabel((LEFT + RIGHT) / 2, BOTTOM + 36, `as function, %; ${above} above the diagonal, ${below} below`),
    text(4, TOP - 6, "as trace", { class: "muted small" }),
  );
}

export function stepsFigure(title: string, index: number, bySteps: ArmResult["bySteps"]): Markup {
  const last = Math.max(1, ...bySteps.map(({ to }) => to));
  const x = linear(0, last, LEFT, RIGHT - 8);
  const y = linear(0, 1, BOTTOM, TOP);
  const places = bySteps.map((group) => ({ ...group, at: (group.from + group.to) / 2 }));
  const range = ({ from, to }: { from: number; to: number }) =>
    from === to ? String(from) : `${from} to ${to}`;
  const said = bySteps.map((group) => `${range(group)} steps: ${percentSign(group.accuracy)}`).join(". ");
  return figureFrame(
    [WIDTH, HEIGHT],
    `${title}. ${said}.`,
    heading(title),
    shareAxis(LEFT, RIGHT, y),
    element(
      "g",
      { class: seriesClass(index) },
      seriesLine(
        places.map(({ at, accuracy }) => [x(at), y(accuracy)] as const),
        index,
        "line thin",
      ),
      places.map(({ at, interval: [low, high] }) =>
        element("line", { class: "bar", x1: x(at), x2: x(at), y1: y(low), y2: y(high) }),
      ),
      places.map((group) =>
        marker(
          x(group.at),
          y(group.accuracy),
          index,
          `${range(group)} steps: ${percentSign(group.accuracy)} of ${formatCount(group.programs, "program")}`,
          3.5,
        ),
      ),
    ),
    ticks(last, 6).map((tick) => tickLabel(x(tick), BOTTOM + 17, String(tick))),
    tickLabel((LEFT + RIGHT) / 2, BOTTOM + 36, "steps"),
  );
}
