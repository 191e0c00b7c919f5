/**
 * @file How long an example is: a number, or a range from which each example draws.
 *
 *     length: 40          every example
 *     length: [3, 40]     3, 4, ... or 40, all equally likely
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import type { Rng } from "../core/rng.ts";

const Positive = z.int().min(1).max(1_000_000);

export const Length = z.union([Positive, z.tuple([Positive, Positive])]);
export type Length = z.infer<typeof Length>;

export interface LengthRange {
  readonly least: number;
  readonly most: number;
}

/** @throws LabError, beginning with `at`, for a range that ends before it begins. */
export function lengthRange(length: Length, at: string): LengthRange {
  const [least, most] = typeof length === "number" ? [length, length] : length;
  if (least > most) fail(at, "a range of lengths [least, most]", length);
  return { least, most };
}

export function drawLength({ least, most }: LengthRange, rng: Rng): number {
  return least + rng.below(most - least + 1);
}

/** Like `drawLength`, but a fixed number consumes no draw: for newer options, so that existing texts stay the same. */
export const drawIfSeveral = (range: LengthRange, rng: Rng): number =>
  range.least === range.most ? range.most : drawLength(range, rng);
