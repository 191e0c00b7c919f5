/**
 * @file Every bench, by name. To add one: write its file, its test, and one line here. A published benchmark of Python
 * functions is one of src/trace/benchmarks instead, and every task is a bench under its own name.
 */

import { fail } from "../../records/error.ts";
import { suggest } from "../../records/nearest.ts";
import { type TaskName, taskNamed, tasks } from "../../tasks/index.ts";
import type { Bench } from "../question.ts";
import { debuggerBench } from "./debugger.ts";
import { faultBlocks } from "./fault-blocks.ts";
import { functionBenches, layoutBenches } from "./functions.ts";
import { lineStates } from "./line-states.ts";
import { arithmetic, parity, permutation, repl } from "./programs.ts";
import { reveals } from "./reveals.ts";
import { s5 } from "./s5.ts";
import { taskBench } from "./task-bench.ts";

export const benches = {
  ...functionBenches,
  ...layoutBenches,
  arithmetic,
  debugger: debuggerBench,
  "fault-blocks": faultBlocks,
  "line-states": lineStates,
  parity,
  permutation,
  repl,
  reveals,
  s5,
};
export type BenchName = keyof typeof benches;

/** What `--bench` takes: the benches, and the tasks whose names are no bench's. */
export const benchNames = [...new Set([...Object.keys(benches), ...Object.keys(tasks)])];

/** A bench, or else the task of that name. @throws LabError listing the names there are. */
export function benchNamed(name: string): Bench {
  // A bench takes exactly what its own schema gives.
  if (Object.hasOwn(benches, name)) return benches[name as BenchName] as unknown as Bench;
  if (Object.hasOwn(tasks, name)) return taskBench(taskNamed(name as TaskName));
  return fail("--bench", "the name of a bench", name, suggest(name, benchNames));
}
