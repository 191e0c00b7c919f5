/**
 * @file The layer around a matrix memory: projections and a short convolution before it, norm, gate and output projection after it.
 *
 *     m = conv(x Wqkv);   o_t = the memory's output after the tokens up to t;   y = (norm(o) o gate(x)) Wout
 *
 * q and k have dk = expandK d / hk numbers in each of hk = keyHeads heads, v has dv = expandV d / h in each of h heads; h / hk heads in
 * a row share q and k. By default dk = dv = d / h.
 *
 * An architecture defines the memory and its inputs. `apply`, `step` and `extend` are derived: `apply` is `extend` from an empty
 * memory. Filters start as N(0, 1/K), and with `initialization: source` as N(0, 0.02^2).
 */

import { fail } from "../core/error.ts";
import type { Rng } from "../core/rng.ts";
import {
  expand,
  linear,
  multiply,
  type Parameter,
  type ParameterTree,
  reshape,
  type Shape,
  silu,
  split,
  type Tensor,
  type TensorTree,
  transpose,
  unitNorm,
} from "../tensor/index.ts";
import { untransposed } from "../tensor/shape.ts";
import {
  constantParameter,
  convolutionOver,
  convolutionParameter,
  convolutionPast,
  convolutionStepIfAny,
  flaStart,
  headWidth,
  joinHeads,
  NORM_EPSILON,
  normal,
  splitHeads,
  tapAll,
  tapStep,
} from "./layers.ts";
import type { MemoryRule } from "./matrix-memory.ts";
import { type Context, type Mixer, READOUT, type State } from "./model.ts";

interface Parts<Given> {
  readonly given: Given;
  readonly tapped: Readonly<Record<string, Tensor>>;
}

/** The fields from which the widths follow. */
export interface Widths {
  /** Number of memories. */
  readonly heads: number;
  /** Heads of queries and keys; each serves heads / keyHeads memories. */
  readonly keyHeads?: number | undefined;
  readonly expandK?: number;
  readonly expandV?: number;
  /** Keys and values per token. */
  readonly householders?: number;
}

interface Fields extends Widths {
  readonly convolution: number;
  readonly chunk: number;
}

type Around = {
  readonly qkv?: Parameter;
  readonly convolution?: Parameter;
  readonly norm: Parameter;
  readonly gate?: ParameterTree[string];
  readonly out: Parameter;
};

interface MatrixMemoryLayer<
  Config extends Fields,
  P extends ParameterTree & Around,
  G,
  Given extends Parts<G>,
> extends Omit<Mixer<Config, P>, "apply" | "state" | "step" | "extend" | "memory" | "packs"> {
  /** The memory; a function of the configuration if it depends on that. */
  readonly rule: MemoryRule<G> | ((config: Config) => MemoryRule<G>);
  /** Steps per chunk for an extension by so many tokens. */
  chunkOf(tokens: number, config: Config): number;
  /** The convolution's input, [..., n], and its filters [K, n]. By default x Wqkv. */
  project?(
    p: TensorTree<P>,
    x: Tensor,
    config: Config,
  ): { readonly inputs: Tensor; readonly filters: Tensor | undefined };
  /** n; by default the channels of `memoryWidths`. */
  channels?(config: Config, width: number): number;
  /** The memory's states; by default S [h, dk, dv]. */
  shape?(config: Config, width: number): Readonly<Record<string, Shape>>;
  /** x [..., d], and the convolution's output [..., n] -> the memory's inputs, and the taps. */
  give(p: TensorTree<P>, x: Tensor, mixed: Tensor, config: Config, context: Pick<Context, "penalty">): Given;
  /** The memories' outputs -> the heads' outputs, [B, T, h, dv]; by default the same. */
  perHead?(o: Tensor, config: Config): Tensor;
  /** x [..., d] -> the gate [..., h dv] of the heads' outputs; by default silu(x Wgate), or none without such a parameter. */
  gate?(p: TensorTree<P>, x: Tensor): Tensor;
  /** The heads' outputs, [B, T, h, dv] (T = 1 in a step) -> y, shaped as x. By default (norm(read) o gate(x)) Wout. */
  finish?(p: TensorTree<P>, x: Tensor, read: Tensor, parts: Given, context: Context): Tensor;
}

export function defineMatrixMemory<
  Config extends Fields,
  P extends ParameterTree & Around,
  G,
  Given extends Parts<G>,
