/**
 * @file statelab/models: every architecture by name, the language model around it, and the parts to write one of your
 * own from. Reaches no module of Node.
 *
 *     const model = configureModel(modelNamed("deltanet"), { name: "deltanet", width: 32 }, vocabulary, "my model");
 *     const logits = applyModel(model, graph.parameters(parameterShapes(model)), tokens);
 */

export {
  type AnyMixer,
  type Architecture,
  type Attachments,
  applyLayers,
  applyModel,
  configureModel,
  defineModel,
  describeModel,
  initialParameters,
  isPattern,
  type LayerMixer,
  type Mixer,
  type MixerName,
  type Model,
  type ModelName,
  type ModelParameters,
  type ModelShapes,
  mixers,
  modelNamed,
  models,
  type Pattern,
  parameterCount,
  parameterShapes,
  stateShapes,
  stepModel,
  type Traits,
  type Transition,
  traitsOf,
} from "../models/index.ts";
export {
  constantParameter,
  convolutionParameter,
  convolutionStep,
  convolutionStepIfAny,
  decayParameters,
  headWidth,
  joinHeads,
  logDecay,
  norm,
  normal,
  pastOf,
  splitHeads,
  swiGlu,
  tapStep,
  unitQueryKeyValue,
} from "../models/layers.ts";
export { type Context, READOUT, type State, type StepContext } from "../models/model.ts";
