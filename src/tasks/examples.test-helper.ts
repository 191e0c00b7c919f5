/** @file The first examples that a task makes, for tests. */

import { type Example, exampleFrom, exampleStream, prepareTask, type Task } from "./index.ts";

export function drawExamples<Params>(
  task: Task<Params>,
  params: unknown,
  count: number,
  seed = 3,
): Example[] {
  const prepared = prepareTask(task, params);
  return Array.from({ length: count }, (_, i) => exampleFrom(prepared, exampleStream(seed, "train")(i)));
}
