/**
 * @file Every bench, by name. To add one: write its file, its test, and one line here. A published benchmark of Python
 * functions is one of src/python/benchmarks instead, and every task is a bench under its own name.
 */

import { suggest } from "../../core/did-you-mean.ts";
import { fail } from "../../core/error.ts";
import { type TaskName, taskNamed, tasks } from "../../tasks/index.ts";
import type { Bench } from "../question.ts";
import { debuggerBench } from "./debugger.ts";
import { faultBlocks } from "./fault-localization.ts";
import { functionBenches, layoutBenches } from "./functions.ts";
import { reveals } from "./recorded-reveals.ts";
import { s5 } from "./s5.ts";
import { arithmetic, parity, permutation, repl } from "./synthetic.ts";
import { taskBench } from "./task-benchmark.ts";
import { lineStates } from "./variable-values.ts";

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

/** Values of `--bench`: benchmarks, and tasks without a benchmark of the same name. */
export const benchNames = [...new Set([...Object.keys(benches), ...Object.keys(tasks)])];

/** A bench, or else the task of that name. @throws LabError listing the names there are. */
export function benchNamed(name: string): Bench {
  // A bench takes exactly what its own schema gives.
  if (Object.hasOwn(benches, name)) return benches[name as BenchName] as unknown as Bench;
  if (Object.hasOwn(tasks, name)) return taskBench(taskNamed(name as TaskName));
  return fail(
    "--bench",
    "the name of a benchmark",
    name,
    suggest(name, benchNames, "See statelab list benchmarks"),
  );
}
