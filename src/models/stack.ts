/**
 * @file A whole language model around a mixer: embedding, residual blocks, head.
 *
 *     x = E[token];  for each layer: x += mixer(norm(x)), x += swiglu(norm(x));  logits = norm(x) H
 *
 * RMSNorm before each part, or after it (`normPosition`: x += norm(mixer(x))), untied head, no biases; `feedForward: 0` omits the second part, unless a mixer defines its feed-
 * forward layer, with another width and gate, or none. The paths of the parameters are the keys in safetensors: `embedding`,
 * `layers.0.mixer.qkv`, `layers.0.feedForward.down`, `norm`, `head`; with `initialState: trained` also those of learned-initial-
 * state.ts.
 *
 * With `loops` the layers are passed again with the same weights: Dehghani et al. 2018, arXiv:1807.03819 (Universal Transformer), and
 * Saunshi et al. 2025, arXiv:2502.17416.
 */

import { z } from "zod";
import { fail } from "../core/error.ts";
import { noNumbers, type Rng } from "../core/rng.ts";
import { parseWith } from "../core/settings.ts";
import {
  add,
  concat,
  embedding,
  flattenParameters,
  full,
  linear,
  multiply,
  type ParameterTree,
  reshape,
  type Shape,
  shapesOf,
  silu,
  size,
  slice,
  type Tensor,
  type TensorTree,
} from "../tensor/index.ts";
import type { ShapesOf, ShapeTree } from "../tensor/parameters.ts";
import {
  constantParameter,
  gelu,
  NORM_EPSILON,
  norm,
  normal,
  scaleToWidth,
  startAsSource,
  swiGlu,
} from "./layers.ts";
import {
  applyFrom,
  type Beginning,
  forEach,
  initialState,
  refusePrefix,
  stateOrStart,
} from "./learned-initial-state.ts";
import {
  type Architecture,
  type Context,
  type FeedForward,
  isPattern,
  type LayerMixer,
  mixerTraits,
  type State,
} from "./model.ts";

const StackConfig = z.looseObject({
  name: z.string().describe("Name of the model"),
  layers: z.int().positive().max(2000).default(2).describe("Number of layers"),
  loops: z
    .int()
    .positive()
    .max(2000)
    .default(1)
    .describe("Passes through the layers, with the same weights and a state per pass"),
  width: z.int().positive().default(64).describe("Width d of the residual stream"),
  feedForward: z
    .int()
    .min(0)
    .optional()
    .describe("Width of the feed-forward layer, by default 2 d, 0 for none"),
  normEpsilon: z
    .number()
    .positive()
    .default(NORM_EPSILON)
    .describe("Epsilon of every RMSNorm, added to the mean square"),
  normPosition: z
    .enum(["before", "after"])
    .default("before")
    .describe("Norms before a layer's parts, or after them as in OLMo 2"),
  initialization: z
    .enum(["fixed", "width", "source"])
    .default("fixed")
    .describe(
      "Initial matrices: deviation 0.02, by their width with zero output projections, or as the public layer",
    ),
  initialState: z
    .enum(["zeros", "trained"])
    .default("zeros")
    .describe("Initial state: zeros, or trained parameters"),
});

/** A model with its configuration fixed, but no weights. */
export interface Model {
  /** What the configuration names: a mixer, or a pattern of several. */
  readonly architecture: Architecture;
  readonly layers: number;
  readonly width: number;
  readonly feedForward: number;
  readonly normEpsilon: number;
  readonly normPosition: "before" | "after";
  readonly initialization: "fixed" | "width" | "source";
  readonly initialState: Beginning;
  readonly vocabulary: number;
  /** Its configuration, with defaults. */
  readonly own: unknown;
  /** The mixer of each layer, once per pass: layer i has the weights of layer i modulo `layers`. */
  readonly mixers: readonly LayerMixer[];
}

/** All fields of a model's flat configuration; undefined if the mixer's fields are not known beforehand. */
export function configSchema({ config }: Architecture) {
  return config instanceof z.ZodObject
    ? z.strictObject({ ...StackConfig.shape, ...config.shape })
    : undefined;
}

