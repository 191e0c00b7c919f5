/**
 * @file statelab/belief: what can be known of a state that is only partly shown: filters, what they pay, when they fail.
 * Reaches no module of Node (docs/belief.md).
 *
 *     const machine = machineOf(swapWalk(3, 0.5));
 *     surprises(exactFilter(machine), drawEpisode(machine, { reveals: 10, spacing: 4 }, rngFrom(0)))   nats a reveal
 */

export {
  type ActivePlan,
  type ActiveReveals,
  type ActiveScore,
  type AdversaryOptions,
  activeRevealSteps,
  blockEntropy,
  type Calibration,
  calibrator,
  type Decay,
  doublyStochastic,
  drawEpisode,
  type EntropyBounds,
  type EpisodePlan,
  entropyRateBounds,
  exactFilter,
  type Filter,
  type FilterScore,
  follow,
  type Horizon,
  jointFilter,
  type MarginalAdversary,
  type MarginalRule,
  type MassDecay,
  type MassDecayOptions,
  marginalAdversary,
  marginalAdversarySteps,
  marginalFilter,
  marginalRules,
  massDecay,
  massDecaySteps,
  massOf,
  measureUnderflow,
  predictedHorizon,
  revealBounds,
  surprises,
  swapWalk,
  type Told,
  type Underflow,
  windowedFilter,
} from "../analysis/belief/index.ts";
export { type RevealChoice, revealChoices } from "../core/active-query.ts";
export type { Event, Machine } from "../core/hidden-markov.ts";
export { machineOf, type PermutationWalk } from "../core/permutation-walk.ts";
export { machineFrom, type NamedMachine } from "../tasks/index.ts";
