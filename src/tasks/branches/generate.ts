/**
 * @file Generates the body of an integer function with branches. Interval analysis bounds the possible values of each variable for all
 * arguments, and lines that would exceed the limits are rejected.
 *
 *     a in 0 .. 7
 *     a += 3              3 .. 10
 *     if a < 6:
 *         a %= 2          0 .. 1
 *                         0 .. 10, joined over both branches
 *
 * So the program is independent of the arguments and gives no information about them.
 */

import type { Rng } from "../../core/rng.ts";
import type { Code, Line } from "./syntax.ts";

/** Lowest and highest possible value. */
export type Range = readonly [least: number, most: number];
export type Ranges = Readonly<Record<string, Range>>;

export const updateKinds = ["invertible", "lossy", "both"] as const;
export type UpdateKind = (typeof updateKinds)[number];

export interface Bounds {
  readonly least: number;
  readonly most: number;
  /** `+=` and `-=` change by 1 up to this. */
  readonly mostStep: number;
}

/** The divisors of `%=`. */
const DIVISORS = [2, 3, 4] as const;

const invertible = ["+=", "-=", "swap"] as const;
const lossy = ["%=", "//=", "="] as const;
type Op = (typeof invertible)[number] | (typeof lossy)[number];

const drawnFrom = <Item>(rng: Rng, items: readonly Item[]): Item => items[rng.below(items.length)];

/** After so many rejected lines, another program is drawn. */
const MOST_DRAWS = 40;

/** A line that changes one or two variables, and the resulting bounds; undefined if none fits. */
export function drawUpdate(
  rng: Rng,
  ranges: Ranges,
  kind: UpdateKind,
  { least, most, mostStep }: Bounds,
): Drawn | undefined {
  const names = Object.keys(ranges);
  const ops: readonly Op[] =
    kind === "both" ? [...invertible, ...lossy] : kind === "lossy" ? lossy : invertible;
  for (let draws = 0; draws < MOST_DRAWS; draws++) {
    const op = drawnFrom(rng, ops);
    const target = drawnFrom(rng, names);
    const [low, high] = ranges[target];
    if (op === "swap" || op === "=") {
      if (names.length < 2) continue;
      const other = drawnFrom(
        rng,
        names.filter((name) => name !== target),
      );
      if (op === "=")
        return { code: { op, target, operand: other }, ranges: { ...ranges, [target]: ranges[other] } };
      const [first, second] =
        names.indexOf(target) < names.indexOf(other) ? [target, other] : [other, target];
      const swapped = { [first]: ranges[second], [second]: ranges[first] };
      return { code: { op, target: first, other: second }, ranges: { ...ranges, ...swapped } };
    }
    const operand = op === "//=" ? 2 : op === "%=" ? drawnFrom(rng, DIVISORS) : 1 + rng.below(mostStep);
    const range = after[op](low, high, operand);
    if (range[0] < least || range[1] > most) continue;
    return { code: { op, target, operand }, ranges: { ...ranges, [target]: range } };
  }
  return undefined;
}

export interface Drawn {
  readonly code: Code;
  readonly ranges: Ranges;
}

const after: Record<"+=" | "-=" | "%=" | "//=", (low: number, high: number, by: number) => Range> = {
  "+=": (low, high, by) => [low + by, high + by],
  "-=": (low, high, by) => [low - by, high - by],
  "%=": (low, high, by) => (low >= 0 && high < by ? [low, high] : [0, by - 1]),
  "//=": (low, high, by) => [Math.floor(low / by), Math.floor(high / by)],
};

/** The join of the bounds of two branches. */
export function either(one: Ranges, other: Ranges): Ranges {
  return Object.fromEntries(
    Object.entries(one).map(([name, [low, high]]) => [
      name,
      [Math.min(low, other[name][0]), Math.max(high, other[name][1])] as const,
    ]),
  );
}

/** A variable and a threshold such that both outcomes are possible; undefined if every variable is constant. */
function drawCondition(rng: Rng, ranges: Ranges): Extract<Code, { op: "if" }> | undefined {
  const open = Object.keys(ranges).filter((name) => ranges[name][0] < ranges[name][1]);
  if (open.length === 0) return undefined;
  const variable = drawnFrom(rng, open);
  const [low, high] = ranges[variable];
  return { op: "if", variable, below: low + 1 + rng.below(high - low) };
}

/** Draws one line, of any kind that the task allows. */
export type DrawLine = (rng: Rng, ranges: Ranges) => Drawn | undefined;

/** A condition and its body: one line, or one and one under `else`; undefined if none fits. */
export function drawBranch(
  rng: Rng,
  ranges: Ranges,
  indent: number,
  draw: DrawLine,
): { lines: Line[]; ranges: Ranges } | undefined {
  const condition = drawCondition(rng, ranges);
  if (condition === undefined) return undefined;
  const taken = draw(rng, ranges);
  if (taken === undefined) return undefined;
  const lines: Line[] = [
    { ...condition, indent },
    { ...taken.code, indent: indent + 1 },
  ];
  if (rng.below(2) === 0) return { lines, ranges: either(taken.ranges, ranges) };
  const other = draw(rng, ranges);
  if (other === undefined) return undefined;
  lines.push({ op: "else", indent }, { ...other.code, indent: indent + 1 });
  return { lines, ranges: either(taken.ranges, other.ranges) };
}