/** `value` is a flat object: name, layers, width, feedForward, and the mixer's fields. `at` is named in errors. */
export function configureModel(
  architecture: Architecture,
  value: unknown,
  vocabulary: number,
  at: string,
): Model {
  // Errors are reported against all possible fields, so that `witdh` suggests `width`.
  parseWith<unknown>(configSchema(architecture) ?? StackConfig, value, at);
  const parsed = parseWith(StackConfig, value, at);
  const {
    name: _,
    layers,
    loops,
    width,
    feedForward = 2 * width,
    normEpsilon,
    normPosition,
    initialization,
    initialState,
    ...rest
  } = parsed;
  const own: unknown = parseWith(architecture.config, rest, at);
  const arranged = isPattern(architecture)
    ? architecture.arrange(own, layers, at)
    : { own, mixers: new Array<LayerMixer>(layers).fill({ mixer: architecture, own }) };
  const mixers = new Array<readonly LayerMixer[]>(loops).fill(inLayers(arranged.mixers)).flat();
  refuseUnoffered(mixers, at);
  return {
    architecture,
    layers,
    width,
    feedForward,
    normEpsilon,
    normPosition,
    initialization,
    initialState,
    vocabulary,
    own: arranged.own,
    mixers,
  };
}

/** With the settings of each layer. Equal layers are one object, so that kinds of layers can be counted by identity. */
function inLayers(mixers: readonly LayerMixer[]): LayerMixer[] {
  const kinds = new Map<string, LayerMixer>();
  return mixers.map((each, layer) => {
    const { mixer } = each;
    if (mixer.inLayer === undefined) return each;
    const own = mixer.inLayer(each.own, layer);
    const key = JSON.stringify([mixer.name, own]);
    const kind = kinds.get(key) ?? { mixer, own };
    kinds.set(key, kind);
    return kind;
  });
}

/** Errors: LabError for a layer that takes a value that no layer below it offers. */
function refuseUnoffered(mixers: readonly LayerMixer[], at: string): void {
  for (const [layer, { mixer }] of mixers.entries())
    for (const name of mixer.takes ?? [])
      if (!offersOf(mixers, layer).has(name))
        fail(
          at,
          `below ${mixer.name}, layer ${layer}, a layer that offers its ${name}`,
          layer === 0 ? "none" : mixers.slice(0, layer).map((each) => each.mixer.name),
          "docs/reference/models.md says which do",
        );
}

/** Names that the layers below this one offer. */
const offersOf = (mixers: readonly LayerMixer[], layer: number) =>
  new Set(mixers.slice(0, layer).flatMap(({ mixer }) => mixer.offers ?? []));

/** All fields with their values, as in config.json; newer fields only if they differ from the default. */
export function describeModel(model: Model): Record<string, unknown> {
  const { architecture, layers, width, feedForward, normEpsilon, own } = model;
  const { normPosition, initialization, initialState } = model;
  const loops = model.mixers.length / layers;
  const unusual = {
    ...(loops !== 1 && { loops }),
    ...(normEpsilon !== NORM_EPSILON && { normEpsilon }),
    ...(normPosition !== "before" && { normPosition }),
    ...(initialization !== "fixed" && { initialization }),
    ...(initialState !== "zeros" && { initialState }),
  };
  return { name: architecture.name, layers, width, feedForward, ...unusual, ...(own as object) };
}

