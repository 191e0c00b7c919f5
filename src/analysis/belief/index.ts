/** @file Belief under uncertainty: filters in plain numbers, what they pay, when they fail. docs/concepts/belief.md says what for. */

export {
  type ActivePlan,
  type ActiveReveals,
  type ActiveScore,
  activeReference,
  activeRevealSteps,
  followActive,
  revealBounds,
} from "./active.ts";
export {
  type AdversaryOptions,
  type MarginalAdversary,
  type Mistake,
  marginalAdversary,
  marginalAdversarySteps,
} from "./adversary.ts";
export { blockEntropy, type EntropyBounds, entropyRateBounds } from "./block-entropy.ts";
export {
  type Decay,
  type DecayPlan,
  decaySteps,
  type FilterScore,
  type MassDecay,
  type MassDecayOptions,
  massDecay,
  massDecaySteps,
} from "./decay.ts";
export {
  type Evidence,
  exactFilter,
  type Filter,
  jointFilter,
  runFilter,
  surprises,
  swapWalk,
  totalMass,
  windowedFilter,
} from "./filter.ts";
export { doublyStochastic, type MarginalRule, marginalFilter, marginalRules } from "./marginal.ts";
export { type Horizon, measureUnderflow, predictedHorizon, type Underflow } from "./normalization-loss.ts";
export { deviation, type ReferenceRow, referenceFor, referenceRows } from "./published-values.ts";
export { drawEpisode, type EpisodePlan } from "./sample-trajectory.ts";
export { type Calibration, type Calibrator, calibrator, type Estimate, estimate } from "./score.ts";
