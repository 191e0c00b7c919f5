import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parquetWriteFile } from "hyparquet-writer";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { benchNamed } from "../../eval/benchmarks/index.ts";
import type { Execute, Program } from "../../eval/execute.ts";
import { executeAll, hasPython } from "../../eval/python.test-helper.ts";
import type { Bench, BenchInput, Predict } from "../../eval/question.ts";
import { benchData } from "./eval.ts";

const root = tmpFolder("own-functions");
const write = (name: string, text: string) => {
  writeFileSync(join(root, name), text);
  return join(root, name);
};

async function prepared(bench: Bench, path: string, predict: Predict, columns?: string) {
  const { rows, checksum } = await benchData(bench, path, columns);
  const input: BenchInput = {
    ...{
      arms: ["function"],
      predict: [predict],
      style: "direct",
      scoring: "strict",
      seed: 0,
      rows,
      traces: null,
    },
  };
  return { set: bench.prepare(bench.params.parse({}), input), checksum };
}

const rows = [
  { key: "one", source: "def add(a, b=1):\n    return a + b", args: "2", result: 3 },
  { key: "two", source: "def text(n):\n    return str(n)", args: "17", result: "'17'" },
  { key: "two", source: "def pair(n):\n    return [n, None]", args: "n=0.5", result: [0.5, null] },
];
const columns = "code=source,input=args,output=result,id=key";
const jsonl = write("own.jsonl", rows.map((row) => `${JSON.stringify(row)}\n`).join(""));

test("a file of one's own is asked by its columns, from JSON lines, a list or Parquet alike", async () => {
  const parquet = join(root, "own.parquet");
  parquetWriteFile({
    filename: parquet,
    columnData: [
      { name: "key", data: rows.map(({ key }) => key), type: "STRING" },
      { name: "source", data: rows.map(({ source }) => source), type: "STRING" },
      { name: "args", data: rows.map(({ args }) => args), type: "STRING" },
      { name: "result", data: rows.map(({ result }) => result), type: "JSON" },
    ],
  });
  const list = write("own.json", JSON.stringify(rows, null, 1));
  const bench = benchNamed("functions");
  const asked = await Promise.all(
    [jsonl, list, parquet].map((path) => prepared(bench, path, "output", columns)),
  );
  for (const { set } of asked) {
    const questions = Array.from({ length: set.count }, (_, i) => set.question(i));
    expect(questions.map(({ id, expected }) => [id, expected])).toEqual([
      ["one/1", "3"],
      ["two/1", "'17'"],
      ["two#2/1", "[0.5, None]"],
    ]);
    expect(questions[2].next([])).toContain("def pair(n):\n    return [n, None]\nassert pair(n=0.5) == ??");
  }
  const other = await prepared(bench, jsonl, "output", "code=source,input=args,output=result");
  expect(other.checksum).not.toBe(asked[0].checksum);
});

test("a column that is not there is named with those that are, and columns are for this bench alone", async () => {
  const bench = benchNamed("functions");
  await expect(benchData(bench, jsonl, "code=source,input=arguments,output=result")).rejects.toThrow(
    `${jsonl}, line 1: expected the column arguments, for input, got "key, source, args, result"`,
  );
  await expect(benchData(bench, jsonl)).rejects.toThrow(
    `${jsonl}, line 1: expected a row with its calls, got "key, source, args, result". Name the columns`,
  );
  await expect(benchData(benchNamed("cruxeval"), jsonl, columns)).rejects.toThrow(
    '--fields: expected --bench functions, got "cruxeval"',
  );
  await expect(benchData(bench, write("no.parquet", "PAR1"))).rejects.toThrow("a Parquet file of rows");
});

const live = {
  ...{ question_id: 2777, id: "sample_0", function_name: "count", difficulty: "easy", numsteps: 9 },
  ...{ contest_id: "weekly", contest_date: "2023-07-01T00:00:00", problem_id: [1] },
  code: "def count(details: List[str]) -> int:\n    return len(Counter(details))",
  ...{ input: "count(details = ['a', 'b', 'a'])", output: "2" },
};
const reval = [
  {
    ...{
      task_id: "DREval/0",
      entry_point: "close",
      code: "def close(xs, t):\n    return xs[0] < t",
      test: null,
    },
    ...{ inputs: ["([1.0], 0.5,)", "([0.25], 0.5,)"], outputs: ["False", "True"] },
  },
  {
    ...{ task_id: "DREval/85", entry_point: "C", code: "class C: pass", outputs: ["1"] },
    ...{ inputs: ["c = C()\nassertEqual(1, 1)\n"], test: "class T: pass" },
  },
];

test("LiveCodeBench's execution split and REval are asked by their own layouts, and refuse each other's", async () => {
  const liveFile = write("live.jsonl", JSON.stringify(live));
  const revalFile = write("reval.jsonl", reval.map((row) => JSON.stringify(row)).join("\n"));
  const { set } = await prepared(benchNamed("livecodebench"), liveFile, "output");
  expect(set.question(0).id).toBe("sample_0/1");
  const shown = set.question(0).next([]);
  expect(shown).toContain(`[PYTHON]\n${live.code}\nassert count(details = ['a', 'b', 'a']) == ??\n`);
  expect(shown).not.toContain("import");
  const { set: functions } = await prepared(benchNamed("reval"), revalFile, "output");
  expect(functions.count).toBe(2);
  expect(functions.question(1).next([])).toContain("assert close([0.25], 0.5) == ??");
  expect(functions.excluded).toEqual([
    { id: "DREval/85/left 1", reason: "its calls stand in a test, not in a field" },
  ]);
  await expect(prepared(benchNamed("livecodebench"), revalFile, "output")).rejects.toThrow("LiveCodeBench");
  await expect(prepared(benchNamed("reval"), liveFile, "output")).rejects.toThrow("the fields of REval");
});

test.skipIf(!hasPython)(
  "an input of LiveCodeBench is run with what its functions take for granted (skipped without python3)",
  async () => {
    const file = write("live.jsonl", JSON.stringify(live));
    const { set } = await prepared(benchNamed("livecodebench"), file, "input");
    const verdictOf = async (reply: string) => {
      let program: Program | undefined;
      const note: Execute = async (given) => {
        program = given;
        return { kind: "failed", words: "" };
      };
      await set.question(0).judge([reply], note);
      const [outcome] = executeAll([program!]); // a readable call is run
      return (await set.question(0).judge([reply], async () => outcome)).grade.kind;
    };
    expect(await verdictOf("count(details=['x', 'y'])")).toBe("correct");
    expect(await verdictOf("count(details=['x'])")).toBe("wrong");
  },
);