>(layer: MatrixMemoryLayer<Config, P, G, Given>): Mixer<Config, P> {
  const { rule, chunkOf, project, channels, shape, give, perHead, gate, finish, ...mixer } = layer;
  const ruleOf = (config: Config) => (typeof rule === "function" ? rule(config) : rule);
  const asDplr = typeof rule === "function" ? undefined : rule.asDplr;
  // The constraint on P guarantees these fields, which TypeScript does not derive through TensorTree.
  const around = (p: TensorTree<P>) => p as unknown as TensorTree<Required<Omit<Around, "gate">>>;
  const gateOf = (p: TensorTree<P>, x: Tensor) => {
    if (gate !== undefined) return gate(p, x);
    const { gate: weight } = p as { readonly gate?: Tensor };
    return weight && silu(linear(x, weight));
  };
  const projected = (p: TensorTree<P>, x: Tensor, config: Config) =>
    project?.(p, x, config) ?? { inputs: linear(x, around(p).qkv), filters: around(p).convolution };
  const finished = (
    p: TensorTree<P>,
    x: Tensor,
    read: Tensor,
    { intervene, norm, offer }: Pick<Context, "intervene" | "norm" | "offer">,
  ) => {
    const joined = joinHeads(intervene(norm(read, around(p).norm)));
    if (mixer.offers?.includes(READOUT)) offer(READOUT, joined);
    const g = gateOf(p, x);
    if (g === undefined) return reshape(linear(joined, around(p).out), x.shape);
    return linear(multiply(reshape(joined, g.shape), g), around(p).out);
  };
  const end = (p: TensorTree<P>, x: Tensor, o: Tensor, parts: Given, config: Config, context: Context) => {
    const read = perHead?.(o, config) ?? o;
    return finish?.(p, x, read, parts, context) ?? finished(p, x, read, context);
  };

  return {
    ...mixer,
    packs: true,

    apply(p, x, config, context) {
      const { inputs, filters } = projected(p, x, config);
      const { y: mixed } = convolutionOver(inputs, filters, undefined, context.fresh);
      const parts = give(p, x, mixed, config, context);
      tapAll(context.taps, parts.tapped);
      const { chunk } = config;
      const o = ruleOf(config).read(parts.given, { chunk, fresh: context.fresh });
      return end(p, x, o, parts, config, context);
    },

    state: (config, width) => ({
      ...(shape?.(config, width) ?? memoryShape(config, width)),
      ...convolutionPast(
        config.convolution,
        channels?.(config, width) ?? memoryWidths(config, width).channels,
      ),
    }),

    step(p, x, state, config, context) {
      const { inputs, filters } = projected(p, x, config);
      const { y: mixed, kept } = convolutionStepIfAny(inputs, filters, state.past);
      const parts = give(p, x, mixed, config, context);
      tapStep(context.taps, parts.tapped);
      const { o, state: after } = ruleOf(config).step(state, parts.given);
      return { y: end(p, x, o, parts, config, context), state: { ...after, ...kept } };
    },

    extend(p, x, state, config, context) {
      const { inputs, filters } = projected(p, x, config);
      const { y: mixed, kept } = convolutionOver(inputs, filters, state.past);
      const parts = give(p, x, mixed, config, context);
      tapAll(context.taps, parts.tapped);
      const chunk = context.trains ? config.chunk : chunkOf(x.shape[1], config);
      const { o, state: after } = ruleOf(config).readFrom(state, parts.given, { chunk });
      return { y: end(p, x, o, parts, config, context), rows: {}, state: { ...after, ...kept } };
    },

    ...(asDplr !== undefined &&
      finish === undefined && {
        memory: {
          give(p: TensorTree<P>, x: Tensor, config: Config, { past }: State) {
            const { inputs, filters } = projected(p, x, config);
            const { y: mixed, kept } = convolutionOver(inputs, filters, past);
            const { given, tapped } = give(p, x, mixed, config, { penalty: () => {} });
            return { given: asDplr(given), tapped, kept };
          },
          finish: (p: TensorTree<P>, x: Tensor, read: Tensor, context: Context) =>
            finished(p, x, read, { ...context, offer: () => {} }),
        },
      }),
  };
}

/**
 * dk and dv of a memory, the widths of all queries and of all values of a step, and of all of them together.
 * Errors: LabError for heads that do not divide them.
 */
