/**
 * @file statelab/inspect: looking into a trained model and reaching in: taps, silenced and patched heads, and each
 * analysis as a function of what was recorded. Reaches no module of Node; `analyseRun` of statelab/runs does them all.
 *
 *     const forward = await openForward(run, 1, tokens.length);
 *     const { logits, "layers.0.beta": beta } = await forward.run(tokens, { "interventions.0.scale": scale });
 */

export { type Ablation, ablateHeads } from "../analysis/ablation.ts";
export { type Analysis, defineAnalysis, type Given, type Need } from "../analysis/analysis.ts";
export { type Attention, attentionOf } from "../analysis/attention.ts";
export { type Extraction, extractAutomaton } from "../analysis/automaton.ts";
export { type BetaOfHead, betaOfHeads } from "../analysis/beta.ts";
export { type Collapse, collapseOf } from "../analysis/collapse.ts";
export { type AnalysisDocument, parseAnalysis, partsOf } from "../analysis/document.ts";
export { type Mistakes, mistakesOf } from "../analysis/errors.ts";
export type { Figure } from "../analysis/figures.ts";
export { type AnalysisName, analyses, analysisNames } from "../analysis/index.ts";
export type { AskPairs, AskWithout, HeadPlace, ProgramPair } from "../analysis/intervention.ts";
export { type KeysOfHead, keysOfHeads } from "../analysis/keys.ts";
export { type Patching, patchHeads, programPairs } from "../analysis/patching.ts";
export { type Probes, probeStates } from "../analysis/probe.ts";
export {
  type AskedPlace,
  type LayerTraits,
  type Program,
  type Recording,
  rowAt,
  type Tap,
} from "../analysis/recording.ts";
export type { Part } from "../analysis/section.ts";
export { type Trajectories, trajectoriesOf } from "../analysis/trajectories.ts";
export { type Forward, openForward, silencing } from "../app/analyze/forward.ts";
export { askerOf } from "../app/analyze/patch-pairs.ts";
export { type Collected, collect } from "../app/analyze/record-activations.ts";
export { analysisReport } from "../report/analysis.ts";
