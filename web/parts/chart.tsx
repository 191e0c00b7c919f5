/** @file A line chart over steps: a mean and a band per series, the values under the pointer, downloads. */

import { render } from "preact";
import { useState } from "preact/hooks";
import type { Part } from "../../src/app/studio/downsample.ts";
import { formatList, integer } from "../../src/core/format.ts";
import { mean } from "../../src/core/statistics.ts";
import { csv } from "../../src/schemas/formats/csv.ts";
import { plainStyles, save } from "./components.tsx";

/** [step, least, mean, greatest]. */
export type Point = readonly [step: number, least: number, mean: number, greatest: number];

export interface Series {
  readonly name: string;
  /** A column of the CSV file, if a series has one. */
  readonly note?: string;
  readonly points: readonly Point[];
}

export const toPoints = (parts: readonly Part[]) =>
  parts.map(([step, least, greatest]): Point => [step, least, (least + greatest) / 2, greatest]);

/** The last point up to a step; none after the end. */
const pointAt = (points: readonly Point[], step: number) =>
  step > (points.at(-1)?.[0] ?? -1) ? undefined : points.findLast(([own]) => own <= step);

/** Over runs that differ in their seed, at the steps of the longest one. */
export function overSeeds(runs: readonly (readonly Point[])[]): Point[] {
  const [longest = []] = runs.toSorted((a, b) => b.length - a.length);
  return longest.map(([step]) => {
    const here = runs.flatMap((points) => pointAt(points, step)?.[2] ?? []);
    return [step, Math.min(...here), mean(here), Math.max(...here)];
  });
}

/** The running mean over a share of the points; least and greatest stay. */
export function smoothed(points: readonly Point[], share: number): readonly Point[] {
  const width = Math.round((share * points.length) / 2);
  return points.map(([step, least, , greatest], i) => {
    const near = points.slice(Math.max(0, i - width), i + width + 1);
    return [step, least, mean(near.map(([, , own]) => own)), greatest];
  });
}

interface ChartProps {
  readonly title: string;
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
  /** Bounds of the axis; those of the values where they are left out. */
  readonly from?: number;
  readonly to?: number;
  readonly isLog?: boolean;
  /** `step` by default. */
  readonly unit?: string;
  /** End of the axis, which is drawn from the start, also before there are points. */
  readonly until?: number;
  /** Steps at which something began, and what that is: a line each. */
  readonly marks?: { readonly steps: readonly number[]; readonly title: string };
}

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [480, 224, 68, 470, 12, 176];
const COLORS = ["#2f86c9", "#d9730d", "#159c78", "#c0529b", "#8668d6", "#938313", "#d2495c", "#6c8290"];
const color = (i: number) => COLORS[i % COLORS.length];

