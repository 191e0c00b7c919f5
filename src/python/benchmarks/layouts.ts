/**
 * @file Functions with their calls in files of the user's own: how a row is recognised by its fields, and what is in it.
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
 */

import { z } from "zod";
import { fail } from "../../core/error.ts";
import { definedNames } from "../trace/find-call.ts";
import type { BenchmarkRow } from "./benchmark.ts";

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

export type LayoutName = (typeof layouts)[number]["name"];

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
    "docs/data.md lists them",
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
