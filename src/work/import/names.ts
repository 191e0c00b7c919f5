/**
 * @file Weights of flash-linear-attention and Hugging Face under our names: config.json and tensors to a model of ours.
 *
 *     theirs                                                             ours
 *     model.embeddings.weight | model.embed_tokens.weight [V, d]         embedding [V, d]
 *     model.layers.L.attn_norm | input_layernorm .weight                 layers.L.mixerNorm
 *     model.layers.L.attn | self_attn .{q,k,v}_proj.weight [d, d]        layers.L.mixer.qkv [d, 3d], transposed, side by side
 *     ... .{q,k,v}_conv1d.weight [d, 1, K]                               ... .convolution [K, 3d]
 *     ... .b_proj, o_norm, o_proj                                        ... .beta, norm, out
 *     ... .g_proj, a_proj, dt_bias, A_log (gated)                        ... .gate, decay.weight, decay.bias, decay.logRate
 *     model.layers.L.mlp_norm | post_attention_layernorm .weight         layers.L.feedForwardNorm
 *     model.layers.L.mlp.{gate,up}_proj.weight, down_proj                layers.L.feedForward.gateAndUp, down
 *     model.norm.weight, lm_head.weight                                  norm, head
 *
 * A Linear of PyTorch is [out, in], ours [in, out]. What ours cannot compute is refused, by name.
 * Source: github.com/fla-org/flash-linear-attention (layers/delta_net, gated_deltanet), transformers (models/llama).
 */

import { fail } from "../../records/error.ts";
import type { StoredTensor } from "../../records/safetensors.ts";

export interface Imported {
  /** The `model` of a run's configuration. */
  readonly model: Readonly<Record<string, unknown>>;
  readonly vocabulary: number;
  readonly weights: Readonly<
    Record<string, { readonly shape: readonly number[]; readonly data: Float32Array }>
  >;
  /** What is computed a little differently here, a sentence each. */
  readonly remarks: readonly string[];
}

type Config = Readonly<Record<string, unknown>>;
type Tensors = Readonly<Record<string, StoredTensor>>;

const families = { delta_net: "deltanet", gated_deltanet: "gated-deltanet", llama: "transformer" } as const;
type Family = (typeof families)[keyof typeof families];
const OUR_EPSILON = 1e-6;

/** `at` is named in errors. @throws LabError for what ours cannot compute, or a tensor that is missing or of another shape. */
export function importedWeights(config: Config, tensors: Tensors, at: string): Imported {
  const type = String(config.model_type);
  const family: Family = Object.hasOwn(families, type)
    ? families[type as keyof typeof families]
    : fail(at, `a model_type of ${Object.keys(families).join(", ")}`, type);
  refuseStrange(config, family, at);
  const isLlama = family === "transformer";
  const read = reader(tensors, at);
  const names = isLlama
    ? {
        embedding: "embed_tokens",
        norm: "input_layernorm",
        mixer: "self_attn",
        second: "post_attention_layernorm",
      }
    : { embedding: "embeddings", norm: "attn_norm", mixer: "attn", second: "mlp_norm" };
  const heads = Number(config[isLlama ? "num_attention_heads" : "num_heads"]);
  const layers = Number(config.num_hidden_layers);
  const embedding = read(`model.${names.embedding}.weight`);
  const [vocabulary, width] = embedding.shape;
  const weights: Record<string, Imported["weights"][string]> = {
    embedding,
    norm: read("model.norm.weight", [width]),
    head: transposed(
      config.tie_word_embeddings === true ? embedding : read("lm_head.weight", [vocabulary, width]),
    ),
  };
  let [feedForward, convolution] = [0, 0];
  for (let layer = 0; layer < layers; layer++) {
    const theirs = `model.layers.${layer}`;
    const mixer = `${theirs}.${names.mixer}`;
    const linear = (name: string, shape: readonly number[]) =>
      transposed(read(`${mixer}.${name}.weight`, shape));
    const own: Record<string, Imported["weights"][string]> = {
      qkv: sideBySide(["q", "k", "v"].map((name) => linear(`${name}_proj`, [width, width]))),
      out: linear("o_proj", [width, width]),
    };
    if (!isLlama) {
      own.beta = linear("b_proj", [heads, width]);
      own.norm = read(`${mixer}.o_norm.weight`, [width / heads]);
      if (config.use_short_conv !== false) {
        const taps = ["q", "k", "v"].map((name) => channelsLast(read(`${mixer}.${name}_conv1d.weight`)));
        own.convolution = sideBySide(taps);
        convolution = own.convolution.shape[0];
      }
    }
    if (family === "gated-deltanet") {
      own.gate = linear("g_proj", [width, width]);
      own["decay.weight"] = linear("a_proj", [heads, width]);
      own["decay.bias"] = read(`${mixer}.dt_bias`, [heads]);
      own["decay.logRate"] = read(`${mixer}.A_log`, [heads]);
    }
    for (const [name, weight] of Object.entries(own)) weights[`layers.${layer}.mixer.${name}`] = weight;
    const parts = ["gate", "up", "down"].map((name) => transposed(read(`${theirs}.mlp.${name}_proj.weight`)));
    weights[`layers.${layer}.mixerNorm`] = read(`${theirs}.${names.norm}.weight`, [width]);
    weights[`layers.${layer}.feedForwardNorm`] = read(`${theirs}.${names.second}.weight`, [width]);
    weights[`layers.${layer}.feedForward.gateAndUp`] = sideBySide(parts.slice(0, 2));
    weights[`layers.${layer}.feedForward.down`] = parts[2];
    feedForward = parts[2].shape[0];
  }
  const own = isLlama
    ? { rotaryBase: Number(config.rope_theta ?? 10_000), convolution: 0 }
    : { betaMax: config.allow_neg_eigval === true ? 2 : 1, convolution };
  const epsilon = Number(config[isLlama ? "rms_norm_eps" : "norm_eps"] ?? OUR_EPSILON);
  return {
    model: { name: family, layers, width, feedForward, heads, ...own },
    vocabulary,
    weights,
    remarks:
      epsilon === OUR_EPSILON
        ? []
        : [
            `its norms add ${epsilon} under the root, ours ${OUR_EPSILON}: outputs differ where activations are small`,
          ],
  };
}

