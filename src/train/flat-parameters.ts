/** @file Parameters in one array, with a view for each path: what an optimizer goes over, and what a graph is fed. */

import { fail } from "../core/error.ts";
import { flattenParameters, type ParameterTree } from "../tensor/index.ts";
import type { ParameterRange, Trained } from "./optimizers/optimizer.ts";

type Numbers = Readonly<Record<string, Float32Array<ArrayBuffer>>>;

export interface FlatParameters extends Trained {
  /** Path -> its part of an array that is as long as all parameters; live. */
  views(array: Float32Array<ArrayBuffer>): Numbers;
}

/** Those of a tree whose paths `of` takes; all of them where it is not said. */
export function flatten(tree: ParameterTree, of: (path: string) => boolean = () => true): FlatParameters {
  const entries = flattenParameters(tree).filter(([path]) => of(path));
  const ranges: ParameterRange[] = [];
  let next = 0;
  for (const [path, { shape, data }] of entries) {
    ranges.push({ path, shape, start: next, end: next + data.length });
    next += data.length;
  }
  const values = new Float32Array(next);
  for (const [i, [, { data }]] of entries.entries()) values.set(data, ranges[i].start);
  return {
    values,
    ranges,
    views: (array) =>
      Object.fromEntries(ranges.map(({ path, start, end }) => [path, array.subarray(start, end)])),
  };
}

/** Copies what was saved over what is there. @throws LabError of kind "corrupt" where a length is not the same. */
export function load(target: Numbers, saved: Readonly<Record<string, Float32Array>>): void {
  for (const [path, numbers] of Object.entries(target)) {
    if (saved[path]?.length !== numbers.length) {
      const got = saved[path]?.length ?? "nothing";
      fail("checkpoint", `${numbers.length} numbers for ${path}`, got, undefined, "corrupt");
    }
    numbers.set(saved[path]);
  }
}
