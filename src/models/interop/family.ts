/**
 * @file Checkpoint families: models written by another library, with its names, and our equivalent.
 *
 * A family converts `config.json` and tensors; the caller reads files (app/import). Models without an exact equivalent are refused, by
 * setting.
 */

import { fail } from "../../core/error.ts";
import type { StoredTensor } from "../../schemas/formats/safetensors.ts";
import type { Read, Weight } from "./tensors.ts";

/** `config.json` of a checkpoint. */
export type ForeignConfig = Readonly<Record<string, unknown>>;
export type ForeignTensors = Readonly<Record<string, StoredTensor>>;
export type Weights = Readonly<Record<string, Weight>>;

export interface Family {
  readonly name: string;
  /** The values of `model_type` of this family. */
  readonly modelTypes: readonly string[];
  /** The source of the names and the definition. */
  readonly source: string;
  /** Converts settings to our configuration, and states the required values of the others. */
  config(theirs: ForeignConfig, checks: Checks): ForeignModel;
  /** Converts its tensors to ours. */
  weights(theirs: ForeignConfig, read: Read): Weights;
  /** The inverse: exports a run of ours as a checkpoint of this family. */
  readonly write: {
    /** The name of our mixer. */
    readonly mixer: string;
    /** The Hugging Face class that loads it. */
    readonly architecture: string;
    /** Its settings, other than sizes, words and norms. Errors: LabError by `at` for an unsupported configuration. */
    config(ours: OwnModel, at: string): ForeignConfig;
    tensors(ours: OwnModel, weights: Weights): Weights;
  };
}

/** The `model` section of a run's configuration, for a mixer with heads. */
export interface OwnModel {
  readonly name: string;
  readonly layers: number;
  readonly width: number;
  readonly feedForward: number;
  readonly normEpsilon: number;
  readonly heads: number;
  readonly betaMax?: number;
  readonly convolution?: number;
  readonly rotaryBase?: number;
  readonly rotaryScaling?: Readonly<Record<string, unknown>>;
}

export interface ForeignModel {
  /** The name of a mixer of ours. */
  readonly mixer: string;
  /** Settings of that mixer, other than those derived from the weights. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly heads: number;
  readonly layers: number;
  /** Epsilon of its norms; ours if undefined. */
  readonly epsilon?: unknown;
}

/** Refuses, by name, an unsupported setting. Unread settings are refused, too, unless they are known to have no effect. */
export interface Checks {
  /** If present, it must be one of these; if none, it must be absent. */
  may(key: string, allowed: readonly unknown[]): void;
  /** It is present with this value; otherwise `byDefault` applies. */
  must(key: string, value: unknown, byDefault: string): void;
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

export function defineFamily(family: Family): Family {
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
    refuse: (key, expected, got) => fail(`${at}, ${key}`, expected, got),
  };
}
