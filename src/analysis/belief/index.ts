/** @file Belief under uncertainty: filters in plain numbers, what they pay, when they fail. docs/belief.md says what for. */

export {
  type ActivePlan,
  type ActiveReveals,
  type ActiveScore,
  activeReference,
  activeRevealSteps,
  followActive,
} from "./active.ts";
export {
  type AdversaryOptions,
  type MarginalAdversary,
  type Mistake,
  marginalAdversary,
  marginalAdversarySteps,
} from "./adversary.ts";
export { blockEntropy, type EntropyBounds, entropyRateBounds } from "./block-entropy.ts";
export { type Decay, type DecayPlan, decaySteps, type FilterScore } from "./decay.ts";
export { exactFilter, swapWalk } from "./exact.ts";
export { revealBounds } from "./expectimax.ts";
export { type Evidence, type Filter, runFilter, surprises } from "./filter.ts";
export { jointFilter, totalMass } from "./joint.ts";
export { doublyStochastic, type MarginalRule, marginalFilter, marginalRules } from "./marginal.ts";
export { type MassDecay, type MassDecayOptions, massDecay, massDecaySteps } from "./mass-decay.ts";
export { type Horizon, measureUnderflow, predictedHorizon, type Underflow } from "./normalization-loss.ts";
export { deviation, type ReferenceRow, referenceFor, referenceRows } from "./published-values.ts";
export { drawEpisode, type EpisodePlan } from "./sample-trajectory.ts";
export { type Calibration, type Calibrator, calibrator, type Estimate, estimate } from "./score.ts";
export { windowedFilter } from "./windowed.ts";
