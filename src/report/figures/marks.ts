/** @file The marks that figures share: scales, series that differ in colour, dash and marker at once, axes, labels at line ends. */

import { shortened, signed } from "../../core/format.ts";
import { type Attributes, type Child, element, type Markup } from "../svg.ts";
import { seriesClass } from "../theme.ts";

/** Maps [from, to] onto [start, end]. A domain of one point maps to the start. */
export function linear(from: number, to: number, start: number, end: number): (value: number) => number {
  const scale = to === from ? 0 : (end - start) / (to - from);
  return (value) => start + (value - from) * scale;
}

/** The multiple of 1, 2 or 5 times a power of ten that divides `width` into at most `count` steps. */
function tickStep(width: number, count: number): number {
  const power = 10 ** Math.floor(Math.log10(width / count));
  return [1, 2, 5, 10, 20].map((factor) => factor * power).find((step) => width / step <= count)!;
}

/** Multiples `first` to `last` of a step; rounded, so that 3 · 0.1 is written 0.3. */
const multiples = (step: number, first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));

/** Multiples of 1, 2 or 5 times a power of ten in [0, to], at most `count` steps. */
export function ticks(to: number, count: number): number[] {
  const step = tickStep(to, count);
  return multiples(step, 0, Math.floor(to / step + 1e-9));
}

/** Round numbers, at most `count` steps apart, the outer ones at or beyond both ends; 0 is among them if it is between the ends. */
export function ticksBetween(from: number, to: number, count: number): number[] {
  const step = tickStep(to - from || 1, count);
  const first = Math.floor(from / step + 1e-9);
  return multiples(step, first, Math.max(first + 1, Math.ceil(to / step - 1e-9)));
}

export type Point = readonly [x: number, y: number];

