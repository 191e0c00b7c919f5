/**
 * @file Mamba and Mamba-2 of Hugging Face: our `mamba` with `transition: "[0,1]"`, and `mamba2`.
 *
 *     theirs                                             ours
 *     backbone.layers.L.mixer.in_proj, out_proj          layers.L.mixer.input, out
 *     backbone.layers.L.mixer.conv1d.weight, bias        layers.L.mixer.convolution, convolutionBias
 *     Mamba: x_proj, dt_proj.weight, dt_proj.bias        selection, step, stepBias
 *     Mamba: A_log [e d, N], D                           logRate [N e d], skip
 *     Mamba-2: dt_bias, A_log, D, norm.weight            stepBias, logRate, skip, norm
 *
 *     refused     biases of the projections, no bias of the convolution; Mamba: another rank of the steps than d / 16;
 *                 Mamba-2: several groups, no norm, limits of the steps
 *
 * Source: transformers (models/mamba, models/mamba2).
 */

import { fail } from "../../core/error.ts";
import { mamba } from "../mamba.ts";
import { mamba2 } from "../mamba2.ts";
import { defineFamily } from "./family.ts";
import { linear, plain, taps } from "./tensors.ts";

const names = {
  ...{ embedding: "backbone.embeddings", norm: "backbone.norm_f", layers: "backbone.layers" },
  ...{ mixerNorm: "norm", mixer: "mixer" },
};
const fields = {
  ...{ state_size: "stateSize", expand: "expansion", conv_kernel: "convolution" },
  layer_norm_epsilon: "normEpsilon",
};
const fixed = { hidden_act: ["silu", "swish"], use_bias: [false], use_conv_bias: [true] };

const parts = {
  input: linear("in_proj"),
  convolution: taps("conv1d"),
  convolutionBias: plain("conv1d.bias"),
  skip: plain("D"),
  out: linear("out_proj"),
};

function needConvolution({ convolution }: { readonly convolution: number }, at: string): void {
  if (convolution === 0) fail(`${at}, model.convolution`, "1 or more, as Mamba", 0);
}

export const mambaFamily = defineFamily({
  architecture: "MambaForCausalLM",
  source: "github.com/huggingface/transformers, models/mamba",
  ...{ mixer: mamba, names, fields, fixed, own: { transition: "[0,1]" } },
  read(theirs, { may }) {
    const width = Number(theirs.hidden_size);
    may("time_step_rank", [Math.ceil(width / 16), "auto"]);
    may("rms_norm", [true]);
    may("intermediate_size", [width * Number(theirs.expand)]);
    return {};
  },
  write(ours, at) {
    needConvolution(ours, at);
    return { time_step_rank: Math.ceil(ours.width / 16) };
  },
  parts: ({ stateSize }) => ({
    ...parts,
    selection: linear("x_proj"),
    step: linear("dt_proj"),
    stepBias: plain("dt_proj.bias"),
    logRate: { names: ["A_log"], theirs: ([count]) => [count / stateSize, stateSize], turned: true },
  }),
});

export const mamba2Family = defineFamily({
  architecture: "Mamba2ForCausalLM",
  source: "github.com/huggingface/transformers, models/mamba2",
  ...{
    mixer: mamba2,
    names,
    fields: { ...fields, num_heads: "heads" },
    fixed: { ...fixed, rms_norm: [true] },
  },
  read(theirs, { may, must, refuse }) {
    void theirs.time_step_rank; // without effect
    may("norm_before_gate", [false]);
    must("n_groups", 1, "8, the default");
    may("head_dim", [(Number(theirs.hidden_size) * Number(theirs.expand)) / Number(theirs.num_heads)]);
    const limit = JSON.stringify(theirs.time_step_limit ?? null);
    if (!["null", '[0,"Infinity"]', '[0,{"__float__":"Infinity"}]'].includes(limit))
      refuse("time_step_limit", "0 to Infinity", limit);
    return {};
  },
  write(ours, at) {
    needConvolution(ours, at);
    return { n_groups: 1, head_dim: (ours.width * ours.expansion) / ours.heads };
  },
  parts: () => ({
    ...parts,
    stepBias: plain("dt_bias"),
    logRate: plain("A_log"),
    norm: plain("norm.weight"),
  }),
});
