/** @file The doors for functions of somebody's own: their columns, and their rows as JSON lines and as Parquet, up to the questions about them. */

import { readFileSync } from "node:fs";
import { parquetWriteFile } from "hyparquet-writer";
import { benchData } from "../../src/app/llm/eval.ts";
import { benchNamed } from "../../src/eval/benchmarks/index.ts";
import type { BenchInput } from "../../src/eval/question.ts";
import { mappedRow, parseColumns } from "../../src/python/benchmarks/columns.ts";
import type { Door } from "./cases.test-helper.ts";

const columns = "code=source,input=args,output=result,id=key";
const own = [
  { key: "one", source: "def f(n):\n    return n", args: "2, [1]", result: "'x'" },
  { key: "two", source: "async def g(a, *, b=1): pass", args: "a=(1,)", result: "None" },
];
const published = [
  { id: "s", function_name: "g", code: "def g(n): return n", input: "g(n = 2)", output: "2" },
  { task_id: "DREval/0", entry_point: "g", code: "def g(n): pass", inputs: ["(2,)", "g(3)"], outputs: ["2"] },
  { id: 3, source: "def h(): pass", calls: ["h()", { call: "h(1)", expected: "1" }] },
];
const lines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

/** `written` puts bytes into a file below a folder of the doors'. */
export function ofFunctions(written: (name: string, content: Uint8Array) => string): Door[] {
  const asked = async (path: string, mapped?: string) => {
    const bench = benchNamed("functions");
    const { rows } = await benchData(bench, path, mapped);
    const input: BenchInput = {
      ...{
        arms: ["function", "anonymous"],
        predict: ["output", "input"],
        style: "direct",
        scoring: "strict",
      },
      ...{ seed: 0, rows, traces: null },
    };
    const set = bench.prepare(bench.params.parse({}), input);
    for (let i = 0; i < Math.min(set.count, 8); i++) set.question(i).next([]);
  };
  const filename = written("functions/sample.parquet", new Uint8Array());
  parquetWriteFile({
    filename,
    columnData: (["key", "source", "args", "result"] as const).map((name) => ({
      ...{ name, type: "STRING", data: own.map((row) => row[name]) },
    })),
  });
  return [
    {
      name: "functions-columns",
      samples: [columns, "code=a,input=b"],
      words: ["function_name=", "output", ",", "="],
      open(given) {
        const parsed = parseColumns(given.toString("utf8"));
        mappedRow({ source: "", args: 1, result: null, key: "" }, parsed, "a row");
      },
    },
    {
      name: "functions-rows",
      samples: [lines(published), JSON.stringify(published)],
      cost: 3,
      open: (given) => asked(written("functions/rows.jsonl", given)),
    },
    {
      name: "functions-own-rows",
      samples: [lines(own)],
      cost: 3,
      open: (given) => asked(written("functions/own.jsonl", given), columns),
    },
    {
      name: "functions-parquet",
      samples: [new Uint8Array(readFileSync(filename))],
      cost: 8,
      open: (given) => asked(written("functions/own.parquet", given), columns),
    },
  ];
}
