/** @file Every bench, by name. To add one: write its file, its test, and one line here. */

import { fail } from "../../records/error.ts";
import { suggest } from "../../records/nearest.ts";
import type { Bench } from "../question.ts";
import { cruxeval, mbpp } from "./functions.ts";
import { repl } from "./repl.ts";
import { reveals } from "./reveals.ts";
import { s5 } from "./s5.ts";
import { arithmetic, parity, permutation } from "./straight-line.ts";

export const benches = { cruxeval, mbpp, arithmetic, parity, permutation, repl, reveals, s5 };
export type BenchName = keyof typeof benches;

/** @throws LabError listing the names there are. */
export function benchNamed(name: string): Bench {
  // A bench takes exactly what its own schema gives.
  if (Object.hasOwn(benches, name)) return benches[name as BenchName] as unknown as Bench;
  return fail("--bench", "the name of a bench", name, suggest(name, Object.keys(benches)));
}
