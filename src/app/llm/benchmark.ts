/** @file What is asked: a bench by its name, a task by its name or its file, and the data that the bench needs. */

import { fail } from "../../core/error.ts";
import { benchNamed, benchNames } from "../../eval/benchmarks/index.ts";
import { taskBench } from "../../eval/benchmarks/task-benchmark.ts";
import type { Bench } from "../../eval/question.ts";
import { mappedRow, parseColumns } from "../../python/benchmarks/columns.ts";
import { TracedRow } from "../../schemas/trace.ts";
import { sha256 } from "../../storage/index.ts";
import { type Task, taskNamed } from "../../tasks/index.ts";
import { dataPath, readJsonLines, readRows } from "../data/files.ts";
import { isModulePath, loadModule } from "../own-code/load.ts";

/** @throws LabError where neither or both are named, or one is unknown. */
export async function chosenBench(
  bench: string | undefined,
  task: string | undefined,
): Promise<Bench<unknown>> {
  if (bench !== undefined && task !== undefined) fail("llm eval", "--bench or --task", "both");
  if (bench !== undefined) return benchNamed(bench);
  if (task === undefined)
    return fail("llm eval", "--bench NAME or --task FILE", "none", `There is: ${benchNames.join(", ")}`);
  // The fields of a file's task were checked while it was loaded.
  return taskBench(isModulePath(task) ? ((await loadModule("task", task)) as Task) : taskNamed(task));
}

/**
 * The rows of the bench's file, and its checksum; of a bench that makes its programs itself there is none. `columns`: what
 * the fields of functions are called in a file of one's own (trace/benchmarks/columns.ts).
 */
export async function benchData({ name, data }: Bench, named: string | undefined, columns?: string) {
  if (columns !== undefined && name !== "functions") fail("--columns", "--bench functions", name);
  if (data === undefined) return { rows: [], checksum: null };
  const path =
    data.place === undefined
      ? (named ?? fail("llm eval", "--data FILE", "none", data.hint))
      : dataPath(named, data.place, [], data.hint);
  const own = columns === undefined ? undefined : parseColumns(columns);
  const { rows, checksum } = await readRows(path, (value, at, index) =>
    data.row(own === undefined ? value : mappedRow(value, own, at), at, index),
  );
  // Read by other columns it is other data.
  return { rows, checksum: own === undefined ? checksum : sha256(Buffer.from(`${checksum} ${columns}`)) };
}

/** Traces by the id of their call. */
export async function readTraces(path: string | undefined) {
  if (path === undefined) return { traces: null, checksum: null };
  const { rows, checksum } = await readJsonLines(path, TracedRow);
  return { traces: new Map(rows.map(({ id, trace }) => [id, trace])), checksum };
}