export function initialParameters(model: Model, rng: Rng) {
  const { width, vocabulary } = model;
  const mixers = model.mixers.slice(0, model.layers);
  const block = (each: LayerMixer, at: number, layer: Rng) => {
    const { width: hidden } = feedForwardWidth(model, each);
    return {
      mixerNorm: constantParameter([width], 1),
      mixer: each.mixer.init(each.own, width, layer.fork("mixer"), {
        layer: at,
        layers: mixers.length,
        below: offersOf(mixers, at),
      }) as ParameterTree,
      ...(hidden > 0 && {
        feedForwardNorm: constantParameter([width], 1),
        feedForward: {
          gateAndUp: normal(layer.fork("gateAndUp"), [width, 2 * hidden]),
          down: normal(layer.fork("down"), [hidden, width]),
        },
      }),
    };
  };
  const body = {
    embedding: normal(rng.fork("embedding"), [vocabulary, width]),
    layers: Object.fromEntries(mixers.map((each, i) => [String(i), block(each, i, rng.fork(i))])),
  };
  if (model.initialization === "width") scaleToWidth(body);
  if (model.initialization === "source") startAsSource(body);
  return {
    ...body,
    norm: constantParameter([width], 1),
    head: normal(rng.fork("head"), [width, vocabulary]),
    ...(model.initialState === "trained" && {
      initialState: initialState(model.mixers, width, rng.fork("initialState")) as ParameterTree,
    }),
  };
}
export type ModelParameters = ReturnType<typeof initialParameters>;
export type ModelShapes = ShapesOf<ModelParameters>;

/** The feed-forward layer after a layer's mixer: the mixer's, or that of the model. */
export function feedForwardWidth(
  { width, feedForward }: Pick<Model, "width" | "feedForward">,
  { mixer, own }: LayerMixer,
): FeedForward {
  return mixer.feedForward?.(own, width) ?? { width: feedForward, gate: "silu" };
}

/** The parts of a tree with a trained start, by kind. */
export function learnedStart(p: TensorTree<ModelParameters>) {
  return (p.initialState ?? {}) as {
    readonly layers?: Readonly<Record<string, State>>;
    readonly prefix?: Tensor;
  };
}

/** The shapes of `initialParameters`, without draws. @throws LabError for incompatible sizes. */
export function parameterShapes(model: Model): ModelShapes {
  return shapesOf(initialParameters(model, noNumbers));
}

export function parameterCount(tree: ShapeTree): number {
  return flattenParameters(tree).reduce((total, [, { shape }]) => total + size(shape), 0);
}

export interface Attachments {
  /**
   * Receives the values of each layer L under `layers.L.NAME`, in a step with T = 1:
   *
   *     residual [B, T, d] after the block;  heads [B, T, h, dv], the output of each head, before interventions
   *
   * and the mixer's taps: docs/reference/models.md has the names and shapes.
   */
  readonly taps?: (name: string, value: Tensor) => void;
  /**
   * Adds inputs `interventions.L.scale` [h, 1] and `interventions.L.replacement` [B, T, h, dv] for each layer L: the output of a head
   * (after the norm of the heads, before a gate) becomes scale o + replacement. Ones and zeros change nothing.
   */
  readonly interventions?: boolean;
  /**
   * For whole sequences, int32 [B, T]: 1 where a new session begins with this token. Rows then contain several sessions, each computed
   * as if it were separate; only for mixers that pack (`refuseUnpacked`).
   */
  readonly fresh?: Tensor;
  /** During training: receives the mixers' additional loss terms. */
  readonly penalties?: Penalties;
}

/** Additional loss terms of mixers. */
interface Penalties {
  /** float32 [B, T]: 1 where a token belongs to an example, 0 for padding. */
  readonly inUse: () => Tensor;
  /** A number [] under `layers.L.NAME`. */
  readonly add: (name: string, weight: number, value: Tensor) => void;
}

/** The names of a model's penalties: usually none. */
export function penaltyNames({ mixers }: Model): string[] {
  return mixers.flatMap((each, layer) =>
    (mixerTraits(each).penalties ?? []).map((name) => `layers.${layer}.${name}`),
  );
}

/** Errors: LabError for a model in which one session of a row would see the previous one. `at` is named. */
export function refuseUnpacked({ mixers, initialState }: Model, at: string): void {
  const seen = mixers.find(({ mixer }) => !mixer.packs);
  if (seen !== undefined)
    fail(
      at,
      "mixers that reset at each session (`packs`, docs/reference/models.md)",
      seen.mixer.name,
      `${seen.mixer.unpacked ?? ""} Remove it; each session then has a separate row`.trimStart(),
    );
  if (initialState !== "zeros")
    fail(at, 'model.initialState: "zeros", from which each session of a row begins', initialState);
}

