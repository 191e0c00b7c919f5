/**
 * @file MBPP: functions with their tests, one call an assert.
 *
 *     {"code": ..., "task_id": 11, "test_setup_code": "", "test_list": ["assert g(1) == 2", ...]}
 *
 * Source: Austin et al. 2021, arXiv:2108.07732.
 */

import { z } from "zod";
import { parseWith } from "../../core/settings.ts";
import { publishedFilters } from "../trace/filters.ts";
import { parseAssert } from "../trace/find-call.ts";
import type { Benchmark } from "./benchmark.ts";

const MbppRow = z.object({
  code: z.string(),
  task_id: z.int(),
  test_setup_code: z.string().default(""),
  test_list: z.array(z.string()),
  challenge_test_list: z.array(z.string()).default([]),
});

export const mbpp = {
  name: "mbpp",
  file: "mbpp.jsonl",
  sha256: "ccf64ceae9c5403bf50a044cb6d505bfd2a2963ee58338ba268fd65beab92a9f",
  url: "https://raw.githubusercontent.com/google-research/google-research/master/mbpp/mbpp.jsonl",
  license: "cc-by-4.0",
  source: "Austin et al. 2021, arXiv:2108.07732",
  splits: { test: (program) => numberOf(program) >= 11 && numberOf(program) <= 510, all: () => true },
  filter: publishedFilters.mbpp,
  tellingNames: true,
  typedValues: false,
  row(value, at) {
    const { code, task_id, test_setup_code, test_list } = parseWith(MbppRow, value, at);
    const program = `mbpp_${task_id}`;
    const sources =
      test_setup_code.trim() === "" ? [code] : [`${test_setup_code}\n${code}`, `${code}\n${test_setup_code}`];
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
} as const satisfies Benchmark;

const numberOf = (program: string) => Number(program.replace("mbpp_", ""));
