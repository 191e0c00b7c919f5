/** @file Every optimizer, by name. To add one: write its file, its test, and one line here. */

import { suggest } from "../../core/did-you-mean.ts";
import { fail } from "../../core/error.ts";
import { adamw } from "./adamw.ts";
import type { MakeOptimizer } from "./optimizer.ts";

export const optimizers = { adamw } as const satisfies Record<string, MakeOptimizer>;

/** @throws LabError that suggests a name. */
export function optimizerNamed(name: string): MakeOptimizer {
  if (Object.hasOwn(optimizers, name)) return optimizers[name as keyof typeof optimizers];
  return fail("train.optimizer", "the name of an optimizer", name, suggest(name, Object.keys(optimizers)));
}
