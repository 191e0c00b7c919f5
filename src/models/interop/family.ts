/**
 * @file What a checkpoint family is: models that another library writes, under its names, and which of ours computes the same.
 *
 * A family reads `config.json` and tensors; files are read by whoever may (work/import). What ours cannot compute is
 * refused, by name.
 */

import { fail } from "../../records/error.ts";
import type { StoredTensor } from "../../records/safetensors.ts";
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

/** Refuses, by name, a setting that ours cannot compute. */
export interface Checks {
  /** Where it is said, it is one of these; of none of them, it is not said. */
  may(key: string, allowed: readonly unknown[]): void;
  /** It is said and is this; else it would be what `byDefault` says. */
  must(key: string, value: unknown, byDefault: string): void;
}

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
  };
}
