/** @file Two groups of runs held against each other, as `statelab compare` does: for each test the difference and its interval. */

import { fail } from "../../core/error.ts";
import { type Comparison, compare, type LeftOut, leftOut } from "../compare/difference.ts";
import { type Contender, contendersIn } from "../compare/load.ts";
import { runGroup } from "./groups.ts";
import { runsNamed } from "./runs.ts";

export interface Versus {
  readonly comparisons: readonly Comparison[];
  readonly left: readonly LeftOut[];
}

/** undefined where there is no such group. Errors: LabError where they have no test, task or seed in common, or were asked nothing. */
export async function versus(folder: string, names: readonly [string, string]): Promise<Versus | undefined> {
  const runs = await runsNamed(folder);
  const sides: Contender[] = [];
  for (const name of names) {
    const own = [...runs].filter(([each]) => runGroup(each) === name);
    if (own.length === 0) return undefined;
    const found = await Promise.all(own.map(([, path]) => contendersIn(path)));
    sides.push({ name, runs: found.flat().flatMap((each) => each.runs) });
  }
  const [baseline, contender] = sides;
  if (baseline.name === contender.name) fail("compare", "two groups of runs", baseline.name);
  return { comparisons: compare(baseline, contender), left: leftOut(sides) };
}
