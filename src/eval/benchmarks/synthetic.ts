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
  summary: "the parity of bits, one assignment each",
  source,
  params: z.strictObject({ programs: Programs, length: z.int().min(1).max(4096).default(16) }),
  task: ({ length }) => askedTask(tasks["parity-program"], { length }),
});

export const permutation = programBench({
  name: "permutation",
  summary: "a list after swaps of its items",
  source,
  params: z.strictObject({
    programs: Programs,
    size: z.int().min(2).max(64).default(4),
    swaps: z.int().min(1).max(4096).default(8),
  }),
  task: ({ size, swaps }) => askedTask(tasks["list-permutation"], { size, length: swaps }),
});

export const arithmetic = programBench({
  name: "arithmetic",
  summary: "sums and differences of variables",
  source,
  params: z.strictObject({
    programs: Programs,
    length: z.int().min(1).max(64).default(5),
    digits: z.int().min(1).max(9).default(2),
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
  summary: "a Python session that permutes values and sometimes prints one: what is printed last?",
  source: tasks.repl.source,
  params: z.strictObject({
    programs: Programs,
    variables: z.int().min(2).max(8).default(3),
    commandKind: z.enum(["swap", "permutation"]).default("swap"),
    commands: z.int().min(1).max(10_000).default(12),
    /** Commands per reveal. */
    spacing: z.int().min(1).default(4),
    reveal: z.enum(["partial", "full"]).default("partial"),
  }),
  task: ({ programs: _, ...params }) => askedTask(tasks.repl, params),
});
