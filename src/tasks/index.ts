/** @file Every task, by name. To add a task: write its file, its test, and one line here. */

import { fail } from "../records/error.ts";
import { repl } from "./repl.ts";
import type { Prepared, Task } from "./task.ts";

export const tasks = { repl };
export type TaskName = keyof typeof tasks;

export { type Batch, type BatchWriter, batchWriter, emptyBatch, type Loss, maximumLength } from "./batch.ts";
export { exampleFrom, wordsFrom } from "./example.ts";
export { contentHash } from "./hash.ts";
export { type ExampleStream, exampleStream } from "./stream.ts";
export {
  defineTask,
  type Example,
  type Prepared,
  type Reveal,
  type Sink,
  type StateAt,
  type Task,
} from "./task.ts";
export {
  characterTokenizer,
  huggingFaceConfig,
  type Tokenizer,
  toHuggingFace,
  tokenizerNamed,
  wordTokenizer,
} from "./tokenizer.ts";

/** @throws LabError listing the names there are. */
export function taskNamed(name: string): Task<unknown> {
  // A task takes exactly what its own schema gives; `prepareTask` keeps the two together.
  if (Object.hasOwn(tasks, name)) return tasks[name as TaskName] as unknown as Task<unknown>;
  return fail(
    "taskNamed",
    `one of ${Object.keys(tasks).join(", ")}`,
    name,
    "Tasks are listed in src/tasks/index.ts",
  );
}

/**
 * Fixes a task's parameters, given as data: what is left out takes its default, what is unknown is refused.
 * @throws LabError in one sentence naming the parameter.
 */
export function prepareTask<Params>(task: Task<Params>, params: unknown): Prepared {
  return task.prepare(taskParams(task, params));
}

/** The parameters with every default filled in. @throws LabError in one sentence naming the parameter. */
export function taskParams<Params>(task: Task<Params>, params: unknown): Params {
  const parsed = task.params.safeParse(params);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const at = [task.name, ...issue.path].join(".");
  if (issue.code === "unrecognized_keys")
    return fail(at, "only known parameters", issue.keys, knownParameters(task));
  const got = issue.path.reduce<unknown>((value, key) => Object(value)[key], params);
  // Zod says "Too small: expected number to be >=1" or "Invalid input: expected int, received string".
  const expected = issue.message.replace(/^.*?: expected /, "").replace(/, received .*$/, "");
  return fail(at, expected, got);
}

function knownParameters<Params>(task: Task<Params>): string | undefined {
  const shape = (task.params as { readonly shape?: object }).shape; // a strict object has one; another schema need not
  return shape === undefined ? undefined : `There are ${Object.keys(shape).join(", ")}`;
}
