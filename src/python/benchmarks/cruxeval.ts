/**
 * @file CRUXEval: one call a row.
 *
 *     {"code": "def f(s): ...", "input": "'ab'", "output": "'abx'", "id": "sample_0"}
 *
 * Source: Gu et al. 2024, arXiv:2401.03065.
 */

import { z } from "zod";
import { fail } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import { publishedFilters } from "../trace/filters.ts";
import { definedNames } from "../trace/find-call.ts";
import type { Benchmark } from "./benchmark.ts";

const CruxevalRow = z.object({ code: z.string(), input: z.string(), output: z.string(), id: z.string() });
const fields = Object.keys(CruxevalRow.shape);

/**
 * Another benchmark's rows may have the same fields and more. Every function of CRUXEval is called f: another's call
 * would be asked about under a name that it does not have.
 */
function ofItsLayout(value: unknown, at: string): z.infer<typeof CruxevalRow> {
  const layout = `a row of CRUXEval, {${fields.join(", ")}}`;
  const others =
    typeof value === "object" && value !== null
      ? Object.keys(value).filter((name) => !fields.includes(name))
      : [];
  if (others.length > 0) fail(at, layout, `one with ${others.slice(0, 5).join(", ")}`);
  const row = parseWith(CruxevalRow, value, at);
  if (!definedNames(row.code).includes("f"))
    fail(at, `${layout}, whose code defines f`, row.code.slice(0, 60));
  return row;
}

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
    const { code, input, output, id } = ofItsLayout(value, at);
    const call = { id, program: id, sources: [code], call: `f(${input})`, expected: output };
    return { program: id, calls: [call], unreadable: [] };
  },
} as const satisfies Benchmark;
