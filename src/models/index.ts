/** @file The registry of models. To add a model: write its file, its naive reference, and one line here. */

import { nearest } from "../core/did-you-mean.ts";
import { fail } from "../core/error.ts";
import { cached } from "./cached.ts";
import { deltanet } from "./deltanet.ts";
import { deltaproduct } from "./deltaproduct.ts";
import { fox } from "./fox.ts";
import { gatedDeltanet } from "./gated-deltanet.ts";
import { gatedDeltanet2 } from "./gated-deltanet-2.ts";
import { gka } from "./gka.ts";
import { gla } from "./gla.ts";
import { gmu } from "./gmu.ts";
import { gru } from "./gru.ts";
import { makeHybrid } from "./hybrid.ts";
import { kda } from "./kda.ts";
import { lact } from "./lact.ts";
import { logLinear } from "./log-linear.ts";
import { longConvolution } from "./long-convolution.ts";
import { lstm } from "./lstm.ts";
import { mamba } from "./mamba.ts";
import { mamba2 } from "./mamba2.ts";
import { mamba3 } from "./mamba3.ts";
import { mlstm } from "./mlstm.ts";
import { mlstmBlock } from "./mlstm-block.ts";
import type { Architecture } from "./model.ts";
import { path } from "./path.ts";
import { pdSsm } from "./pd-ssm.ts";
import { rnn } from "./rnn.ts";
import { rwkv7 } from "./rwkv7.ts";
import { s4d } from "./s4d.ts";
import { s5 } from "./s5.ts";
import { sdSsm } from "./sd-ssm.ts";
import { seqboat } from "./seqboat.ts";
import { slstm } from "./slstm.ts";
import { slstmBlock } from "./slstm-block.ts";
import { srGru } from "./sr-gru.ts";
import { sse } from "./sse.ts";
import { transformer } from "./transformer.ts";

export {
  convolutionPast,
  headWidth,
  joinHeads,
  norm,
  normal,
  splitHeads,
  swiGlu,
  tapStep,
} from "./layers.ts";
export {
  type Architecture,
  type Context,
  defineModel,
  type Mixer,
  mixerTraits,
  READOUT,
  type State,
  type StepContext,
} from "./model.ts";
export {
  applyModel,
  configSchema,
  configureModel,
  describeModel,
  initialParameters,
  type Model,
  type ModelParameters,
  type ModelShapes,
  parameterCount,
  parameterShapes,
  stateShapes,
  stepModel,
} from "./stack.ts";

export const mixers = {
  deltanet,
  "gated-deltanet": gatedDeltanet,
  deltaproduct,
  kda,
  "gated-deltanet-2": gatedDeltanet2,
  rwkv7,
  gla,
  "log-linear": logLinear,
  gka,
  sse,
  cached,
  lact,
  mamba,
  mamba2,
  mamba3,
  mlstm,
  "mlstm-block": mlstmBlock,
  s4d,
  s5,
  "long-convolution": longConvolution,
  "sd-ssm": sdSsm,
  "pd-ssm": pdSsm,
  transformer,
  fox,
  path,
  seqboat,
  rnn,
  gru,
  "sr-gru": srGru,
  lstm,
  slstm,
  gmu,
  "slstm-block": slstmBlock,
};
export type MixerName = keyof typeof mixers;

export const models = { ...mixers, hybrid: makeHybrid(mixers) };
export type ModelName = keyof typeof models;

export function modelNamed(name: string): Architecture {
  if (Object.hasOwn(models, name)) return models[name as ModelName];
  const close = nearest(name, Object.keys(models));
  const hint =
    close === undefined
      ? "See statelab list models, or use your own: --model ./mine.ts"
      : `Did you mean ${close}?`;
  return fail("model", "the name of a model", name, hint);
}