/** The settings that change what is computed, each with the values that ours has. */
function refuseStrange(config: Config, family: Family, at: string): void {
  const must = (key: string, allowed: readonly unknown[]) => {
    const value = config[key];
    if (value === undefined || value === null || allowed.includes(value)) return;
    fail(`${at}, ${key}`, `${allowed.map((each) => JSON.stringify(each)).join(" or ")}, as ours`, value);
  };
  const width = Number(config.hidden_size);
  must("hidden_act", ["silu", "swish"]);
  if (family === "transformer") {
    must("num_key_value_heads", [config.num_attention_heads]);
    must("head_dim", [width / Number(config.num_attention_heads)]);
    must("attention_bias", [false]);
    must("mlp_bias", [false]);
    const scaling = config.rope_scaling as { readonly rope_type?: unknown } | null | undefined;
    if (scaling !== undefined && scaling !== null && scaling.rope_type !== "default") {
      fail(`${at}, rope_scaling`, "none, as ours", scaling);
    }
    return;
  }
  must("conv_bias", [false]);
  must("attn", []);
  if (family === "deltanet") {
    must("expand_k", [1]);
    must("expand_v", [1]);
    must("use_gate", [false]);
    must("use_beta", [true]);
    must("use_output_norm", [true]);
    must("qk_norm", ["l2"]);
    must("qk_activation", ["silu"]);
    return;
  }
  // fla's own default is 2: what is not said is not ours.
  if (config.expand_v !== 1) fail(`${at}, expand_v`, "1, as ours", config.expand_v ?? "2, the default");
  must("use_gate", [true]);
  must("num_v_heads", [config.num_heads]);
  must("head_dim", [width / Number(config.num_heads)]);
}

interface Weight {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

function reader(tensors: Tensors, at: string) {
  return (name: string, shape?: readonly number[]): Weight => {
    const found: StoredTensor | undefined = tensors[name];
    if (found === undefined) return fail(at, `a tensor ${name}`, "none", undefined, "corrupt");
    if (shape !== undefined && found.shape.join() !== shape.join()) {
      fail(`${at}, ${name}`, `shape [${shape}]`, found.shape, undefined, "corrupt");
    }
    return { shape: found.shape, data: asFloats(found, `${at}, ${name}`) };
  };
}

function asFloats(tensor: StoredTensor, at: string): Float32Array {
  switch (tensor.dtype) {
    case "F32":
      return tensor.data;
    case "F64":
      return Float32Array.from(tensor.data);
    case "BF16":
      // bfloat16 is the upper half of a float32.
      return new Float32Array(Uint32Array.from(tensor.data, (bits) => bits * 0x10000).buffer);
    case "F16":
      return Float32Array.from(tensor.data, halfToNumber);
    default:
      return fail(at, "F32, F64, BF16 or F16", tensor.dtype);
  }
}

/** IEEE 754 binary16. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 0x1f, bits & 0x3ff];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** [rows, columns] -> [columns, rows]. */
function transposed({ shape: [rows, columns], data }: Weight): Weight {
  const turned = new Float32Array(data.length);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) turned[j * rows + i] = data[i * columns + j];
  return { shape: [columns, rows], data: turned };
}

/** [channels, 1, taps] -> [taps, channels]. */
function channelsLast({ shape: [channels, , taps], data }: Weight): Weight {
  return transposed({ shape: [channels, taps], data });
}

/** [rows, a], [rows, b] -> [rows, a + b]. */
function sideBySide(parts: readonly Weight[]): Weight {
  const [rows] = parts[0].shape;
  const columns = parts.reduce((sum, { shape }) => sum + shape[1], 0);
  const data = new Float32Array(rows * columns);
  let left = 0;
  for (const part of parts) {
    const width = part.shape[1];
    for (let i = 0; i < rows; i++)
      data.set(part.data.subarray(i * width, (i + 1) * width), i * columns + left);
    left += width;
  }
  return { shape: [rows, columns], data };
}
