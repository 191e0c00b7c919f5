/** @file The registry of checkpoint families. To add one: write its file, and one line here; docs/how-to/import-export.md has its row. */

import { fail } from "../../core/error.ts";
import { formatList, shellWord } from "../../core/format.ts";
import { flattenParameters, size } from "../../tensor/index.ts";
import { configureModel, type Model, parameterShapes } from "../stack.ts";
import { decoderParts } from "./decoder.ts";
import {
  configChecks,
  type Family,
  type ForeignConfig,
  type ForeignTensors,
  mayMatter,
  type Weights,
  watched,
} from "./family.ts";
import {
  deltaNet,
  forgettingTransformer,
  gatedDeltaNet,
  gatedDeltaProduct,
  gla,
  kda,
  linearAttention,
  pathAttention,
} from "./fla.ts";
import { llama, mistral, olmo2, qwen2, qwen3, smollm3 } from "./llama.ts";
import { mamba2Family, mambaFamily } from "./mamba.ts";
import { readPart, tensorReader, writePart } from "./tensors.ts";

/** By `model_type`. */
export const families: Readonly<Record<string, Family>> = {
  delta_net: deltaNet,
  gated_deltanet: gatedDeltaNet,
  gated_deltaproduct: gatedDeltaProduct,
  gla,
  kda,
  linear_attn: linearAttention,
  forgetting_transformer: forgettingTransformer,
  path_attn: pathAttention,
  llama,
  mistral,
  qwen2,
  qwen3,
  olmo2,
  smollm3,
  mamba: mambaFamily,
  mamba2: mamba2Family,
};

export interface Imported {
  /** The `model` section of a run's configuration. */
  readonly model: Readonly<Record<string, unknown>>;
  readonly vocabulary: number;
  readonly weights: Weights;
}

/** Why well-known families have no counterpart. */
const WITHOUT_COUNTERPART: Readonly<Record<string, string>> = {
  gpt_neox: "Its LayerNorms, biases and parallel parts have no counterpart here",
  gpt2: "Its LayerNorms, biases and learned positions have no counterpart here",
  rwkv7: "fla's RWKV-7 has LayerNorms and a feed-forward part with a token shift; ours has neither",
};

/** @throws LabError by `at` for a model_type that is not supported. */
export function familyOf(config: ForeignConfig, at: string): Family {
  const type = String(config.model_type);
  if (Object.hasOwn(families, type)) return families[type];
  const hint = `It is a Statelab run; export it first: statelab export ${shellWord(at)} --to hf`;
  return fail(
    at,
    `a model_type of ${Object.keys(families).join(", ")}`,
    type,
    "statelab" in config ? hint : WITHOUT_COUNTERPART[type],
  );
}

/** `at` is named in errors. @throws LabError for an unsupported setting, or a tensor that is missing or of another shape. */
export function importedWeights(config: ForeignConfig, tensors: ForeignTensors, at: string): Imported {
  const family = familyOf(config, at);
  const { names, fields, fixed } = family;
  const settings = watched(config);
  const stored = watched(tensors);
  const checks = configChecks(settings.seen, at);
  checks.may("tie_word_embeddings", [true, false]);
  for (const [key, allowed] of Object.entries(fixed)) checks.may(key, allowed);
  const read = tensorReader(stored.seen, at);
  const [vocabulary, width] = read.shape(`${names.embedding}.weight`);
  const [, feedForward] =
    names.feedForwardNorm === undefined ? [0, 0] : read.shape(`${names.layers}.0.mlp.down_proj.weight`);
  const sizes = { hidden_size: width, vocab_size: vocabulary, intermediate_size: feedForward };
  for (const [key, size] of Object.entries(sizes)) {
    const said = config[key];
    if (size > 0 && said !== size && said !== undefined && said !== null)
      fail(`${at}, ${key}`, `${size}, as in its tensors`, said);
  }
  const model = {
    ...{ name: family.mixer.name, width, feedForward },
    ...family.own,
    ...Object.fromEntries(
      Object.entries({ ...fields, num_hidden_layers: "layers" }).map(([key, field]) => [
        field,
        checks.number(key),
      ]),
    ),
    ...family.read(settings.seen, checks),
  };
  for (const key of settings.unread().filter((each) => mayMatter(config, each)))
    fail(`${at}, ${key}`, "a setting that Statelab supports", config[key]);
  const ours = configureModel(family.mixer, model, vocabulary, at);
  const partOf = partsOf(family, ours, isTied(config, tensors));
  const weights = Object.fromEntries(
    flattenParameters(parameterShapes(ours)).map(([path, { shape }]) => [
      path,
      readPart(partOf(path), shape, read),
    ]),
  );
  for (const name of stored.unread().filter((each) => !isCopy(each, isTied(config, tensors))))
    fail(`${at}, ${name}`, "only tensors that Statelab has", `shape [${tensors[name]!.shape}]`);
  return { model, vocabulary, weights };
}

