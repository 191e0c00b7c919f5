/** @file Every model, by name. To add a model: write its file, its row in the conformance suite, and one line here. */

import { fail } from "../records/error.ts";
import { deltanet } from "./deltanet.ts";
import { lstm } from "./lstm.ts";
import type { AnyMixer } from "./model.ts";
import { transformer } from "./transformer.ts";

export const models = { deltanet, lstm, transformer };
export type ModelName = keyof typeof models;

export function modelNamed(name: string): AnyMixer {
  if (Object.hasOwn(models, name)) return models[name as ModelName];
  const names = Object.keys(models).join(", ");
  return fail("model", `one of ${names}`, name, "Your own model: --model ./mine.ts");
}

export { type AnyMixer, defineModel, type Mixer } from "./model.ts";
export * from "./stack.ts";