/** Errors: LabError for a model whose rows cannot be computed in pieces. `at` is named. */
export function refuseUndivided(model: Model, at: string): void {
  const [grows] = Object.keys(growingStates(model));
  if (grows !== undefined) {
    const { mixer } = model.mixers[Number(grows.split(".")[1])];
    fail(at, "mixers with a state of fixed size", mixer.name, "Its cache grows with the row");
  }
  const fixed = model.mixers.find(({ mixer }) => mixer.unpacked !== undefined && !mixer.extend);
  if (fixed) fail(at, "mixers that can continue from any token", fixed.mixer.name, fixed.mixer.unpacked);
}

/** tokens int32 [B, T] -> logits [B, T, V]. */
export function applyModel(
  model: Model,
  p: TensorTree<ModelParameters>,
  tokens: Tensor,
  attachments: Attachments = {},
): Tensor {
  const hidden = applyLayers(model, p, tokens, attachments);
  return linear(norm(hidden, p.norm, model.normEpsilon), p.head);
}

/** tokens int32 [B, T] -> the output of the last block, [B, T, d]. */
function applyLayers(
  model: Model,
  p: TensorTree<ModelParameters>,
  tokens: Tensor,
  attachments: Attachments = {},
): Tensor {
  const embedded = embedding(p.embedding, tokens);
  const { prefix } = learnedStart(p);
  if (prefix === undefined) return applyBlocks(model, p, embedded, attachments);
  const [batch, length] = tokens.shape;
  const [before] = prefix.shape;
  const behind = (x: Tensor) => slice(x, 1, before, before + length);
  const { taps, penalties } = attachments;
  const whole = concat([forEach(batch, prefix), embedded], 1); // [B, P + T, d]
  const inUse = () => concat([full(tokens.graph, [batch, before], 0), penalties!.inUse()], 1); // if tapped
  return behind(
    applyBlocks(model, p, whole, {
      ...attachments,
      ...(taps && { taps: (name: string, value: Tensor) => taps(name, behind(value)) }),
      ...(penalties && { penalties: { ...penalties, inUse } }),
    }),
  );
}

/** embedded [B, T, d] -> the output of the last block, [B, T, d]. */
export function applyBlocks(
  model: Model,
  p: TensorTree<ModelParameters>,
  embedded: Tensor,
  attachments: Attachments = {},
): Tensor {
  if (attachments.fresh !== undefined) refuseUnpacked(model, "fresh");
  let x = embedded;
  const offered = new Map<string, Tensor>();
  const starts = learnedStart(p).layers ?? {};
  for (const [layer, each] of model.mixers.entries()) {
    const { mixer, own } = each;
    const block = p.layers[layer % model.layers];
    const context = makeContext(model, layer, attachments, offered);
    const given = context.before(x, block.mixerNorm);
    const mixed =
      starts[layer] === undefined
        ? mixer.apply(block.mixer, given, own, context)
        : applyFrom(each, block.mixer, given, starts[layer], context);
    x = add(x, context.after(mixed, block.mixerNorm));
    x = withFeedForward(block, x, feedForwardWidth(model, each), context);
    attachments.taps?.(`layers.${layer}.residual`, x);
  }
  return x;
}

type Block = TensorTree<ModelParameters>["layers"][string];

export function withFeedForward(
  { feedForwardNorm, feedForward }: Block,
  x: Tensor,
  { gate }: FeedForward,
  { before, after }: NormPlaces,
): Tensor {
  if (feedForwardNorm === undefined || feedForward === undefined) return x;
  const { gateAndUp, down } = feedForward;
  const y = swiGlu(before(x, feedForwardNorm), gateAndUp, down, gate === "gelu" ? gelu : silu);
  return add(x, after(y, feedForwardNorm));
}

/** The norms of a part's input and output, of which one changes nothing. */
type NormPlaces = Readonly<Record<"before" | "after", Context["norm"]>>;

