/** @file Every experiment, by name. To add one: write its file and one line here. */

import { fail } from "../src/records/error.ts";
import type { Experiment } from "./experiment.ts";
import { headline } from "./headline.ts";

export const experiments = { headline };

export function experimentNamed(name: string): Experiment {
  if (Object.hasOwn(experiments, name)) return experiments[name as keyof typeof experiments];
  return fail(
    "reproduce",
    `one of ${Object.keys(experiments).join(", ")}`,
    name,
    "See statelab reproduce --list",
  );
}
