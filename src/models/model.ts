/**
 * @file The model interface: a mixer, the part of a layer that moves information between positions. Embedding, residual blocks, feed-
 * forward layers and head are common to all (`stack.ts`).
 *
 * A mixer has two forms: over a whole sequence (training) and as one step with a state (generation). The conformance suite compares
 * them.
 */

import type { z } from "zod";
import type { Rng } from "../core/rng.ts";
import type { ParameterGroup } from "../schemas/run-config.ts";
import type { DiagonalPlusRankOne } from "../tensor/dplr.ts";
import type { ParameterTree, Shape, Tensor, TensorTree } from "../tensor/index.ts";

/**
 * Declared properties of a mixer with its configuration: used by analyses, tables and predictions, and verified by the suite. Missing
 * ones are unknown.
 */
interface Traits {
  /**
   * How a token changes the state: by a matrix that it chooses, by a nonlinear cell, or not at all, for attention to the past itself.
   * It determines what can be tracked at any length (docs/reference/models.md).
   */
  readonly recurrence?: Transition | "nonlinear" | "none";
  /** It makes discrete choices with straight-through gradients (`choice`), so its gradient is not the derivative of its loss. */
  readonly choices?: true;
  /** Heads weigh the past only by the softmax of their tapped `query` and `key`. */
  readonly attention?: true;
  /** The tap of the write strength of heads along their `key`: I - g k k', g in (0, maximum). */
  readonly gate?: { readonly tap: string; readonly maximum: number };
  /** The tap [B, T, n], in [-1, 1], of the factor on the state of each head or channel per token: its largest eigenvalue. */
  readonly keeps?: string;
  /** The tap [B, T, k] of the weights of k states: the largest one names a state of a k-state automaton. */
  readonly states?: string;
  /** Names of the loss terms that it adds in training (`Context.penalty`). A batch of a model with one cannot be divided. */
  readonly penalties?: readonly string[];
  /** It updates once per so many tokens, and ignores their order. */
  readonly every?: number;
}

/** The matrix by which one token changes a memory. Its eigenvalues are at most 1 in size, unless a mixer's header says otherwise. */
export interface Transition {
  /** Their smallest real part: from 0 on the state only decays; at -1 its sign can be flipped and kept. */
  readonly least: number;
  /** Whether some are complex: one token can rotate a plane. */
  readonly complex: boolean;
  /** Whether the matrices of all tokens commute: then the order of tokens is lost. */
  readonly commuting: boolean;
  /** Whether it is the same for every token: then a past input is weighted only by its age. */
  readonly fixed?: true;
}

/** The name under which a mixer offers its readout, [B, T, d], after norm and interventions, before its gate and output projection. */
export const READOUT = "readout";
/** The gated layer after a mixer: (g(x Wg) o x Wu) Wd. */
export interface FeedForward {
  /** Width of x Wu; 0 for no such layer. */
  readonly width: number;
  /** g. */
  readonly gate: "silu" | "gelu";
}

/** A mixer's position in the stack, for its initial values. */
export interface Place {
  /** From 0. */
  readonly layer: number;
  readonly layers: number;
  /** Names that the layers below offer. */
  readonly below: ReadonlySet<string>;
}

/** What a mixer may use besides its parameters and input. */
export interface Context {
  /** Reports a value [B, T, ...] (T = 1 in a step) to analyses: `taps("beta", beta)`. Free if unused. */
  readonly taps: (name: string, value: Tensor) => void;
  /** Lets analyses scale, silence or replace the output of each head: [B, T, h, dv] -> [B, T, h, dv]. */
  readonly intervene: (read: Tensor) => Tensor;
  /** The RMSNorm of the whole model, with its learned scale [d]: scale o x / rms(x), with `normEpsilon` under the root. */
  readonly norm: (x: Tensor, scale: Tensor) => Tensor;
  /** Offers the layers above a value of the same tokens, under one of the names in `offers`. */
  readonly offer: (name: string, value: Tensor) => void;
  /** The value that the nearest layer below offered by this name, if any. */
  readonly take: (name: string) => Tensor | undefined;
  /**
   * int32 [B, T]: 1 where a new session begins with this token; earlier tokens of the row must be invisible (tensor/packed-
   * sequences.ts). Undefined if each row is one session, and in steps, since the caller resets the state.
   */
  readonly fresh?: Tensor | undefined;
  /**
   * Adds a scalar [] of the mixer, times a weight, to the training loss: `make` gets 1 where a token belongs to an example, float32 [B,
   * T]. Logged with each step as `layers.L.NAME`. Without training, `make` is not called.
   */
  readonly penalty: (name: string, weight: number, make: (inUse: Tensor) => Tensor) => void;
}

export interface StepContext extends Context {
  /** Number of earlier steps, for each sequence: int32 [B]. */
  readonly position: Tensor;
}

export interface ExtendContext extends StepContext {
  /** [B, 1, 1, M]: 0 for cached rows before the position, else low enough that softmax gives 0. */
  readonly unseen: Tensor;
  /** An upper bound of positions. */
  readonly bound: number;
  /** Whether to use the chunks of `apply`, with which a gradient needs less memory. */
  readonly trains?: boolean | undefined;
}