export function Chart({
  title,
  series: all,
  format,
  marks,
  isLog = false,
  unit = "step",
  until,
  ...bounds
}: ChartProps) {
  const [hover, setHover] = useState<number>();
  const drawn = all.filter(({ points }) => points.length > 0);
  const series = until === undefined ? drawn : all;
  if (series.length === 0) return <p class="muted">{title}: no data yet.</p>;
  const points = series.flatMap((each) => each.points);
  const isDrawn = (value: number) => Number.isFinite(value) && (!isLog || value > 0);
  const extreme = (of: (...values: number[]) => number, at: 1 | 3) =>
    points
      .map((point) => point[at])
      .filter(isDrawn)
      .reduce((a, b) => of(a, b), at === 1 ? Infinity : -Infinity);
  const from = isLog ? extreme(Math.min, 1) : (bounds.from ?? extreme(Math.min, 1));
  const highest = bounds.to ?? extreme(Math.max, 3);
  const to = highest > from ? highest : from + 1;
  const first = Math.min(until === undefined ? Infinity : 1, ...drawn.map((each) => each.points[0][0]));
  const last = Math.max(first + 1, until ?? 0, ...drawn.map((each) => each.points.at(-1)![0])); // it has points
  const scale = (value: number) => (isLog ? Math.log(Math.max(from, value)) : value);
  const x = (step: number) => LEFT + ((step - first) / (last - first)) * (RIGHT - LEFT);
  const y = (value: number) =>
    BOTTOM -
    ((scale(Math.min(to, Math.max(from, value))) - scale(from)) / (scale(to) - scale(from))) * (BOTTOM - TOP);
  const line = (own: readonly Point[], at: 1 | 2 | 3) =>
    own.map((point) => `${x(point[0]).toFixed(1)} ${y(point[at]).toFixed(1)}`);
  const shown = (own: readonly Point[]) => (hover === undefined ? own.at(-1) : pointAt(own, hover));
  const middle = isLog ? Math.sqrt(from * to) : (from + to) / 2;
  return (
    <figure class="card">
      <figcaption>{title}</figcaption>
      <svg
        class="curve"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={`${title}, ${unit} ${first} to ${last}: ${drawn.map(({ name, points }) => `${name} ends at ${format(points.at(-1)![2])}`).join(", ")}`}
        onPointerMove={({ currentTarget, clientX }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          const share = (((clientX - left) / width) * WIDTH - LEFT) / (RIGHT - LEFT);
          setHover(Math.round(first + Math.min(1, Math.max(0, share)) * (last - first)));
        }}
        onPointerLeave={() => setHover(undefined)}
      >
        {[from, middle, to].map((value) => (
          <g key={value}>
            <line class="rule" x1={LEFT} x2={RIGHT} y1={y(value)} y2={y(value)} />
            <text x={LEFT - 6} y={y(value) + 4} text-anchor="end">
              {format(value)}
            </text>
          </g>
        ))}
        {[...(marks?.steps ?? []).filter((step) => step > first && step <= last), hover ?? []]
          .flat()
          .map((step, i) => (
            <line key={i} class="mark" x1={x(step)} x2={x(step)} y1={TOP} y2={BOTTOM} />
          ))}
        {series
          .map(
            ({ points: own }, i) =>
              own.length > 0 && (
                <g key={i} fill={color(i)} stroke={color(i)}>
                  <path class="band" d={`M${[...line(own, 1), ...line(own, 3).reverse()].join("L")}Z`} />
                  <path fill="none" stroke-width="1.8" d={`M${line(own, 2).join("L")}`} />
                </g>
              ),
          )
          .reverse()}
        <text x={LEFT} y={BOTTOM + 18}>
          {integer(first)}
        </text>
        <text x={(LEFT + RIGHT) / 2} y={BOTTOM + 36} text-anchor="middle">
          {unit}
        </text>
        <text x={RIGHT} y={BOTTOM + 18} text-anchor="end">
          {integer(last)}
        </text>
      </svg>
      <ul class="legend">
        <li class="muted">{hover === undefined ? "last" : `${unit} ${integer(hover)}`}</li>
        {series.map(({ name, points: own }, i) => (
          <li key={i}>
            <svg class="sample" viewBox="0 0 30 10" aria-hidden="true">
              <path d="M0 5H30" stroke={color(i)} stroke-width="5" />
            </svg>{" "}
            {name} <strong>{shown(own) === undefined ? "–" : format(shown(own)![2])}</strong>
          </li>
        ))}
        <li class="downloads">
          {Object.entries({ SVG: standalone, PNG: rasterized, CSV: () => table(series, unit) }).map(
            ([kind, contentOf]) => (
              <button
                key={kind}
                type="button"
                aria-label={`${kind} of ${title}`}
                onClick={async ({ currentTarget }) => {
                  const name = `${title.toLowerCase().replace(/\W+/g, "-")}.${kind.toLowerCase()}`;
                  save(name, await contentOf(currentTarget.closest("figure")!)); // it is in one
                }}
              >
                {kind}
              </button>
            ),
          )}
        </li>
      </ul>
      {marks !== undefined && marks.steps.length > 0 && (
        <p class="muted">
          Dashed: {marks.title} ({formatList(marks.steps.map(integer))}).
        </p>
      )}
    </figure>
  );
}

const table = (series: readonly Series[], unit: string) =>
  csv(
    series.flatMap(({ name, note = "", points }) =>
      points.map(([step, minimum, middle, maximum]) => ({
        ...{ series: name, [unit]: step, minimum, mean: middle, maximum },
        ...(series.some((each) => each.note) && { note }),
      })),
    ),
  );

const [HEADING, ROW] = [30, 18];

/** SVG with title and legend. */
function standalone(figure: Element): string {
  const title = figure.querySelector("figcaption")!.textContent; // Chart has one
  const texts = Array.from(figure.querySelectorAll(".legend li:not(.downloads)"), (row) =>
    row.textContent.trim(),
  );
  const width = Math.max(WIDTH, ...texts.map((text) => LEFT + 50 + 7 * text.length));
  const height = HEADING + HEIGHT + ROW * texts.length;
  const host = document.createElement("div");
  render(
    <svg
      class="curve"
      viewBox={`0 ${-HEADING} ${width} ${height}`}
      role="img"
      aria-label={title}
      {...{ width, height }}
    >
      <style>{plainStyles(".curve ")}</style>
      <rect y={-HEADING} fill="#fff" {...{ width, height }} />
      <text x={LEFT} y={-8} font-weight="bold">
        {title}
      </text>
      <g dangerouslySetInnerHTML={{ __html: figure.querySelector(".curve")?.innerHTML ?? "" }} />
      {texts.map((text, i) => (
        <g key={i} transform={`translate(${LEFT} ${HEIGHT + ROW * i})`}>
          {i > 0 && <path d="M0 0H24" stroke={color(i - 1)} stroke-width="4" />}
          <text x={i > 0 ? 30 : 0} y={4}>
            {text}
          </text>
        </g>
      ))}
    </svg>,
    host,
  );
  return new XMLSerializer().serializeToString(host.firstElementChild!); // rendered above
}

/** PNG at twice the size. */
async function rasterized(figure: Element): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(standalone(figure))}`;
  await image.decode();
  const canvas = new OffscreenCanvas(2 * image.width, 2 * image.height);
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height); // a new canvas has one
  return canvas.convertToBlob();
}