export function memoryWidths(
  { heads, keyHeads = heads, expandK = 1, expandV = 1, householders = 1 }: Widths,
  width: number,
) {
  if (heads % keyHeads !== 0) fail("model.keyHeads", `a divisor of the ${heads} heads`, keyHeads);
  const [keys, values] = [Math.round(expandK * width), Math.round(expandV * width)];
  const [dk, dv] = [headWidth(keys, keyHeads), headWidth(values, heads)];
  return { dk, dv, keys, values, channels: keys + householders * (keys + values) };
}

function memoryShape(config: Widths, width: number) {
  const { dk, dv } = memoryWidths(config, width);
  return { S: [config.heads, dk, dv] };
}

/** [..., channels] -> q [..., hk, dk], k [..., n hk, dk] and v [..., n h, dv] of n steps per token; `width` is that of the model. */
export function queryKeyValue(mixed: Tensor, width: number, config: Widths) {
  const { keys, values } = memoryWidths(config, width);
  const { heads, keyHeads = heads, householders: n = 1 } = config;
  const [q, k, v] = split(mixed, -1, [keys, n * keys, n * values]);
  return { q: splitHeads(q, keyHeads), k: splitHeads(k, n * keyHeads), v: splitHeads(v, n * heads) };
}

/** The same for all h heads, with q and k of unit length, and q divided by sqrt(dk). */
export function unitQueryKeyValue(mixed: Tensor, width: number, config: Widths) {
  const { heads, keyHeads = heads, householders: n = 1 } = config;
  const { dk, dv } = memoryWidths(config, width);
  const first = dk === dv ? headsFirst(mixed, dk) : undefined;
  const parts = () => Object.values(queryKeyValue(mixed, width, config));
  const [q, k, v] = first ? split(first, 0, [keyHeads, n * keyHeads, n * heads]) : parts();
  const back = (y: Tensor) => (first ? transpose(y, [1, 2, 0, 3]) : y);
  const each = (y: Tensor) => repeatHeads(back(y), heads / keyHeads);
  return { q: each(unitNorm(q, NORM_EPSILON, dk ** -0.5)), k: each(unitNorm(k)), v: back(v) };
}

/** A convolution's output [B, T, n d], which has the channels first in memory -> [n, B, T, d]; undefined of another x. */
function headsFirst(x: Tensor, own: number): Tensor | undefined {
  const channelsFirst = untransposed(x, [1, 2, 0]);
  if (channelsFirst === undefined) return undefined;
  const [batch, length] = x.shape;
  const columns = reshape(channelsFirst, [-1, own, batch * length]);
  return reshape(transpose(columns, [0, 2, 1]), [-1, batch, length, own]);
}

/** [..., h, d] -> [..., h times, d], each head so often in a row. */
function repeatHeads(x: Tensor, times: number): Tensor {
  if (times === 1) return x;
  const [heads, own] = x.shape.slice(-2);
  const leading = x.shape.slice(0, -2);
  const many = expand(reshape(x, [...leading, heads, 1, own]), [...leading, heads, times, own]);
  return reshape(many, [...leading, heads * times, own]);
}

/** The parameters of a layer with one norm for all heads; `own` and `gate` are an architecture's additions before and after it. */
export function layerParameters<Own extends ParameterTree, Gate extends ParameterTree>(
  rng: Rng,
  width: number,
  config: Omit<Fields, "chunk">,
  own: Own,
  gate: Gate,
) {
  const { dv, values, channels } = memoryWidths(config, width);
  return {
    qkv: normal(rng.fork("qkv"), [width, channels]),
    ...own,
    ...convolutionParameter(rng, config.convolution, channels, flaStart),
    norm: constantParameter([dv], 1),
    ...gate,
    out: normal(rng.fork("out"), [values, width]),
  };
}

/** The same with the default gate, unless `outputGate` is false. */
export function gatedLayerParameters<Own extends ParameterTree>(
  rng: Rng,
  width: number,
  { outputGate = true, ...config }: Omit<Fields, "chunk"> & { readonly outputGate?: boolean },
  own: Own,
) {
  const { values } = memoryWidths(config, width);
  const gate: { gate?: Parameter } = outputGate ? { gate: normal(rng.fork("gate"), [width, values]) } : {};
  return layerParameters(rng, width, config, own, gate);
}