export type State = Readonly<Record<string, Tensor>>;

export interface Mixer<Config, P extends ParameterTree> {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  /** The fields of the configuration that are specific to this model, with their defaults; strict. */
  readonly config: z.ZodType<Config>;
  traits?(config: Config): Traits;
  /** The configuration of one layer, for settings that differ between layers; by default the same in each. */
  inLayer?(config: Config, layer: number): Config;
  /** Names of the states with a trainable start (learned-initial-state.ts). */
  readonly startsFrom?: readonly string[];
  /** Training settings of its source for some of its parameters; the patterns match paths within the mixer. */
  readonly groups?: readonly ParameterGroup[];
  /** Names of values that it may offer to layers above; such a mixer has `extend`. */
  readonly offers?: readonly string[];
  /** Names of required values: a model is refused if no layer below offers them. */
  readonly takes?: readonly string[];
  /** The feed-forward layer after it, instead of the model's; by default the model's. */
  feedForward?(config: Config, width: number): FeedForward;
  init(config: Config, width: number, rng: Rng, place: Place): P;
  /** x [B, T, d] -> [B, T, d]; y_t depends on x_1 .. x_t only. */
  apply(p: TensorTree<P>, x: Tensor, config: Config, context: Context): Tensor;
  /** The recurrent state of one sequence: shapes by name. `length` bounds the steps, for models with a growing state. */
  state(config: Config, width: number, length: number): Readonly<Record<string, Shape>>;
  /** x [B, d] and the state before -> y [B, d] and the state after. A fresh sequence starts with zeros. */
  step(
    p: TensorTree<P>,
    x: Tensor,
    state: State,
    config: Config,
    context: StepContext,
  ): { readonly y: Tensor; readonly state: State };
  /**
   * T tokens at once, x [B, T, d] from `position` on, starting from `state`: prefill, if it is faster than T steps. For growing states
   * `rows` are the additions, by name, with T instead of M rows, and the cache is not written: so a step does not copy it. M is unknown
   * to the graph. `state` is the rest, after the last token.
   */
  extend?(
    p: TensorTree<P>,
    x: Tensor,
    state: State,
    config: Config,
    context: ExtendContext,
  ): { readonly y: Tensor; readonly rows: State; readonly state: State };
  /** For a state with one matrix per head, and other states. */
  readonly memory?: MatrixMemory<Config, P>;
  /** Its `extend` runs step by step inside the graph. */
  readonly stepwise?: true;
  /** Its `apply` supports `context.fresh`: packed sessions are computed as if they were separate. */
  readonly packs?: true;
  /** Why it cannot, as a sentence for the error. */
  readonly unpacked?: string;
}

/** The memory's inputs for tokens x [B, T, d], for a matrix memory per head that is read by S' q (tensor/dplr.ts). */
interface MemoryGiven {
  /** [B, T, h, ...]. */
  readonly given: DiagonalPlusRankOne;
  /** Values for the taps. */
  readonly tapped: Readonly<Record<string, Tensor>>;
  /** The other states, after the last token. */
  readonly kept: State;
}

/** A mixer's memory apart from the layer around it: for mixers that store such memories and read them again (cached.ts). */
export interface MatrixMemory<Config, P extends ParameterTree> {
  /** Inputs after the states `past`, without the memory; a new sequence has none. */
  give(p: TensorTree<P>, x: Tensor, config: Config, past: State): MemoryGiven;
  /** The readout [B, T, h, dv] -> y [B, T, d]. */
  finish(p: TensorTree<P>, x: Tensor, read: Tensor, context: Context): Tensor;
}

/** A mixer with unknown types of configuration and parameters. */
// biome-ignore lint/suspicious/noExplicitAny: Config and P appear in argument positions, so only `any` fits all mixers
export type AnyMixer = Mixer<any, any>;

/** A mixer with its configuration: one layer. */
export interface LayerMixer {
  readonly mixer: AnyMixer;
  readonly own: unknown;
}

/** A mixer without declared traits but with a `beta` tap counts as a delta rule with the widest range. */
const UNDECLARED: Traits = { gate: { tap: "beta", maximum: 2 } };

export function mixerTraits({ mixer, own }: LayerMixer): Traits {
  return mixer.traits?.(own) ?? UNDECLARED;
}

/** Layers with different mixers under one name. */
export interface Pattern<Config> {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  readonly config: z.ZodType<Config>;
  /** The mixer of each layer, and the complete configuration. `at` is named in errors. */
  arrange(
    config: Config,
    layers: number,
    at: string,
  ): { readonly own: Config; readonly mixers: readonly LayerMixer[] };
}

// biome-ignore lint/suspicious/noExplicitAny: as for AnyMixer
type AnyPattern = Pattern<any>;

/** What a configuration can name. */
export type Architecture = AnyMixer | AnyPattern;

export function isPattern(architecture: Architecture): architecture is AnyPattern {
  return "arrange" in architecture;
}

export function defineModel<Config, P extends ParameterTree>(mixer: Mixer<Config, P>): Mixer<Config, P> {
  return mixer;
}
