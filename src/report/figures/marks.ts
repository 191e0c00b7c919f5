/** @file The marks that figures share: scales, series that differ in colour, dash and marker at once, axes, labels at line ends. */

import { shortened, signed } from "../../core/format.ts";
import { type Attributes, type Child, element, type Markup } from "../svg.ts";

/** Maps [from, to] onto [start, end]. A domain of one point maps to the start. */
export function linear(from: number, to: number, start: number, end: number): (value: number) => number {
  const scale = to === from ? 0 : (end - start) / (to - from);
  return (value) => start + (value - from) * scale;
}

/** Multiples of 1, 2 or 5 times a power of ten in [0, to], at most `count` steps. */
export function ticks(to: number, count: number): number[] {
  const power = 10 ** Math.floor(Math.log10(to / count));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => to / candidate <= count)!;
  // Rounded, so that 3 · 0.1 is written 0.3.
  return Array.from({ length: Math.floor(to / step + 1e-9) + 1 }, (_, i) =>
    Number((i * step).toPrecision(12)),
  );
}

export type Point = readonly [x: number, y: number];

export function path(points: readonly Point[]): string {
  return points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${places(x)} ${places(y)}`).join("");
}

const DASHES = [undefined, "7 4", "2 4", "9 3 2 3"] as const;
const MARKERS = ["circle", "square", "triangle", "diamond", "cross"] as const;

export function seriesLine(points: readonly Point[], index: number, className = "line"): Markup {
  return element("path", {
    class: className,
    d: path(points),
    "stroke-dasharray": DASHES[index % DASHES.length],
  });
}

/** A marker whose shape says the model even without colour. */
export function marker(x: number, y: number, index: number, title?: string, size = 4.5): Markup {
  return element(
    "path",
    { class: "dot", d: shapes[MARKERS[index % MARKERS.length]!](x, y, size) },
    hover(title),
  );
}

export const hover = (title: string | undefined) =>
  title === undefined ? null : element("title", {}, title);

const shapes: Readonly<Record<(typeof MARKERS)[number], (x: number, y: number, r: number) => string>> = {
  circle: (x, y, r) =>
    `M${places(x - r)} ${places(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`,
  square: (x, y, r) =>
    closed([
      [x - r * 0.9, y - r * 0.9],
      [x + r * 0.9, y - r * 0.9],
      [x + r * 0.9, y + r * 0.9],
      [x - r * 0.9, y + r * 0.9],
    ]),
  triangle: (x, y, r) =>
    closed([
      [x, y - r * 1.2],
      [x + r * 1.15, y + r * 0.8],
      [x - r * 1.15, y + r * 0.8],
    ]),
  diamond: (x, y, r) =>
    closed([
      [x, y - r * 1.3],
      [x + r * 1.1, y],
      [x, y + r * 1.3],
      [x - r * 1.1, y],
    ]),
  cross: (x, y, r) => {
    const [a, b] = [r * 0.35, r * 1.1];
    return closed([
      [x - a, y - b],
      [x + a, y - b],
      [x + a, y - a],
      [x + b, y - a],
      [x + b, y + a],
      [x + a, y + a],
      [x + a, y + b],
      [x - a, y + b],
      [x - a, y + a],
      [x - b, y + a],
      [x - b, y - a],
      [x - a, y - a],
    ]);
  },
};

const closed = (points: readonly Point[]) => `${path(points)}Z`;
const places = (value: number) => Math.round(value * 100) / 100 + 0;

export function text(x: number, y: number, content: string, attributes: Attributes = {}): Markup {
  return element("text", { x, y, ...attributes }, content);
}

/** Text of at most `length` characters; what was cut off is shown on hover. */
export function fitted(
  x: number,
  y: number,
  content: string,
  length: number,
  attributes: Attributes = {},
): Markup {
  const shown = shortened(content, length);
  return element("text", { x, y, ...attributes }, shown, shown === content ? null : hover(content));
}

/** Two labels nearer than this would touch. */
const LINE_HEIGHT = 14;

/** The start of an axis of shares: 0, or the next quarter below a scaled share that is worse than a guess. */
export const leastShare = (shares: readonly number[]): number => {
  const least = Math.min(0, ...shares);
  // Rounding in the last digit is no quarter.
  return Math.floor(4 * least + 1e-9) / 4;
};

/**
 * The frame of shares: rules at 0, 50 and 100 %, at `least` where that is below 0, and a dotted one at `guess`, a uniform
 * guess, where that is above 0; with labels where `labelled`. y maps a share to drawing units.
 */
export function shareAxis(
  left: number,
  right: number,
  y: (share: number) => number,
  {
    labelled = true,
    guess = 0,
    least = 0,
  }: { readonly labelled?: boolean; readonly guess?: number; readonly least?: number } = {},
): Markup[] {
  const rule = (share: number, name: string) =>
    element("line", { class: name, x1: left, x2: right, y1: y(share), y2: y(share) });
  const label = (share: number, content: string) =>
    text(left - 7, y(share) + 4, content, { class: "muted small", "text-anchor": "end" });
  const percent = (share: number) => `${signed(share * 100, 0)}${share === 1 ? "\u00A0%" : ""}`;
  const shares = [...(least < 0 ? [least] : []), 0, 0.5, 1];
  const free = shares.filter((share) => guess <= 0 || Math.abs(y(share) - y(guess)) >= LINE_HEIGHT);
  return [
    ...shares.map((share) => rule(share, "rule")),
    ...(guess > 0 ? [rule(guess, "guess")] : []),
    ...(labelled ? free.map((share) => label(share, percent(share))) : []),
    ...(labelled && guess > 0 ? [label(guess, "guess")] : []),
  ];
}

export interface EndLabel {
  readonly text: string;
  readonly y: number;
  readonly className: string;
}

// A letter of the widest font that the page may be shown in (DejaVu Sans, where a Linux has no other).
const [LEAST_LETTERS, MOST_LETTERS, LETTER_WIDTH, LABEL_GAP] = [16, 28, 7, 22];
/** Letters of the longest label at the end of a line. */
const lettersOf = (labels: readonly string[]) =>
  Math.max(LEAST_LETTERS, ...labels.map(({ length }) => Math.min(length, MOST_LETTERS)));

/** The end of lines in a figure of this width, so that their labels fit. */
export function endOfLines(width: number, labels: readonly string[]): number {
  return Math.round(width - LABEL_GAP - lettersOf(labels) * LETTER_WIDTH);
}

/**
 * Labels at the ends of lines, moved apart so that none covers another, each with a leader from its line.
 * `from` is where the lines end, `at` where the labels start; `top` and `bottom` bound their baselines.
 */
export function endLabels(
  labels: readonly EndLabel[],
  from: number,
  at: number,
  top: number,
  bottom: number,
): Markup[] {
  const letters = lettersOf(labels.map((label) => label.text));
  const sorted = labels.toSorted((a, b) => a.y - b.y);
  const placed: number[] = [];
  for (const { y } of sorted)
    placed.push(Math.max(y, top, (placed.at(-1) ?? Number.NEGATIVE_INFINITY) + LINE_HEIGHT));
  for (let i = placed.length - 1, limit = bottom; i >= 0; i--, limit -= LINE_HEIGHT)
    placed[i] = Math.min(placed[i]!, limit);
  return sorted.map((label, i) =>
    element(
      "g",
      { class: label.className },
      element("path", {
        class: "leader",
        d: path([
          [from, label.y],
          [at - 3, placed[i]!],
        ]),
      }),
      fitted(at, placed[i]! + 4, label.text, letters),
    ),
  );
}

/** The <svg> of a figure; `description` is its text for screen readers. A broad figure keeps its size on a phone and scrolls. */
export function figureFrame(
  [width, height]: readonly [width: number, height: number],
  description: string,
  ...content: Child[]
): Markup {
  return element(
    "svg",
    {
      class: width > BROAD ? "fig broad" : "fig",
      viewBox: `0 0 ${width} ${height}`,
      role: "img",
      "aria-label": description,
    },
    content,
  );
}

const BROAD = 500;

/** A small label centered at x: a tick, or the name of an axis. */
export const tickLabel = (x: number, y: number, content: string) =>
  text(x, y, content, { class: "muted small", "text-anchor": "middle" });

/** A rule across with its label at the left. */
export const levelRule = (left: number, right: number, y: number, label: string) => [
  element("line", { class: "rule", x1: left, x2: right, y1: y, y2: y }),
  text(left - 7, y + 4, label, { class: "muted small", "text-anchor": "end" }),
];

export const heading = (title: string) => fitted(4, 16, title, 52, { class: "name" });
