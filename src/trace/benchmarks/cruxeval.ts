/**
 * @file CRUXEval: one call a row.
 *
 *     {"code": "def f(s): ...", "input": "'ab'", "output": "'abx'", "id": "sample_0"}
 *
 * Source: Gu et al. 2024, arXiv:2401.03065.
 */

import { z } from "zod";
import { parseWith } from "../../records/config.ts";
import { publishedFilters } from "../filters.ts";
import type { Benchmark } from "./benchmark.ts";

const CruxevalRow = z.object({ code: z.string(), input: z.string(), output: z.string(), id: z.string() });

export const cruxeval = {
  name: "cruxeval",
  file: "cruxeval.jsonl",
  sha256: "8368b81047dc5014e4caf5a2f97604eff7644e0ecd7415e3ceeb184bbc2e0c96",
  url: "https://raw.githubusercontent.com/facebookresearch/cruxeval/main/data/cruxeval.jsonl",
  license: "mit",
  source: "Gu et al. 2024, arXiv:2401.03065",
  splits: { test: () => true },
  filter: publishedFilters.cruxeval,
  tellingNames: false,
  typedValues: true,
  row(value, at) {
    const { code, input, output, id } = parseWith(CruxevalRow, value, at);
    const call = { id, program: id, sources: [code], call: `f(${input})`, expected: output };
    return { program: id, calls: [call], unreadable: [] };
  },
} as const satisfies Benchmark;
