/** @file What a run was trained on: of the shapes in its curriculum those of the stages that it came to. */

import { isDeepStrictEqual } from "node:util";
import type { RunConfig } from "../../records/run.ts";

/** The test as trained only where the run came to the first stage that has programs of its shape. Stages count from 0. */
export function cameTo<
  Test extends { readonly change: Readonly<Record<string, unknown>>; readonly asTrained: boolean },
>({ task, curriculum }: Pick<RunConfig, "task" | "curriculum">, test: Test, stage: number): Test {
  const first = curriculum.stages.findIndex((changes) =>
    changes.some((change) => holds({ ...task, ...change }, { ...task, ...test.change })),
  );
  return first > stage ? { ...test, asTrained: false } : test;
}

type Shape = Readonly<Record<string, unknown>>;

/** The same in every field, or within it where a stage draws from a range: `length: [1, 3]` has programs of `length: 2`. */
function holds(stage: Shape, asked: Shape): boolean {
  const names = new Set([...Object.keys(stage), ...Object.keys(asked)]);
  return [...names].every(
    (name) => isDeepStrictEqual(stage[name], asked[name]) || isWithin(stage[name], asked[name]),
  );
}

function isWithin(range: unknown, asked: unknown): boolean {
  if (!Array.isArray(range) || range.length !== 2) return false;
  const [least, most] = range;
  return [asked].flat().every((each) => typeof each === "number" && least <= each && each <= most);
}

/** Whether programs of this shape are in the curriculum. */
export function isTaught(
  { task, curriculum }: Pick<RunConfig, "task" | "curriculum">,
  change: Readonly<Record<string, unknown>>,
): boolean {
  const shape = { ...task, ...change };
  return curriculum.stages.flat().some((each) => isDeepStrictEqual({ ...task, ...each }, shape));
}