const ownOf = ({ own, layers, width, feedForward, normEpsilon }: Model) =>
  ({ ...(own as object), layers, width, feedForward, normEpsilon }) as never; // the fields of its family's mixer

const fixedFields = ({ own }: Family): NonNullable<Family["own"]> => ({ normPosition: "before", ...own });

/** A field of ours with another value than the family's. */
function differentField(family: Family, { own, normPosition }: Model): string | undefined {
  const wanted = fixedFields(family);
  const given: Family["own"] = { normPosition, ...(own as object) };
  return Object.keys(wanted).find((field) => (given[field] || undefined) !== (wanted[field] || undefined));
}

const partsOf = (family: Family, ours: Model, tied: boolean) =>
  decoderParts(family.names, family.parts(ownOf(ours)), tied);

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
  const all = Object.entries(families);
  const alike = all.filter(([, { mixer }]) => mixer.name === model.name);
  if (alike.length === 0)
    fail(
      `${at}, model.name`,
      formatList([...new Set(all.map(([, { mixer }]) => mixer.name))]),
      model.name,
      WITHOUT_COUNTERPART[String(model.name)] ?? "No other library reads it",
    );
  for (const [field, only] of Object.entries({ initialState: "zeros", loops: 1 }))
    if ((model[field] ?? only) !== only)
      fail(`${at}, model.${field}`, String(only), model[field], "Only model.onnx supports it");
  const [vocabulary, width] = weights.embedding.shape;
  const ours = configureModel(alike[0][1].mixer, model, vocabulary, at);
  const own = ownOf(ours) as Readonly<Record<string, unknown>>;
  const [type, family] = alike.find(([, each]) => differentField(each, ours) === undefined) ?? alike[0];
  const field = differentField(family, ours);
  if (field !== undefined) {
    const wanted = `${fixedFields(family)[field] ?? "none"}, as ${family.architecture}`;
    fail(`${at}, model.${field}`, wanted, model[field]);
  }
  const { fields, fixed } = family;
  const { feedForwardNorm } = family.names;
  if ((feedForwardNorm === undefined) !== (ours.feedForward === 0))
    fail(`${at}, model.feedForward`, feedForwardNorm === undefined ? "0" : "more than 0", ours.feedForward);
  const config = {
    ...{ model_type: type, architectures: [family.architecture] },
    ...{ vocab_size: vocabulary, hidden_size: width, num_hidden_layers: ours.layers },
    ...(ours.feedForward > 0 && { intermediate_size: ours.feedForward }),
    max_position_embeddings: longest,
    ...{ tie_word_embeddings: false, torch_dtype: "float32" },
    ...Object.fromEntries(Object.entries(fixed).map(([key, [value]]) => [key, value])),
    ...Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, own[field]])),
    ...family.write(own as never, at),
  };
  const partOf = partsOf(family, ours, false);
  const zeros = Array.from({ length: ours.layers }, (_, layer) =>
    Object.entries(family.zeros?.(own as never) ?? {}).map(([name, shape]) => [
      `layers.${layer}.mixer.${name}`,
      { shape, data: new Float32Array(size(shape)) },
    ]),
  );
  const complete: Weights = { ...Object.fromEntries(zeros.flat()), ...weights };
  const tensors = Object.entries(complete).map(([path, weight]) => writePart(partOf(path), weight));
  return { config, tensors: Object.assign({}, ...tensors) as Weights };
}

/** Redundant tensors and settings: a head tied to the embedding, the frequencies of rotary positions. */
const isCopy = (name: string, tied: boolean): boolean =>
  (name === "lm_head.weight" && tied) || name.endsWith(".rotary_emb.inv_freq");

/** Without that setting: whether the head has no tensor. */
const isTied = (config: ForeignConfig, tensors: ForeignTensors): boolean =>
  config.tie_word_embeddings === undefined
    ? !Object.hasOwn(tensors, "lm_head.weight")
    : config.tie_word_embeddings === true;
