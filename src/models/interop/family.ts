/**
 * @file What a checkpoint family is: models that another library writes, under its names, and which of ours computes the same.
 *
 * A family reads `config.json` and tensors; files are read by whoever may (work/import). What ours cannot compute is
 * refused, by name.
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
  /** The values of `model_type` that are of this family. */
  readonly modelTypes: readonly string[];
  /** Where the names and the definition stand. */
  readonly source: string;
  /** Of its settings: what ours is called, and what each has to be for ours to compute the same. */
  config(theirs: ForeignConfig, checks: Checks): ForeignModel;
  /** Its tensors under our names. */
  weights(theirs: ForeignConfig, read: Read): Weights;
  /** The same the other way: a run of ours as a checkpoint of this family. */
  readonly write: {
    /** The name of our mixer. */
    readonly mixer: string;
    /** The class that reads it. */
    readonly architecture: string;
    /** Its settings, beside those of sizes, words and norms. Errors: LabError by `at` for what it cannot compute. */
    config(ours: OwnModel, at: string): ForeignConfig;
    tensors(ours: OwnModel, weights: Weights): Weights;
  };
}

/** The `model` of a run's configuration, of a mixer with heads. */
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
  /** Settings of that mixer, without those that are read off the weights. */
  readonly own: Readonly<Record<string, unknown>>;
  readonly heads: number;
  readonly layers: number;
  /** What its norms add under the root; as ours if undefined. */
  readonly epsilon?: unknown;
}

/** Refuses, by name, a setting that ours cannot compute. A setting that nobody reads is refused, too, unless it is known to change nothing. */
export interface Checks {
  /** Where it is said, it is one of these; of none of them, it is not said. */
  may(key: string, allowed: readonly unknown[]): void;
  /** It is said and is this; else it would be what `byDefault` says. */
  must(key: string, value: unknown, byDefault: string): void;
  refuse(key: string, expected: string, got: unknown): never;
}

/**
 * Settings that change nothing in what is computed, or are read off the weights: sizes, tokens, how it was trained, initialised,
 * stored and generated from, which kernels were used.
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

/** What is read of a checkpoint, so that what was not can be refused: it might change what is computed. */
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

/** A setting that says nothing, `null`, is none. */
export const mayMatter = (config: ForeignConfig, key: string): boolean =>
  !WITHOUT_EFFECT.has(key) && config[key] !== null && config[key] !== undefined;

export function defineFamily(family: Family): Family {
  return family;
}

export function checksOf(config: ForeignConfig, at: string): Checks {
  return {
    may(key, allowed) {
      const value = config[key];
      if (value === undefined || value === null || allowed.includes(value)) return;
      const words = allowed.length === 0 ? "none" : allowed.map((each) => JSON.stringify(each)).join(" or ");
      fail(`${at}, ${key}`, `${words}, as ours`, value);
    },
    must(key, value, byDefault) {
      if (config[key] === value) return;
      fail(`${at}, ${key}`, `${JSON.stringify(value)}, as ours`, config[key] ?? byDefault);
    },
    refuse: (key, expected, got) => fail(`${at}, ${key}`, expected, got),
  };
}
