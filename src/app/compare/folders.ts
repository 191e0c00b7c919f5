/** @file Runs by their folders, held against the first: the work of `statelab compare`. Nothing is written. */

import { fail } from "../../core/error.ts";
import { type Comparison, compare, type LeftOut, leftOut } from "./difference.ts";
import { type Contender, contendersIn } from "./load.ts";

export interface Compared {
  readonly contenders: readonly Contender[];
  /** Of every other contender with the first, one for each test. */
  readonly comparisons: readonly Comparison[];
  readonly left: readonly LeftOut[];
}

export async function compareFolders(folders: readonly string[]): Promise<Compared> {
  const contenders = (await Promise.all(folders.map(contendersIn))).flat();
  const [baseline, ...others] = contenders;
  if (others.length === 0) fail("compare", "at least two contenders", baseline.name, "Name another run");
  const comparisons = others.flatMap((other) => compare(baseline, other));
  return { contenders, comparisons, left: leftOut(contenders) };
}
