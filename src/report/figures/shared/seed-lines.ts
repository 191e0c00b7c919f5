/** @file The line of one model: the mean over its seeds, with the seeds thin behind it. */

import type { Line } from "../../../analysis/figures.ts";
import { listed, measured } from "../../../core/format.ts";
import { spread } from "../../aggregate.ts";
import { element, type Markup } from "../../svg.ts";
import { seriesClass } from "../../theme.ts";
import { fitted, hover, marker, type Point, path, seriesLine } from "../marks.ts";

/** More points than this are drawn without markers. */
const MARKED = 24;
/** So many are no trend, and are not joined. */
const UNJOINED = 2;
/** In drawing units: lines that are nowhere farther apart cover each other. */
const COVERED = 1.5;

/** The mean over seeds with its markers, the seeds thin behind it, two points unjoined; `said` is how a value is told. */
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
      : seeds.map(({ seed, points }) => {
          const about = hover(`${label}, seed ${seed}: ${said(points.at(-1)?.[1] ?? 0)} at the end`);
          if (points.length > UNJOINED)
            return element("path", { class: "line thin", d: path(points.map(place)) }, about);
          return points.map((point) => {
            const [cx, cy] = place(point);
            return element("circle", { class: "open seed", cx, cy, r: 2.2 }, about);
          });
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

/** Where the name of a line stands: at the end of the mean, or of a seed where the seeds have no x in common. */
export function endOf(line: Line): Point | undefined {
  return meanLine(line).at(-1) ?? line.seeds.find(({ points }) => points.length > 0)?.points.at(-1);
}

/** Names the lines that cover each other all along, since only the last of them can be seen. */
export function coincidence(
  lines: readonly Line[],
  place: (point: Point) => Point,
  y: number,
): Markup | null {
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
  return group.length === of && of > 2 ? `all ${of}` : listed(group.map(({ label }) => label));
}

const covers = (line: readonly Point[], other: readonly Point[]): boolean =>
  line.length === other.length &&
  line.every(([x, y], i) => Math.abs(x - other[i]![0]) < COVERED && Math.abs(y - other[i]![1]) < COVERED);
