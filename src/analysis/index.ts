/** @file Every analysis, by name, in the order of the page. To add one: write its file, its test, and one line here. */

import { ablation } from "./ablation.ts";
import { taps } from "./activations.ts";
import { attention } from "./attention.ts";
import { automaton } from "./automaton.ts";
import { beta } from "./beta.ts";
import { collapse } from "./collapse.ts";
import { mistakes } from "./errors.ts";
import { keys } from "./keys.ts";
import { patching } from "./patching.ts";
import { probes } from "./probes.ts";
import { trajectories } from "./trajectories.ts";

export { ablateHeads } from "./ablation.ts";
export { defineAnalysis } from "./analysis.ts";
export { measureAttention } from "./attention.ts";
export { extractAutomaton } from "./automaton.ts";
export {
  activeRevealSteps,
  exactFilter,
  jointFilter,
  marginalAdversary,
  marginalAdversarySteps,
  marginalFilter,
  massDecay,
  massDecaySteps,
  windowedFilter,
} from "./belief/index.ts";
export { betaOfHeads } from "./beta.ts";
export { measureCollapse } from "./collapse.ts";
export { countMistakes } from "./errors.ts";
export { keysOfHeads } from "./keys.ts";
export { patchHeads } from "./patching.ts";
export { probeStates } from "./probes.ts";
export type { Recording } from "./recording.ts";
export { findTrajectories } from "./trajectories.ts";

export const analyses = {
  beta,
  taps,
  ablation,
  patching,
  attention,
  keys,
  probes,
  automaton,
  trajectories,
  collapse,
  mistakes,
};
export type AnalysisName = keyof typeof analyses;
export const analysisNames = Object.keys(analyses) as AnalysisName[]; // they are its keys
