/**
 * @file Functions without a published checksum, known by the layout of their rows: the user's own, and two published sets.
 *
 *     functions        any layout whose rows have their calls, or the user's columns by `columns.ts`
 *     livecodebench    the execution split of LiveCodeBench
 *     reval            REval's functions; its classes are tested by methods, and are left out with that reason
 *
 * A layout is recognised by its fields:
 *
 *     {"source": "def f(n): ...", "calls": ["f(2)"]}                        own; without calls, those of doctests and asserts
 *     {"prompt", "canonical_solution", "test", "entry_point"}               HumanEval: the asserts of its test
 *     {"code", "input": "f(n = 2)", "output", "function_name"}              LiveCodeBench, execution
 *     {"code", "entry_point", "inputs": ["(2,)"], "outputs"}                REval: the arguments as a tuple
 *     {"code", "entry_point", "inputs", "test": "class T..."}               REval's classes: as those of ClassEval
 *     {"solution_code", "import_statement", "test", "class_name"}           ClassEval: a case for each test method
 *     {"code", "input", "output"}, {"code", "test_list"}                    CRUXEval, MBPP
 *
 * Sources: LiveCodeBench's lcb_runner/benchmarks/code_execution.py and the card of livecodebench/execution-v2; of REval, whose data
 * are DREval_data.jsonl, the script that makes its tasks (it calls a function by `f{input[:-2]})`), and JetBrains-Research/REval's card.
 *
 * Values are compared as Python does: these sets do, and a column of numbers does not say whether 1.0 or 1 was meant.
 */

import { z } from "zod";
import { fail } from "../../core/error.ts";
import { definedNames } from "../trace/find-call.ts";
import type { Benchmark, BenchmarkRow } from "./benchmark.ts";

/** A program and its calls; if there are none yet, the text that contains them. */
export interface FunctionRow {
  readonly id: string;
  readonly source: string;
  readonly calls?: readonly { readonly call: string; readonly expected: string }[];
  /** Asserts in another text than the source, in which `candidate` is the function of this name. */
  readonly tests?: string;
  readonly candidate?: string;
  /** Imports that the source needs: run before it but not shown. */
  readonly imports?: string;
}

const text = z.string();
const texts = z.array(text);
const ids = ["id", "task_id", "question_id", "name"] as const;
const imports = z.union([text, texts]).default([]);

type Row<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape>>;
const layout = <const Name extends string, Shape extends z.ZodRawShape>(
  name: Name,
  shape: Shape,
  read: (row: Row<Shape>, at: string) => Omit<FunctionRow, "id">,
) => ({ name, shape: z.object(shape), read });

/** The arguments of the function, or a call of it, also as a method: `Solution().first([1])`. */
const callOf = (name: string, given: string) =>
  new RegExp(`^\\s*(?:\\w+(?:\\([^()]*\\))?\\s*\\.\\s*)*${name.replaceAll(/\W/g, "\\$&")}\\s*\\(`).test(given)
    ? given.trim()
    : `${name}(${given})`;
/** REval's arguments are a tuple that ends with a comma: `(2,)`, `([1], 'a',)`. */
const callOfTuple = (name: string, given: string) =>
  callOf(name, /^\(([\s\S]*),\)$/.exec(given.trim())?.[1] ?? given);
/** Imports that LiveCodeBench's functions need but do not contain. */
const taken = [
  "from typing import Any, Callable, Dict, Generator, Iterable, Iterator, List, Optional, Set, Tuple, Union",
  "from collections import *\nfrom functools import *\nfrom itertools import *\nfrom math import *",
  "from bisect import *\nfrom heapq import *\nfrom copy import deepcopy\nfrom string import ascii_lowercase",
  "import bisect, collections, copy, functools, heapq, itertools, math, operator, re, string",
].join("\n");

/** f, or the one function that the code defines at its margin. */
function onlyFunction(code: string, at: string): string {
  const names = definedNames(code);
  if (names.includes("f") || names.length === 0) return "f";
  const [first, second] = new Set(names);
  return second === undefined
    ? first
    : fail(at, "one function, f, or function_name", [...new Set(names)].slice(0, 5).join(", "));
}
const paired = (calls: readonly string[], expected: readonly unknown[] = []) =>
  calls.map((call, i) => ({ call, expected: typeof expected[i] === "string" ? expected[i] : "" }));

