/**
 * @file Checkpoint families: models written by another library, with its names, and our equivalent.
 *
 * A family converts `config.json` and tensors; the caller reads files (app/import). Models without an exact equivalent are refused, by
 * setting.
 */

import { fail } from "../../core/error.ts";
import type { StoredTensor } from "../../schemas/formats/safetensors.ts";
import type { Shape } from "../../tensor/index.ts";
import type { AnyMixer, Mixer } from "../model.ts";
import type { Parts, Weight } from "./tensors.ts";

/** `config.json` of a checkpoint. */
export type ForeignConfig = Readonly<Record<string, unknown>>;
export type ForeignTensors = Readonly<Record<string, StoredTensor>>;
export type Weights = Readonly<Record<string, Weight>>;

/** The `model` section of a run's configuration, with defaults. */
export type Own<Config> = Config & {
  readonly layers: number;
  readonly width: number;
  readonly feedForward: number;
  readonly normEpsilon: number;
};

/** A family whose model is our stack around one mixer: settings and tensors in both directions. */
export interface Family<Config = never> {
  /** The Hugging Face class that loads it. */
  readonly architecture: string;
  /** The source of the names and the definition. */
  readonly source: string;
  readonly mixer: AnyMixer;
  readonly names: StackNames;
  /** Settings that have a field of ours: both hold the same number. */
  readonly fields: Readonly<Record<string, string>>;
  /** Settings with a fixed value: those accepted, or absent; the first is written. */
  readonly fixed: Readonly<Record<string, readonly unknown[]>>;
  /** Fields of ours with a fixed value; undefined, false and 0 are the same. */
  readonly own?: Readonly<Record<string, unknown>>;
  /** The mixer's other fields, from its settings. Refuses other settings. */
  read(theirs: ForeignConfig, checks: Checks): object;
  /** The inverse of `read`. Errors: LabError by `at` for an unsupported configuration. */
  write(ours: Own<Config>, at: string): ForeignConfig;
  /** The tensors of the mixer's parameters, by our names; those that a model does not have are ignored. */
  parts(ours: Own<Config>): Parts;
  /** Shapes of parameters in `parts` that a model of ours may lack and theirs always has: zeros are written. */
  zeros?(ours: Own<Config>): Readonly<Record<string, Shape>>;
}

/** The names of the tensors around the mixers (decoder.ts). */
export interface StackNames {
  readonly embedding: string;
  readonly norm: string;
  /** Before the number of a layer. */
  readonly layers: string;
  readonly mixerNorm: string;
  readonly mixer: string;
  /** None for layers without a feed-forward part. */
  readonly feedForwardNorm?: string;
}

/** Refuses, by name, an unsupported setting. Unread settings are refused, too, unless they are known to have no effect. */
export interface Checks {
  /** If present, it must be one of these; if none, it must be absent. */
  may(key: string, allowed: readonly unknown[]): void;
  /** It is present with this value; otherwise `byDefault` applies. */
  must(key: string, value: unknown, byDefault: string): void;
  /** Its number, or a boolean. Errors: LabError if it is absent. */
  number(key: string): number | boolean;
  refuse(key: string, expected: string, got: unknown): never;
}

/**
 * Settings without effect on the computation, or derived from the weights: sizes, tokens, training, initialization, storage,
 * generation, kernels.
 */
const WITHOUT_EFFECT = new Set(
  [
    "model_type architectures auto_map _name_or_path name_or_path transformers_version fla_version torch_dtype dtype torchscript",
    "vocab_size hidden_size intermediate_size hidden_ratio conv_size max_position_embeddings",
    "bos_token_id eos_token_id pad_token_id unk_token_id sep_token_id cls_token_id",
    "use_cache use_return_dict return_dict output_attentions output_hidden_states is_decoder is_encoder_decoder problem_type",
    "initializer_range initializer_std attention_dropout pretraining_tp id2label label2id task_specific_params quantization_config",
    "is_llama_config rope_interleaved", // of nanotron, which transformers does not read
    "d_model d_inner n_layer fused_add_norm pad_vocab_size_multiple ssm_cfg", // of mamba_ssm, likewise
    "max_window_layers residual_in_fp32 rescale_prenorm_residual use_mambapy use_associative_scan chunk_size",
    "time_step_scale time_step_min time_step_max time_step_floor time_step_init_scheme",
    "attn_mode fuse_norm fuse_swiglu fuse_cross_entropy fuse_linear_cross_entropy use_l2warp _attn_implementation_autoset",
  ].flatMap((line) => line.split(" ")),
);

/** Tracks the settings and tensors that were read, so that unread ones can be refused: they might change the computation. */
export function watched<Values extends Readonly<Record<string, unknown>>>(values: Values) {
  const read = new Set<string>();
  const seen = new Proxy(values, {
    get(target, key) {
      read.add(String(key));
      return target[String(key)];
    },
  });
  return { seen, unread: () => Object.keys(values).filter((key) => !read.has(key)) };
}

/** A setting of `null` counts as absent. */
export const mayMatter = (config: ForeignConfig, key: string): boolean =>
  !WITHOUT_EFFECT.has(key) && config[key] !== null && config[key] !== undefined;

export function defineFamily<Config>(
  // biome-ignore lint/suspicious/noExplicitAny: the mixer's parameters may have any type
  family: Family<Config> & { readonly mixer: Mixer<Config, any> },
): Family {
  return family;
}

export function configChecks(config: ForeignConfig, at: string): Checks {
  return {
    may(key, allowed) {
      const value = config[key];
      if (value === undefined || value === null || allowed.includes(value)) return;
      const words = allowed.length === 0 ? "none" : allowed.map((each) => JSON.stringify(each)).join(" or ");
      fail(`${at}, ${key}`, `${words}, as in Statelab`, value);
    },
    must(key, value, byDefault) {
      if (config[key] === value) return;
      fail(`${at}, ${key}`, `${JSON.stringify(value)}, as in Statelab`, config[key] ?? byDefault);
    },
    number(key) {
      const value = config[key];
      if (typeof value === "number" || typeof value === "boolean") return value;
      return fail(`${at}, ${key}`, "a number", value ?? "none");
    },
    refuse: (key, expected, got) => fail(`${at}, ${key}`, expected, got),
  };
}
