/** @file The registry of checkpoint families. To add one: write its file, and one line here; docs/how-to/import-export.md has its row. */

import { fail } from "../../core/error.ts";
import { formatList, shellWord } from "../../core/format.ts";
import { NORM_EPSILON } from "../layers.ts";
import {
  configChecks,
  type ForeignConfig,
  type ForeignTensors,
  mayMatter,
  type OwnModel,
  type Weights,
  watched,
} from "./family.ts";
import { deltaNet, gatedDeltaNet } from "./fla.ts";
import { llama } from "./llama.ts";
import { tensorReader } from "./tensors.ts";

export const families = { delta_net: deltaNet, gated_deltanet: gatedDeltaNet, llama };

export interface Imported {
  /** The `model` section of a run's configuration. */
  readonly model: Readonly<Record<string, unknown>>;
  readonly vocabulary: number;
  readonly weights: Weights;
}

/** `at` is named in errors. @throws LabError for an unsupported setting, or a tensor that is missing or of another shape. */
export function importedWeights(config: ForeignConfig, tensors: ForeignTensors, at: string): Imported {
  const all = Object.values(families);
  const types = all.flatMap(({ modelTypes }) => modelTypes);
  const family =
    all.find(({ modelTypes }) => modelTypes.includes(String(config.model_type))) ??
    fail(
      at,
      `a model_type of ${types.join(", ")}`,
      String(config.model_type),
      "statelab" in config
        ? `It is a Statelab run; export it first: statelab export ${shellWord(at)} --to hf`
        : undefined,
    );
  const settings = watched(config);
  const stored = watched(tensors);
  const checks = configChecks(settings.seen, at);
  checks.may("tie_word_embeddings", [true, false]);
  const { mixer, heads, layers, own, epsilon } = family.config(settings.seen, checks);
  const weights = family.weights(settings.seen, tensorReader(stored.seen, at));
  for (const key of settings.unread().filter((each) => mayMatter(config, each)))
    fail(`${at}, ${key}`, "a setting that Statelab supports", config[key]);
  for (const name of stored.unread().filter((each) => !isCopy(each, config)))
    fail(`${at}, ${name}`, "only tensors that Statelab has", `shape [${tensors[name]!.shape}]`);
  const [vocabulary, width] = weights.embedding.shape;
  const feedForward = weights["layers.0.feedForward.down"]?.shape[0] ?? 0;
  const convolution = weights["layers.0.mixer.convolution"]?.shape[0] ?? 0;
  const sizes = { hidden_size: width, vocab_size: vocabulary, intermediate_size: feedForward };
  for (const [key, size] of Object.entries({
    ...sizes,
    ...(convolution > 0 && { conv_size: convolution }),
  })) {
    const said = config[key];
    if (said !== size && said !== undefined && said !== null)
      fail(`${at}, ${key}`, `${size}, as in its tensors`, said);
  }
  const normEpsilon = Number(epsilon ?? NORM_EPSILON);
  return {
    model: { name: mixer, layers, width, feedForward, heads, normEpsilon, ...own, convolution },
    ...{ vocabulary, weights },
  };
}

export interface Written {
  /** `config.json`, as the library of the family reads it. */
  readonly config: ForeignConfig;
  readonly tensors: Weights;
}

/**
 * A model of ours as a checkpoint of its family: the inverse of `importedWeights`.
 * @throws LabError by `at` if no family supports it.
 */
export function writtenFor(
  model: Readonly<Record<string, unknown>>,
  weights: Weights,
  longest: number,
  at: string,
): Written {
  const all = Object.values(families);
  const family =
    all.find(({ write }) => write.mixer === model.name) ??
    fail(
      `${at}, model.name`,
      formatList(all.map(({ write }) => write.mixer)),
      model.name,
      "No other library reads it",
    );
  const ours = { normEpsilon: NORM_EPSILON, ...model } as unknown as OwnModel; // those mixers have all of its fields
  if (model.initialState === "trained") {
    const hint = "Only model.onnx supports it";
    fail(`${at}, model.initialState`, "zeros", "trained", hint);
  }
  if (ours.feedForward === 0) fail(`${at}, model.feedForward`, "more than 0", 0);
  const [vocabulary, width] = weights.embedding.shape;
  const config = {
    ...{ model_type: family.modelTypes[0], architectures: [family.write.architecture] },
    ...{ vocab_size: vocabulary, hidden_size: width, num_hidden_layers: ours.layers },
    ...{ intermediate_size: ours.feedForward, max_position_embeddings: longest },
    ...{ tie_word_embeddings: false, torch_dtype: "float32" },
    ...{ bos_token_id: null, eos_token_id: null, pad_token_id: null },
    ...family.write.config(ours, at),
  };
  return { config, tensors: family.write.tensors(ours, weights) };
}

/** Redundant tensors and settings: a head tied to the embedding, the frequencies of rotary positions. */
const isCopy = (name: string, config: ForeignConfig): boolean =>
  (name === "lm_head.weight" && config.tie_word_embeddings === true) || name.endsWith(".rotary_emb.inv_freq");
