/** @file The line of one model: the mean over its seeds, with the seeds thin behind it. */

import type { Line } from "../../../analysis/figures.ts";
import { measured } from "../../../math/format.ts";
import { spread } from "../../summary.ts";
import { element, type Markup } from "../../svg.ts";
import { seriesClass } from "../../theme.ts";
import { hover, marker, type Point, path, seriesLine } from "./marks.ts";

/** More points than this are drawn without markers. */
const MARKED = 24;

/** The mean over seeds with its markers, the seeds thin behind it; `said` is how a value is told. */
export function drawnLine(
  line: Line,
  place: (point: Point) => Point,
  said: (value: number) => string,
): Markup {
  const { label, index, seeds } = line;
  const mean = meanLine(line);
  return element(
    "g",
    { class: seriesClass(index) },
    seeds.length === 1
      ? null
      : seeds.map(({ seed, points }) =>
          element(
            "path",
            { class: "line thin", d: path(points.map(place)) },
            hover(`${label}, seed ${seed}: ${said(points.at(-1)?.[1] ?? 0)} at the end`),
          ),
        ),
    seriesLine(mean.map(place), index),
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

/** Where the name of a line stands: at the end of the mean, or of a seed where the seeds have no x in common. */
export function endOf(line: Line): Point | undefined {
  return meanLine(line).at(-1) ?? line.seeds.find(({ points }) => points.length > 0)?.points.at(-1);
}