export function makeContext(
  { normEpsilon, normPosition }: Pick<Model, "normEpsilon" | "normPosition">,
  layer: number,
  { taps, interventions, fresh, penalties }: Attachments,
  /** Values that layers below have offered; this layer's are added. */
  offered: Map<string, Tensor>,
): Context & NormPlaces {
  const intervene = (read: Tensor) => {
    taps?.(`layers.${layer}.heads`, read);
    if (!interventions) return read;
    const [, , heads] = read.shape;
    const scale = read.graph.input(`interventions.${layer}.scale`, [heads, 1]);
    const replacement = read.graph.input(`interventions.${layer}.replacement`, read.shape);
    return add(multiply(read, scale), replacement);
  };
  const normed: Context["norm"] = (x, scale) => norm(x, scale, normEpsilon);
  const at = (place: Model["normPosition"]) => (normPosition === place ? normed : (x: Tensor) => x);
  return {
    taps: (name, value) => taps?.(`layers.${layer}.${name}`, value),
    norm: normed,
    ...{ before: at("before"), after: at("after") },
    offer: (name, value) => offered.set(name, value),
    take: (name) => offered.get(name),
    fresh,
    penalty: (name, weight, make) =>
      penalties?.add(`layers.${layer}.${name}`, weight, make(penalties.inUse())),
    intervene,
  };
}

/** The recurrent state of one sequence: shapes by `layers.0.S` and the like. `length` bounds the steps. */
export function stateShapes({ mixers, width }: Model, length: number): Record<string, Shape> {
  return Object.fromEntries(
    mixers.flatMap(({ mixer, own }, i) =>
      Object.entries(mixer.state(own, width, length)).map(([name, shape]) => [`layers.${i}.${name}`, shape]),
    ),
  );
}

/** The growing axis of each growing state, from 0 (without batch). */
export function growingStates(model: Model): Readonly<Record<string, number>> {
  const [two, three] = [stateShapes(model, 2), stateShapes(model, 3)];
  const axes = Object.entries(two).map(
    ([name, shape]) => [name, shape.findIndex((length, axis) => length !== three[name][axis])] as const,
  );
  return Object.fromEntries(axes.filter(([, axis]) => axis >= 0));
}

/** The states of one layer out of all, by the names that its mixer uses. */
export function stateWithPrefix(states: Readonly<Record<string, Tensor>>, prefix: string): State {
  const own = Object.entries(states).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]));
}

/** tokens int32 [B], position int32 [B] and states [B, ...] as in `stateShapes` -> logits [B, V] and the states after. */
export function stepModel(
  model: Model,
  p: TensorTree<ModelParameters>,
  tokens: Tensor,
  position: Tensor,
  states: Readonly<Record<string, Tensor>>,
  attachments: Attachments = {},
): { logits: Tensor; states: Record<string, Tensor> } {
  const { layers: starts = {}, prefix } = learnedStart(p);
  refusePrefix(prefix);
  let x = embedding(p.embedding, tokens); // [B, d]
  const after: Record<string, Tensor> = {};
  const offered = new Map<string, Tensor>();
  for (const [layer, each] of model.mixers.entries()) {
    const { mixer, own } = each;
    const block = p.layers[layer % model.layers];
    const path = `layers.${layer}.`;
    const state = stateOrStart(stateWithPrefix(states, path), starts[layer], position);
    const context = { ...makeContext(model, layer, attachments, offered), position };
    const mixed = mixer.step(block.mixer, context.before(x, block.mixerNorm), state, own, context);
    x = add(x, context.after(mixed.y, block.mixerNorm));
    x = withFeedForward(block, x, feedForwardWidth(model, each), context);
    attachments.taps?.(`${path}residual`, reshape(x, [tokens.shape[0], 1, model.width]));
    for (const [name, value] of Object.entries(mixed.state)) after[path + name] = value;
  }
  const logits = linear(norm(x, p.norm, model.normEpsilon), p.head);
  return { logits: reshape(logits, [tokens.shape[0], model.vocabulary]), states: after };
}
