/** @file The registry of tasks. To add a task: write its file, its test, and one line here. */

import { suggest } from "../core/did-you-mean.ts";
import { fail } from "../core/error.ts";
import { parseWith } from "../core/settings.ts";
import { activeReveals } from "./active-reveals.ts";
import { api } from "./api.ts";
import { arithmeticProgram } from "./arithmetic-program.ts";
import { asserts } from "./asserts.ts";
import { automaton } from "./automaton.ts";
import { branches } from "./branches.ts";
import { cells } from "./cells.ts";
import { debuggerTask } from "./debugger.ts";
import { dyck } from "./dyck.ts";
import { groupWords } from "./group-words.ts";
import { listPermutation } from "./list-permutation.ts";
import { modularArithmetic } from "./modular-arithmetic.ts";
import { mqar } from "./mqar.ts";
import { opaque } from "./opaque.ts";
import { parity } from "./parity.ts";
import { parityProgram } from "./parity-program.ts";
import { pfsa } from "./pfsa.ts";
import { recall } from "./recall.ts";
import { repl } from "./repl.ts";
import { selectiveCopy } from "./selective-copy.ts";
import { stateRecall } from "./state-recall.ts";
import { stutter } from "./stutter.ts";
import type { Prepared, Task } from "./task.ts";
import { timeTravel } from "./time-travel.ts";
import { tomita } from "./tomita.ts";

export { exampleStream } from "../core/rng.ts";
export type { Batch } from "./batch/rows.ts";
export { batchWriter, emptyBatch, maximumLength } from "./batch.ts";
export { exampleFrom } from "./example.ts";
export { exactBayes, windowedBayes } from "./repl/bayes.ts";
export { readProgram } from "./repl/parser.ts";
export { replReferences } from "./repl.ts";
export { defineTask, type Example, type InWords, type Prepared, type Sink, type Task } from "./task.ts";
export { inWords, lastAssertion, lastReveal, stateAfter } from "./task-prompt.ts";
export {
  huggingFaceConfig,
  type Tokenizer,
  toHuggingFace,
  tokenizerNamed,
} from "./tokenizer.ts";

export const tasks = {
  repl,
  asserts,
  "group-words": groupWords,
  parity,
  "modular-arithmetic": modularArithmetic,
  recall,
  "state-recall": stateRecall,
  "time-travel": timeTravel,
  mqar,
  "selective-copy": selectiveCopy,
  tomita,
  dyck,
  pfsa,
  automaton,
  stutter,
  opaque,
  "parity-program": parityProgram,
  "list-permutation": listPermutation,
  "arithmetic-program": arithmeticProgram,
  cells,
  debugger: debuggerTask,
  branches,
  api,
  "active-reveals": activeReveals,
};
export type TaskName = keyof typeof tasks;

/** @throws LabError listing the registered names. */
export function taskNamed(name: string): Task<unknown> {
  // A task accepts exactly the output of its schema; `prepareTask` keeps the two together.
  if (Object.hasOwn(tasks, name)) return tasks[name as TaskName] as unknown as Task<unknown>;
  return fail(
    "task",
    "the name of a task",
    name,
    suggest(name, Object.keys(tasks), "See statelab list tasks"),
  );
}

/**
 * Parses a task's parameters, with defaults; unknown parameters are refused.
 * @throws LabError in one sentence naming the parameter.
 */
export function prepareTask<Params>(task: Task<Params>, params: unknown): Prepared {
  return task.prepare(taskParams(task, params));
}

/** The parameters with every default filled in. @throws LabError in one sentence naming the parameter. */
export function taskParams<Params>(task: Task<Params>, params: unknown): Params {
  return parseWith(task.params, params, task.name);
}
