/**
 * @file The published benchmarks of Python functions: how their files are recognised, and the calls that are in them.
 *
 *     cruxeval   {"code": "def f(s): ...", "input": "'ab'", "output": "'abx'", "id": "sample_0"}      one call a row
 *     mbpp       {"code": ..., "task_id": 11, "test_setup_code": "", "test_list": ["assert g(1) == 2", ...]}      one an assert
 *
 * The files are the user's: the lab brings none of them along. To add a benchmark: one entry here.
 */

import { z } from "zod";
import { parseWith } from "../records/config.ts";
import { fail } from "../records/error.ts";
import { parseAssert } from "./asserts.ts";
import { publishedFilters, type TraceFilter } from "./filters.ts";

/** One call of one program. */
export interface BenchmarkCall {
  readonly id: string;
  /** The row that it is of: one function. */
  readonly program: string;
  /** The program, in the ways that are to be tried: the first that can be traced counts. */
  readonly sources: readonly string[];
  readonly call: string;
  /** What the call should give, as Python text. */
  readonly expected: string;
}

/** A row whose asserts are no calls with a value has reasons instead. */
export interface BenchmarkRow {
  readonly program: string;
  readonly calls: readonly BenchmarkCall[];
  readonly unreadable: readonly { readonly id: string; readonly reason: string }[];
}

export interface Benchmark {
  readonly name: string;
  /** The name of its file, as published. */
  readonly file: string;
  readonly sha256: string;
  readonly url: string;
  readonly license: string;
  readonly source: string;
  /** Which rows are in a split; the first is the default. */
  readonly splits: Readonly<Record<string, (program: string) => boolean>>;
  /** The published filter. */
  readonly filter: TraceFilter;
  row(value: unknown, at: string): BenchmarkRow;
}

const CruxevalRow = z.object({ code: z.string(), input: z.string(), output: z.string(), id: z.string() });

const MbppRow = z.object({
  code: z.string(),
  task_id: z.int(),
  test_setup_code: z.string().default(""),
  test_list: z.array(z.string()),
  challenge_test_list: z.array(z.string()).default([]),
});

export const benchmarks = {
  cruxeval: {
    name: "cruxeval",
    file: "cruxeval.jsonl",
    sha256: "8368b81047dc5014e4caf5a2f97604eff7644e0ecd7415e3ceeb184bbc2e0c96",
    url: "https://raw.githubusercontent.com/facebookresearch/cruxeval/main/data/cruxeval.jsonl",
    license: "mit",
    source: "Gu et al. 2024, arXiv:2401.03065",
    splits: { test: () => true },
    filter: publishedFilters.cruxeval,
    row(value, at) {
      const { code, input, output, id } = parseWith(CruxevalRow, value, at);
      const call = { id, program: id, sources: [code], call: `f(${input})`, expected: output };
      return { program: id, calls: [call], unreadable: [] };
    },
  },
  mbpp: {
    name: "mbpp",
    file: "mbpp.jsonl",
    sha256: "ccf64ceae9c5403bf50a044cb6d505bfd2a2963ee58338ba268fd65beab92a9f",
    url: "https://raw.githubusercontent.com/google-research/google-research/master/mbpp/mbpp.jsonl",
    license: "cc-by-4.0",
    source: "Austin et al. 2021, arXiv:2108.07732",
    splits: { test: (program) => numberOf(program) >= 11 && numberOf(program) <= 510, all: () => true },
    filter: publishedFilters.mbpp,
    row(value, at) {
      const { code, task_id, test_setup_code, test_list } = parseWith(MbppRow, value, at);
      const program = `mbpp_${task_id}`;
      const sources =
        test_setup_code.trim() === ""
          ? [code]
          : [`${test_setup_code}\n${code}`, `${code}\n${test_setup_code}`];
      const found = test_list.map((text, i) => ({
        id: `${program}_${i}`,
        asserted: parseAssert(text, code),
      }));
      return {
        program,
        calls: found.flatMap(({ id, asserted }) =>
          asserted === undefined
            ? []
            : [{ id, program, sources, call: asserted.call, expected: asserted.expected }],
        ),
        unreadable: found.flatMap(({ id, asserted }) =>
          asserted === undefined ? [{ id, reason: "the test is no assert of a call with a value" }] : [],
        ),
      };
    },
  },
} as const satisfies Record<string, Benchmark>;

export type BenchmarkName = keyof typeof benchmarks;
export const benchmarkNames = Object.keys(benchmarks) as BenchmarkName[]; // the keys of the object above

const numberOf = (program: string) => Number(program.replace("mbpp_", ""));

/** Every row of a file of JSON lines. @throws LabError (corrupt) naming the line. */
export function benchmarkRows(benchmark: Benchmark, text: string, at: string): BenchmarkRow[] {
  const lines = text.split("\n").map((line, i) => ({ line, where: `${at}, line ${i + 1}` }));
  return lines
    .filter(({ line }) => line.trim() !== "")
    .map(({ line, where }) => {
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {
        return fail(where, "a JSON record", line.slice(0, 60), undefined, "corrupt");
      }
      return benchmark.row(value, where);
    });
}
