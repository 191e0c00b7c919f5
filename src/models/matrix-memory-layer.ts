/**
 * @file The layer around a matrix memory: projections and a short convolution before it, norm, gate and output projection after it.
 *
 *     m = conv(x Wqkv);   o_t = the memory's output after the tokens up to t;   y = (norm(o) o gate(x)) Wout
 *
 * An architecture defines the memory and its inputs. `apply`, `step` and `extend` are derived: `apply` is `extend` from an empty
 * memory.
 */

import type { Rng } from "../core/rng.ts";
import {
  linear,
  multiply,
  type Parameter,
  type ParameterTree,
  reshape,
  type Shape,
  type Tensor,
  type TensorTree,
} from "../tensor/index.ts";
import {
  constantParameter,
  convolutionOver,
  convolutionParameter,
  convolutionPast,
  convolutionStepIfAny,
  headWidth,
  joinHeads,
  normal,
  tapAll,
  tapStep,
} from "./layers.ts";
import type { MemoryRule } from "./matrix-memory.ts";
import { type Context, type Mixer, READOUT, type State } from "./model.ts";

interface Parts<Given> {
  readonly given: Given;
  readonly tapped: Readonly<Record<string, Tensor>>;
}

interface Fields {
  readonly heads: number;
  readonly convolution: number;
  readonly chunk: number;
}

type Around = {
  readonly qkv?: Parameter;
  readonly convolution?: Parameter;
  readonly norm: Parameter;
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
  /** n; 3 d by default. */
  channels?(config: Config, width: number): number;
  /** The memory's states; by default S [h, dk, dv] with dk = dv = d / h. */
  shape?(config: Config, width: number): Readonly<Record<string, Shape>>;
  /** x [..., d], and the convolution's output [..., n] -> the memory's inputs, and the taps. */
  give(p: TensorTree<P>, x: Tensor, mixed: Tensor, config: Config, context: Pick<Context, "penalty">): Given;
  /** The memories' outputs -> the heads' outputs, [B, T, h, dv]; by default the same. */
  perHead?(o: Tensor, config: Config): Tensor;
  /** x [..., d] -> the gate [..., d] of the heads' outputs. */
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
  const around = (p: TensorTree<P>) => p as unknown as TensorTree<Required<Around>>;
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
    if (gate === undefined) return reshape(linear(joined, around(p).out), x.shape);
    return linear(multiply(reshape(joined, x.shape), gate(p, x)), around(p).out);
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
      ...(shape?.(config, width) ?? { S: [config.heads, width / config.heads, width / config.heads] }),
      ...convolutionPast(config.convolution, channels?.(config, width) ?? 3 * width),
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
      const chunk = chunkOf(x.shape[1], config);
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

/** The parameters of a layer with one norm for all heads; `own` and `gate` are an architecture's additions before and after it. */
export function layerParameters<Own extends ParameterTree, Gate extends ParameterTree>(
  rng: Rng,
  width: number,
  { heads, convolution }: Pick<Fields, "heads" | "convolution">,
  own: Own,
  gate: Gate,
) {
  return {
    qkv: normal(rng.fork("qkv"), [width, 3 * width]),
    ...own,
    ...convolutionParameter(rng, convolution, 3 * width),
    norm: constantParameter([headWidth(width, heads)], 1),
    ...gate,
    out: normal(rng.fork("out"), [width, width]),
  };
}