export function path(points: readonly Point[]): string {
  return points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${places(x)} ${places(y)}`).join("");
}

/** The area between a line and the height `base`. */
export const areaTo = (base: number, line: readonly Point[]): string =>
  `${path([[line[0]![0], base], ...line, [line.at(-1)![0], base]])}Z`;

const places = (value: number) => Math.round(value * 100) / 100 + 0;

const DASHES = [undefined, "7 4", "2 4", "9 3 2 3"] as const;

export function seriesLine(points: readonly Point[], index: number, className = "line"): Markup {
  return element("path", {
    class: className,
    d: path(points),
    "stroke-dasharray": DASHES[index % DASHES.length],
  });
}

/** Corners of the markers in units of their size, x and y in turn; the first marker is a circle. */
const CORNERS = [
  "",
  "-.9 -.9 .9 -.9 .9 .9 -.9 .9",
  "0 -1.2 1.15 .8 -1.15 .8",
  "0 -1.3 1.1 0 0 1.3 -1.1 0",
  "-.35 -1.1 .35 -1.1 .35 -.35 1.1 -.35 1.1 .35 .35 .35 .35 1.1 -.35 1.1 -.35 .35 -1.1 .35 -1.1 -.35 -.35 -.35",
].map((text) => (text.match(/\S+/g) ?? []).map(Number));

/** A marker whose shape says the model even without colour. */
export function marker(x: number, y: number, index: number, title?: string, size = 4.5): Markup {
  const corners = CORNERS[index % CORNERS.length]!;
  const outline = Array.from({ length: corners.length / 2 }, (_, i): Point => {
    return [x + size * corners[2 * i]!, y + size * corners[2 * i + 1]!];
  });
  const arc = `a${size} ${size} 0 1 0`;
  const circle = `M${places(x - size)} ${places(y)}${arc} ${2 * size} 0${arc} ${-2 * size} 0Z`;
  return element(
    "path",
    { class: "dot", d: outline.length === 0 ? circle : `${path(outline)}Z` },
    hover(title),
  );
}

export const hover = (title: string | undefined) =>
  title === undefined ? null : element("title", {}, title);

/** A straight line; horizontal without `y2`. */
export const straight = (className: string, x1: number, x2: number, y1: number, y2 = y1): Markup =>
  element("line", { class: className, x1, x2, y1, y2 });

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const rectangle = (className: string, box: Box, title?: string, more: Attributes = {}): Markup =>
  element("rect", { class: className, ...box, ...more }, hover(title));

export const circle = (
  className: string,
  ...[cx, cy, r, title, more = {}]: [cx: number, cy: number, r: number, title?: string, more?: Attributes]
): Markup => element("circle", { class: className, cx, cy, r, ...more }, hover(title));

/** Everything in it has the color of that series. */
export const series = (index: number, ...content: Child[]): Markup =>
  element("g", { class: seriesClass(index) }, content);

/** A number in [0, 1] as an opacity, to three digits. */
export const opacity = (depth: number) => ({ "fill-opacity": Math.round(depth * 1000) / 1000 });

export function text(x: number, y: number, content: string, attributes: Attributes = {}): Markup {
  return element("text", { x, y, ...attributes }, content);
}

/** Text centered at x. */
export const centered = (x: number, y: number, content: string, className: string): Markup =>
  text(x, y, content, { class: className, "text-anchor": "middle" });

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
  const label = (share: number, content: string) =>
    text(left - 7, y(share) + 4, content, { class: "muted small", "text-anchor": "end" });
  const percent = (share: number) => `${signed(share * 100, 0)}${share === 1 ? "\u00A0%" : ""}`;
  const shares = [...(least < 0 ? [least] : []), 0, 0.5, 1];
  const free = shares.filter((share) => guess <= 0 || Math.abs(y(share) - y(guess)) >= LINE_HEIGHT);
  return [
    ...shares.map((share) => straight("rule", left, right, y(share))),
    ...(guess > 0 ? [straight("guess", left, right, y(guess))] : []),
    ...(labelled ? free.map((share) => label(share, percent(share))) : []),
    ...(labelled && guess > 0 ? [label(guess, "chance")] : []),
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
  return sorted.map(({ text: label, y, className }, i) => {
    const [start, end]: Point[] = [
      [from, y],
      [at - 3, placed[i]!],
    ];
    return element(
      "g",
      { class: className },
      element("path", { class: "leader", d: path([start!, end!]) }),
      fitted(at, placed[i]! + 4, label, letters),
    );
  });
}

/** The <svg> of a figure; `description` is its text for screen readers. A broad figure keeps its size on a phone and scrolls. */
export function figureFrame(
  [width, height]: readonly [width: number, height: number],
  description: string,
  ...content: Child[]
): Markup {
  const viewBox = `0 0 ${width} ${height}`;
  const name = width > BROAD ? "fig broad" : "fig";
  return element("svg", { class: name, viewBox, role: "img", "aria-label": description }, content);
}

const BROAD = 500;

/** A small label centered at x: a tick, or the name of an axis. */
export const tickLabel = (x: number, y: number, content: string) => centered(x, y, content, "muted small");

/** The labels below a plot: its ticks, and the name of the axis. */
export const bottomAxis = (
  [left, right, bottom]: readonly [left: number, right: number, bottom: number],
  labels: readonly (readonly [x: number, content: string])[],
  name: string,
): Markup[] => [
  ...labels.map(([x, content]) => tickLabel(x, bottom + 17, content)),
  tickLabel((left + right) / 2, bottom + 36, name),
];

/** A rule across with its label at the left. */
export const levelRule = (left: number, right: number, y: number, label: string) => [
  straight("rule", left, right, y),
  text(left - 7, y + 4, label, { class: "muted small", "text-anchor": "end" }),
];

export const heading = (title: string) => fitted(4, 16, title, 52, { class: "name" });

/** A heading with a line of text below it. */
export const headings = (title: string, about: string) => [
  heading(title),
  fitted(4, 34, about, 64, { class: "muted small" }),
];