/** The first whose fields a row has. */
const layouts = [
  layout(
    "HumanEval",
    { prompt: text, canonical_solution: text, test: text, entry_point: text },
    ({ prompt, canonical_solution, test, entry_point }) => ({
      source: prompt + canonical_solution,
      tests: test,
      candidate: entry_point,
    }),
  ),
  layout(
    "ClassEval",
    { solution_code: text, test: text, class_name: text, import_statement: imports },
    ({ solution_code, test, import_statement }) => ({
      source: `${[import_statement].flat().join("\n")}\n${solution_code}`,
      tests: test,
    }),
  ),
  layout("REval", { code: text, entry_point: text, inputs: texts, test: text.min(1) }, ({ code, test }) => ({
    source: code,
    tests: test,
  })),
  layout(
    "REval",
    { code: text, entry_point: text, inputs: texts, outputs: z.array(z.unknown()).nullish() },
    ({ code, entry_point, inputs, outputs }) => ({
      source: code,
      calls: paired(
        inputs.map((given) => callOfTuple(entry_point, given)),
        outputs ?? [],
      ),
    }),
  ),
  layout(
    "LiveCodeBench",
    { code: text, input: text, output: text, function_name: text },
    ({ code, input, output, function_name }) => ({
      source: code,
      calls: paired([callOf(function_name, input)], [output]),
      imports: taken,
    }),
  ),
  layout("CRUXEval", { code: text, input: text, output: text }, ({ code, input, output }, at) => ({
    source: code,
    calls: paired([callOf(onlyFunction(code, at), input)], [output]),
  })),
  layout(
    "MBPP",
    { code: text, test_list: texts, test_setup_code: text.default("") },
    ({ code, test_list, test_setup_code }) => ({
      source: test_setup_code === "" ? code : `${test_setup_code}\n${code}`,
      tests: test_list.join("\n"),
    }),
  ),
  layout(
    "own",
    {
      source: text,
      calls: z.array(z.union([text, z.object({ call: text, expected: text.default("") })])),
    },
    ({ source, calls }) => ({
      source,
      calls: calls.map((each) => (typeof each === "string" ? { call: each, expected: "" } : each)),
    }),
  ),
  layout("own", { source: text, call: text }, ({ source, call }) => ({ source, calls: paired([call]) })),
  layout(
    "own",
    { source: text, tests: text.optional(), calls: z.null().optional(), call: z.null().optional() },
    ({ source, tests }) => ({ source, ...(tests !== undefined && { tests }) }),
  ),
] as const;

type LayoutName = (typeof layouts)[number]["name"];

/** @throws LabError if the fields match no layout, or not the layout `only`. */
export function functionRow(value: unknown, index: number, at: string, only?: LayoutName): FunctionRow {
  const known = layouts.filter(({ name }) => only === undefined || name === only);
  for (const { shape, read } of known) {
    const parsed = shape.safeParse(value);
    if (!parsed.success) continue;
    const named = value as Readonly<Record<string, unknown>>; // it has the fields of a shape
    const name = ids.map((field) => named[field]).find((each) => ["string", "number"].includes(typeof each));
    return { id: String(name ?? index + 1), ...read(parsed.data as never, at) }; // its own shape
  }
  const { source, calls } = (value ?? {}) as Readonly<Record<string, unknown>>; // undefined if the value is not an object
  if (typeof source === "string" && calls !== undefined && calls !== null)
    fail(
      `${at}, calls`,
      'a list of "f(2)", or of {"call": "f(2)", "expected": "3"}',
      calls,
      undefined,
      "corrupt",
    );
  const fields =
    typeof value === "object" && value !== null ? Object.keys(value).slice(0, 8).join(", ") : value;
  return fail(
    at,
    `the fields of ${[...new Set(known.map(({ name }) => name))].join(", ")}`,
    fields,
    "docs/how-to/import-benchmarks.md lists them",
    "corrupt",
  );
}

/** The row of a benchmark: calls and excluded tests are numbered. */
export function benchmarkRow(
  { id, source, imports }: FunctionRow,
  calls: NonNullable<FunctionRow["calls"]>,
  left: readonly { readonly reason: string }[] = [],
): BenchmarkRow {
  const sources = imports === undefined ? [source] : [source, `${imports}\n${source}`];
  return {
    program: id,
    calls: calls.map((each, i) => ({
      ...{ id: `${id}/${i + 1}`, program: id, sources, ...each },
      ...(imports !== undefined && { imports }),
    })),
    unreadable: left.map(({ reason }, i) => ({ id: `${id}/left ${i + 1}`, reason })),
  };
}

type FunctionSet = Omit<Benchmark, "file" | "sha256" | "url" | "license"> & { readonly hint: string };

const set = (name: string, only: LayoutName | undefined, source: string, hint: string): FunctionSet => ({
  ...{ name, source, hint, splits: { test: () => true }, filter: {}, tellingNames: true, typedValues: false },
  row(value, at, index): BenchmarkRow {
    const row = functionRow(value, index, at, only);
    if (row.calls === undefined && row.tests === undefined)
      fail(
        at,
        "a row with its calls",
        Object.keys(Object(value)).slice(0, 8).join(", "),
        "Name the columns: --fields code=...,input=...,output=...",
      );
    const left = row.calls === undefined ? [{ reason: "its calls stand in a test, not in a field" }] : [];
    return benchmarkRow(row, row.calls ?? [], left);
  },
});

export const functionSets = {
  functions: set(
    "functions",
    undefined,
    "your file",
    "A file of rows; docs/how-to/evaluate-llm.md lists the fields",
  ),
  livecodebench: set(
    "livecodebench",
    "LiveCodeBench",
    "Jain et al. 2024, arXiv:2403.07974",
    "The file of livecodebench/execution-v2 as JSON lines or Parquet",
  ),
  reval: set(
    "reval",
    "REval",
    "Chen et al. 2024, arXiv:2403.16437",
    "DREval_data.jsonl, or the problems of JetBrains-Research/REval",
  ),
};

/** Adds a number to the names of programs after the first with the same name. */
export function distinctPrograms(rows: readonly BenchmarkRow[]): readonly BenchmarkRow[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const times = (seen.get(row.program) ?? 0) + 1;
    seen.set(row.program, times);
    if (times === 1) return row;
    const program = `${row.program}#${times}`;
    const named = <Part extends { readonly id: string }>(part: Part) => ({
      ...part,
      id: program + part.id.slice(row.program.length),
    });
    return {
      program,
      calls: row.calls.map((call) => ({ ...named(call), program })),
      unreadable: row.unreadable.map(named),
    };
  });
}
