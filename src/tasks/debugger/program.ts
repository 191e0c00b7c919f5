/**
 * @file Programs for the debugger task: a function of two or three integers, with branches, and at most one call of another one.
 *
 *     def g(x):               called once, or missing
 *         x += 3
 *         x %= 2
 *         return x
 *     def f(a, b):
 *         a += 2
 *         if b < 5:
 *             a, b = b, a
 *         a = g(b)
 *         return a
 */

import type { Rng } from "../../core/rng.ts";
import { drawBranch, drawUpdate, type Ranges, type UpdateKind } from "../branches/generate.ts";
import type { Code, Line } from "../branches/syntax.ts";
import { drawLength, type LengthRange } from "../length.ts";
import { VARIABLES } from "../repl/vocabulary.ts";

export interface ProgramForm {
  readonly variables: number;
  /** Arguments are 0 .. starts - 1. */
  readonly starts: number;
  /** Values are 0 .. numbers - 1. */
  readonly numbers: number;
  /** Lines of f between its first and its last. */
  readonly lines: LengthRange;
  readonly branches: number;
  readonly calls: boolean;
  readonly updates: UpdateKind;
}

/** Number of lines of g. */
export const HELPER_LINES = 4;
export const HELPER_VARIABLE = "x";

export function drawDebugged(rng: Rng, form: ProgramForm): Line[] {
  for (;;) {
    const lines = drawOnce(rng, form);
    if (lines !== undefined) return lines;
  }
}

/** undefined if no line fits the bounds. */
function drawOnce(
  rng: Rng,
  { variables, starts, numbers, lines, branches, calls, updates }: ProgramForm,
): Line[] | undefined {
  const names = VARIABLES.slice(0, variables);
  const bounds = { least: 0, most: numbers - 1, mostStep: 3 };
  const draw = (from: Rng, ranges: Ranges) => drawUpdate(from, ranges, updates, bounds);
  const count = drawLength(lines, rng);
  const helperAt = calls ? rng.below(count) : -1; // the index of the call, if any
  let ranges: Ranges = Object.fromEntries(names.map((name) => [name, [0, starts - 1] as const]));
  let helper: Line[] = [];
  let branchesLeft = branches;
  const body: Line[] = [];
  while (body.length < count) {
    const left = count - body.length;
    if (helper.length === 0 && helperAt >= 0 && body.length >= helperAt) {
      const target = names[rng.below(variables)];
      const argument = updates === "invertible" ? target : names[rng.below(variables)];
      const drawn = drawHelper(rng, ranges[argument], draw);
      if (drawn === undefined) return undefined;
      helper = drawn.lines;
      body.push({ op: "call", target, function: "g", argument, indent: 1 });
      ranges = { ...ranges, [target]: drawn.ranges[HELPER_VARIABLE] };
    } else if (branchesLeft > 0 && left >= 2 && rng.below(2) === 0) {
      const drawn = drawBranch(rng, ranges, 1, draw);
      if (drawn === undefined || drawn.lines.length > left) return undefined;
      body.push(...drawn.lines);
      ranges = drawn.ranges;
      branchesLeft--;
    } else {
      const drawn = draw(rng, ranges);
      if (drawn === undefined) return undefined;
      body.push({ ...drawn.code, indent: 1 });
      ranges = drawn.ranges;
    }
  }
  const head: Code = { op: "def", name: "f", parameters: names };
  const end: Code = { op: "return", variable: names[rng.below(variables)] };
  return [...helper, { ...head, indent: 0 }, ...body, { ...end, indent: 1 }];
}

function drawHelper(
  rng: Rng,
  range: Ranges[string],
  draw: (rng: Rng, ranges: Ranges) => ReturnType<typeof drawUpdate>,
) {
  const first = draw(rng, { [HELPER_VARIABLE]: range });
  const second = first && draw(rng, first.ranges);
  if (second === undefined) return undefined;
  const head: Code = { op: "def", name: "g", parameters: [HELPER_VARIABLE] };
  const end: Code = { op: "return", variable: HELPER_VARIABLE };
  const lines: Line[] = [
    { ...head, indent: 0 },
    { ...first!.code, indent: 1 }, // there are at least two
    { ...second.code, indent: 1 },
    { ...end, indent: 1 },
  ];
  return { lines, ranges: second.ranges };
}
