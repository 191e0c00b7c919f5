/**
 * @file Programs without control flow: Statelab's tasks under the names and with the parameters of the paper.
 *
 *     parity           p = 1        permutation   a = [2, 1, 3]                arithmetic   b = 7
 *                      p ^= 0                     a[0], a[1] = a[1], a[0]                   a = b - 12
 *                      assert p == ??             assert a == ??                            assert a == ??
 *
 *     repl             >>> a = 1 ...     >>> a, b = b, a     >>> print('a', a)     a 2     ...     >>> print('b', b)     b ??
 *
 * Source: Grounding Code Understanding in Step-by-Step Execution (2024); REPL traces: arXiv:2602.14814.
 */

import { z } from "zod";
import { drawProgram, programText } from "../../tasks/arithmetic-program.ts";
import { tasks } from "../../tasks/index.ts";
import { tracedShots } from "../few-shot-examples.ts";
import { askedTask, Programs, programBench } from "./task-benchmark.ts";

const source = tasks["parity-program"].source;

export const parity = programBench({
  name: "parity",
  summary: "a program of XOR lines: what is the parity?",
  source,
  params: z.strictObject({
    programs: Programs,
    length: z.int().min(1).max(4096).default(16).describe("Number of bits"),
  }),
  task: ({ length }) => askedTask(tasks["parity-program"], { length }),
});

export const permutation = programBench({
  name: "permutation",
  summary: "a list after swaps of its elements: what does it contain?",
  source,
  params: z.strictObject({
    programs: Programs,
    size: z.int().min(2).max(64).default(4).describe("Elements of the list"),
    swaps: z.int().min(1).max(4096).default(8).describe("Number of swaps"),
  }),
  task: ({ size, swaps }) => askedTask(tasks["list-permutation"], { size, length: swaps }),
});

export const arithmetic = programBench({
  name: "arithmetic",
  summary: "sums and differences of variables: what is the value?",
  source,
  params: z.strictObject({
    programs: Programs,
    length: z.int().min(1).max(64).default(5).describe("Number of expressions"),
    digits: z.int().min(1).max(9).default(2).describe("Digits of a number"),
  }),
  shots: tracedShots("output"),
  // Allows longer programs and larger numbers than a vocabulary of values.
  task: ({ length, digits }) => ({
    words: askedTask(tasks["arithmetic-program"], {}).words,
    example: (rng) => programText(drawProgram(rng, length, 10 ** digits)),
  }),
});

export const repl = programBench({
  name: "repl",
  summary: "a Python session that permutes values: what is printed last?",
  source: tasks.repl.source,
  params: z.strictObject({
    programs: Programs,
    variables: z.int().min(2).max(8).default(3).describe("Number of variables"),
    commandKind: z
      .enum(["swap", "permutation"])
      .default("swap")
      .describe("A swap of two variables, or a permutation of all"),
    commands: z.int().min(1).max(10_000).default(12).describe("Commands per session"),
    spacing: z.int().min(1).default(4).describe("Commands per reveal"),
    reveal: z.enum(["partial", "full"]).default("partial").describe("Prints one variable, or all"),
  }),
  task: ({ programs: _, ...params }) => askedTask(tasks.repl, params),
});
