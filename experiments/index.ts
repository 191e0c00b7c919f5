/** @file Every experiment, by name. To add one: its file, one line here, its log (docs/how-to/extend.md). */

import { suggest } from "../src/core/did-you-mean.ts";
import { fail } from "../src/core/error.ts";
import { activeRevealsExperiment } from "./agents/active-reveals.ts";
import { apiPairs } from "./agents/api-pairs.ts";
import { failureOnset } from "./agents/failure-onset.ts";
import { runtime2x2 } from "./agents/runtime-2x2.ts";
import { tomitaAutomata } from "./automata/tomita-automata.ts";
import { beliefModels } from "./belief/belief-models.ts";
import { marginalAdversary } from "./belief/marginal-adversary.ts";
import { massDecay } from "./belief/mass-decay.ts";
import { executionLabels } from "./debugger/execution-labels.ts";
import { neuralDebugger } from "./debugger/neural-debugger.ts";
import { realTraces } from "./debugger/real-traces.ts";
import { headline } from "./headline/headline.ts";
import { interpret } from "./headline/interpret.ts";
import { gatedMemory } from "./recall/gated-memory.ts";
import { lactChunks } from "./recall/lact-chunks.ts";
import { objectiveMixture } from "./recall/objective-mixture.ts";
import { ssePartitions } from "./recall/sse-partitions.ts";
import { replExtrapolation } from "./repl/repl-extrapolation.ts";
import { replLosses } from "./repl/repl-losses.ts";
import { replSpacing } from "./repl/repl-spacing.ts";
import { replWords } from "./repl/repl-words.ts";
import type { Experiment } from "./runner/define.ts";
import { stateArithmetic } from "./supervision/state-arithmetic.ts";
import { stateLoss } from "./supervision/state-loss.ts";
import { stateParity } from "./supervision/state-parity.ts";
import { statePermutation } from "./supervision/state-permutation.ts";
import { stateRepl } from "./supervision/state-repl.ts";
import { arithmeticSearched } from "./tables/arithmetic-searched.ts";
import { olmoTable } from "./tables/olmo-table.ts";
import { parityTable } from "./tables/parity-table.ts";
import { s5Swaps } from "./tables/s5-swaps.ts";
import { entropyBranches } from "./teach/entropy-branches.ts";
import { hintReward } from "./teach/hint-reward.ts";
import { stateCollapse } from "./teach/state-collapse.ts";
import { stepScale } from "./teach/step-scale.ts";
import { teachMethods } from "./teach/teach-methods.ts";
import { teachSignals } from "./teach/teach-signals.ts";
import { threeTiers } from "./teach/three-tiers.ts";
import { zoo } from "./zoo/zoo.ts";

const all: readonly Experiment[] = [
  headline,
  replLosses,
  replSpacing,
  replExtrapolation,
  replWords,
  parityTable,
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
  stateLoss,
  stateRepl,
  runtime2x2,
  apiPairs,
  failureOnset,
  neuralDebugger,
  executionLabels,
  realTraces,
  teachSignals,
  teachMethods,
  stateCollapse,
  hintReward,
  entropyBranches,
  stepScale,
  threeTiers,
  zoo,
  tomitaAutomata,
  ssePartitions,
  lactChunks,
  gatedMemory,
  objectiveMixture,
  activeRevealsExperiment,
];

export const experiments: Readonly<Record<string, Experiment>> = Object.fromEntries(
  all.map((experiment) => [experiment.name, experiment]),
);

export function experimentNamed(name: string): Experiment {
  if (Object.hasOwn(experiments, name)) return experiments[name];
  return fail(
    "reproduce",
    "the name of an experiment",
    name,
    suggest(name, Object.keys(experiments), "See statelab list experiments"),
  );
}
