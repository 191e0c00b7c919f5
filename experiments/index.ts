/** @file Every experiment, by name. To add one: write its file and one line here. */

import { fail } from "../src/records/error.ts";
import { suggest } from "../src/records/nearest.ts";
import { beliefModels } from "./belief-models.ts";
import type { Experiment } from "./experiment.ts";
import { headline } from "./headline.ts";
import { interpret } from "./interpret.ts";
import { marginalAdversary } from "./marginal-adversary.ts";
import { massDecay } from "./mass-decay.ts";
import { olmoTable } from "./olmo-table.ts";
import { arithmeticTable, parityTable } from "./parity-table.ts";
import { replExtrapolation } from "./repl-extrapolation.ts";
import { replPositions } from "./repl-positions.ts";
import { replSpacing } from "./repl-spacing.ts";
import { s5Swaps } from "./s5-swaps.ts";
import { stateArithmetic } from "./state-arithmetic.ts";
import { stateLoss } from "./state-loss.ts";
import { stateParity } from "./state-parity.ts";
import { statePermutation } from "./state-permutation.ts";
import { stateRepl } from "./state-repl.ts";

const all: readonly Experiment[] = [
  headline,
  replSpacing,
  replPositions,
  replExtrapolation,
  parityTable,
  arithmeticTable,
  s5Swaps,
  olmoTable,
  massDecay,
  marginalAdversary,
  beliefModels,
  interpret,
  stateParity,
  statePermutation,
  stateArithmetic,
  stateLoss,
  stateRepl,
];

export const experiments: Readonly<Record<string, Experiment>> = Object.fromEntries(
  all.map((experiment) => [experiment.name, experiment]),
);

export function experimentNamed(name: string): Experiment {
  if (Object.hasOwn(experiments, name)) return experiments[name];
  return fail("reproduce", "the name of an experiment", name, suggest(name, Object.keys(experiments)));
}
