/**
 * @file What a run was trained on: of the shapes in its curriculum those of the stages that it came to.
 *
 *     stage { length: [1, 3], spacing: [2, 4] }     has programs of length 2 and of [2, 3]; of spacing 4, and not of spacing 3
 */

import { isDeepStrictEqual } from "node:util";
import { LabError } from "../../core/error.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { taskNamed, taskParams } from "../../tasks/index.ts";

type Taught = Pick<RunConfig, "task" | "curriculum">;
type Change = Readonly<Record<string, unknown>>;

/** Options of tasks of which two numbers are a range that each program draws from, `[least, most]`. */
export const RANGES: ReadonlySet<string> = new Set([
  "length",
  "commands",
  "pairs",
  "items",
  "lines",
  "conditions",
  "calls",
  "distance",
  "gap",
  "questions",
  "budget",
  "step",
]);

/** Options of tasks of which each program draws one of those listed. */
export const CHOICES: ReadonlySet<string> = new Set(["spacing", "pauses"]);

/** Whether programs of this shape are in the curriculum. */
export function isTaught(run: Taught, change: Change): boolean {
  return firstStage(run, change) !== -1;
}

/** The test as trained only where the run came to the first stage that has programs of its shape. Stages count from 0. */
export function cameTo<Test extends { readonly change: Change; readonly asTrained: boolean }>(
  run: Taught,
  test: Test,
  stage: number,
): Test {
  return firstStage(run, test.change) > stage ? { ...test, asTrained: false } : test;
}

/**
 * What of the stages up to `stage` (from 0) has the fewest commands to a reveal: by these it is judged whether a run has learned. All
 * changes where the task has no spacing. A list of spacings counts as its least.
 */
export function densestTaught({ task, curriculum }: Taught, stage: number): Change[] {
  const taught = curriculum.stages.slice(0, stage + 1).flatMap((changes) =>
    changes.map((change) => {
      const { spacing } = shapeOf(task, change);
      const least = Math.min(...[spacing ?? 0].flat().map(Number));
      return { least, change: Array.isArray(spacing) ? { ...change, spacing: least } : change };
    }),
  );
  const least = Math.min(...taught.map((each) => each.least));
  const densest = taught.filter((each) => each.least === least).map(({ change }) => change);
  return densest.filter((change, i) => densest.findIndex((each) => hasPrograms(task, each, change)) === i);
}

/** Whether a task with one change has the programs of a test with another. */
export const hasPrograms = (task: RunConfig["task"], taught: Change, asked: Change): boolean =>
  holds(shapeOf(task, taught), shapeOf(task, asked));

/** The first that has programs of this shape; -1 where none has. */
function firstStage({ task, curriculum }: Taught, change: Change): number {
  const asked = shapeOf(task, change);
  return curriculum.stages.findIndex((changes) => changes.some((each) => holds(shapeOf(task, each), asked)));
}

/** Every option of the task, those that are left out at their defaults. Of a task that no longer takes them, those that are said. */
function shapeOf(task: RunConfig["task"], change: Change): Change {
  const { name, ...params } = { ...task, ...change };
  try {
    return { name, ...(taskParams(taskNamed(task.name), params) as Change) };
  } catch (error) {
    if (error instanceof LabError) return { name, ...params };
    throw error;
  }
}

/** The same in every option, or one of what the stage draws it from. */
function holds(stage: Change, asked: Change): boolean {
  const names = [...new Set([...Object.keys(stage), ...Object.keys(asked)])];
  return names.every(
    (name) => isDeepStrictEqual(stage[name], asked[name]) || draws(name, stage[name], asked[name]),
  );
}

function draws(name: string, from: unknown, asked: unknown): boolean {
  const wanted = [asked].flat();
  if (!Array.isArray(from)) return false;
  if (CHOICES.has(name)) return wanted.every((each) => from.includes(each));
  if (!RANGES.has(name)) return false;
  const [least, most] = from;
  return wanted.every((each) => typeof each === "number" && least <= each && each <= most);
}
