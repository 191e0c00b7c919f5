/** @file Every experiment, by name. To add one: its file, one line here, its log (docs/experiments.md). */

import { suggest } from "../src/core/did-you-mean.ts";
import { fail } from "../src/core/error.ts";
import { activeRevealsExperiment } from "./agents/active-reveals.ts";
import { apiMachineExperiment } from "./agents/api-machine.ts";
import { checkRetryExperiment } from "./agents/check-retry.ts";
import { contextViews } from "./agents/context-views.ts";
import { runtime2x2 } from "./agents/runtime-2x2.ts";
import { tomitaAutomata } from "./automata/tomita-automata.ts";
import { beliefModels } from "./belief/belief-models.ts";
import { marginalAdversary } from "./belief/marginal-adversary.ts";
import { massDecay } from "./belief/mass-decay.ts";
import { executionLabels } from "./debugger/execution-labels.ts";
import { neuralDebugger } from "./debugger/neural-debugger.ts";
import { failureOnset } from "./faults/failure-onset.ts";
import { faultLocalisation } from "./faults/fault-localisation.ts";
import { headline } from "./headline/headline.ts";
import { interpret } from "./headline/interpret.ts";
import { cachingSawtooth } from "./recall/caching-sawtooth.ts";
import { lactChunks } from "./recall/lact-chunks.ts";
import { ssePartitions } from "./recall/sse-partitions.ts";
import { replExtrapolation } from "./repl/repl-extrapolation.ts";
import { replFullFirst } from "./repl/repl-full-first.ts";
import { replPositions } from "./repl/repl-positions.ts";
import { replSpacing } from "./repl/repl-spacing.ts";
import { replCurricula, replLosses } from "./repl/repl-training.ts";
import type { Experiment } from "./runner/define.ts";
import { stateArithmetic } from "./supervision/state-arithmetic.ts";
import { stateDigits } from "./supervision/state-digits.ts";
import { stateLoss } from "./supervision/state-loss.ts";
import { stateParity } from "./supervision/state-parity.ts";
import { statePermutation } from "./supervision/state-permutation.ts";
import { stateRepl } from "./supervision/state-repl.ts";
import { arithmeticSearched } from "./tables/arithmetic-searched.ts";
import { olmoTable } from "./tables/olmo-table.ts";
import { arithmeticTable, parityTable } from "./tables/parity-table.ts";
import { s5Swaps } from "./tables/s5-swaps.ts";
import { schedulesExperiment } from "./teach/schedules.ts";
import { stateCollapse } from "./teach/state-collapse.ts";
import { stateTuning } from "./teach/state-tuning.ts";
import { teachMixture } from "./teach/teach-mixture.ts";
import { teachRl } from "./teach/teach-rl.ts";
import { teachSignals } from "./teach/teach-signals.ts";
import { threeTiers } from "./teach/three-tiers.ts";
import { zoo } from "./zoo/zoo.ts";

const all: readonly Experiment[] = [
  headline,
  replLosses,
  replCurricula,
  replFullFirst,
  replSpacing,
  replPositions,
  replExtrapolation,
  parityTable,
  arithmeticTable,
  arithmeticSearched,
  s5Swaps,
  olmoTable,
  massDecay,
  marginalAdversary,
  beliefModels,
  interpret,
  stateParity,
  statePermutation,
  stateArithmetic,
  stateDigits,
  stateLoss,
  stateRepl,
  runtime2x2,
  neuralDebugger,
  executionLabels,
  teachSignals,
  schedulesExperiment,
  teachMixture,
  teachRl,
  stateTuning,
  stateCollapse,
  threeTiers,
  zoo,
  tomitaAutomata,
  ssePartitions,
  cachingSawtooth,
  lactChunks,
  failureOnset,
  faultLocalisation,
  apiMachineExperiment,
  activeRevealsExperiment,
  contextViews,
  checkRetryExperiment,
];

export const experiments: Readonly<Record<string, Experiment>> = Object.fromEntries(
  all.map((experiment) => [experiment.name, experiment]),
);

export function experimentNamed(name: string): Experiment {
  if (Object.hasOwn(experiments, name)) return experiments[name];
  return fail("reproduce", "the name of an experiment", name, suggest(name, Object.keys(experiments)));
}
