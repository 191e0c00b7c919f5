/**
 * @file What a model is: a mixer, the part of a layer that moves information between positions. Embedding, residual
 * blocks, feed-forward layers and head are the same for all (`stack.ts`).
 *
 * A mixer is given twice: over a whole sequence (training) and as one step with a state (generation). The conformance
 * suite holds the two against each other.
 */

import type { z } from "zod";
import type { Rng } from "../core/rng.ts";
import type { DiagonalPlusRankOne } from "../tensor/dplr.ts";
import type { ParameterTree, Shape, Tensor, TensorTree } from "../tensor/index.ts";

/**
 * What a mixer is, with its configuration: read by analyses, tables and predictions, and held against what it computes by
 * the suite. What is left out is not known.
 */
export interface Traits {
  /**
   * How a token changes what is carried: by a matrix that it chooses, by a nonlinear cell, or not at all, where the past itself
   * is looked at. It decides what can be followed at any length (docs/models.md).
   */
  readonly recurrence?: Transition | "nonlinear" | "none";
  /** Something in it is chosen whole and learned as if in shares (`choice`): its gradient is not the slope of its loss. */
  readonly choices?: true;
  /** Heads weigh the past by the softmax of their tapped `query` and `key`, and by nothing else. */
  readonly attention?: true;
  /** The tap that says how strongly heads write along their `key`: I - g k k', g in (0, maximum). */
  readonly gate?: { readonly tap: string; readonly maximum: number };
  /** The tap [B, T, n], in [-1, 1], by which what each head or channel carries is multiplied at each token: its largest eigenvalue. */
  readonly keeps?: string;
  /** The tap [B, T, k] of the shares of k states that it is in: the largest names one, as an automaton of k states would. */
  readonly states?: string;
  /** It changes once in so many tokens, and does not know in what order they came. */
  readonly every?: number;
}

/** The matrix by which one token changes a memory. Its eigenvalues are at most 1 in size, but where a mixer's header says otherwise. */
export interface Transition {
  /** Their least real part: from 0 on what is held only fades; at -1 its sign can be turned and kept. */
  readonly least: number;
  /** Whether some are complex: one token can turn a plane. */
  readonly complex: boolean;
  /** Whether the matrices of all tokens commute: then the order of tokens is lost. */
  readonly commuting: boolean;
  /** Whether it is the same for every token: then what was read changes nothing but by how long ago it was. */
  readonly fixed?: true;
}

/** The name under which a mixer offers what it has read, [B, T, d], after norm and interventions, before its gate and output projection. */
export const READOUT = "readout";
/** The gated layer behind a mixer: (g(x Wg) o x Wu) Wd. */
export interface FeedForward {
  /** Of x Wu; no such layer where it is 0. */
  readonly width: number;
  /** g. */
  readonly gate: "silu" | "gelu";
}

/** Where a mixer stands, for initial values that follow from it. */
export interface Place {
  /** From 0. */
  readonly layer: number;
  readonly layers: number;
  /** What the layers below offer. */
  readonly below: ReadonlySet<string>;
}

/** What a mixer may use besides its parameters and input. */
export interface Context {
  /** Hands out a value [B, T, ...] (T = 1 in a step) to analyses: `taps("beta", beta)`. Free where nobody listens. */
  readonly taps: (name: string, value: Tensor) => void;
  /** Lets analyses scale, silence or replace what each head has read: [B, T, h, dv] -> [B, T, h, dv]. */
  readonly intervene: (read: Tensor) => Tensor;
  /** The RMSNorm of the whole model, with its learned scale [d]: scale o x / rms(x), with `normEpsilon` under the root. */
  readonly norm: (x: Tensor, scale: Tensor) => Tensor;
  /** Gives the layers above a value of the same tokens, under one of the names in `offers`. */
  readonly offer: (name: string, value: Tensor) => void;
  /** What the nearest layer below offered by this name; undefined where none did. */
  readonly take: (name: string) => Tensor | undefined;
  /**
   * int32 [B, T]: 1 where a new session begins with this token, and what stands before it in the row is not to be seen
   * (tensor/sessions.ts). Nothing where each row is one session, and in steps, as whoever takes them empties the state.
   */
  readonly fresh?: Tensor | undefined;
  /**
   * Adds to what training makes small a number [] of the mixer's own, times its weight: `make` is given 1 where a token belongs to an example,
   * float32 [B, T]. It is written down with each step as `layers.L.NAME`. Where nothing is trained, `make` is not called.
   */
  readonly penalty: (name: string, weight: number, make: (inUse: Tensor) => Tensor) => void;
}

export interface StepContext extends Context {
  /** How many steps came before, for each sequence: int32 [B]. */
  readonly position: Tensor;
}

export interface ExtendContext extends StepContext {
  /** [B, 1, 1, M]: 0 for rows of the kept past that stand before the position, else so low that softmax gives 0. */
  readonly unseen: Tensor;
  /** Positions are below it. */
  readonly bound: number;
}

export type State = Readonly<Record<string, Tensor>>;

export interface Mixer<Config, P extends ParameterTree> {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  /** The fields of the configuration that are this model's own, with their defaults; strict. */
  readonly config: z.ZodType<Config>;
  traits?(config: Config): Traits;
  /** Names of the states that may begin elsewhere than at zeros (initial-state.ts). */
  readonly startsFrom?: readonly string[];
  /** Names of what it may offer to layers above; such a mixer has `extend`. */
  readonly offers?: readonly string[];
  /** Names of what it cannot do without: a model is refused where no layer below offers them. */
  readonly takes?: readonly string[];
  /** The feed-forward layer behind it, whatever the model's is; the model's where it is left out. */
  feedForward?(config: Config, width: number): FeedForward;
  init(config: Config, width: number, rng: Rng, place: Place): P;
  /** x [B, T, d] -> [B, T, d]; y_t depends on x_1 .. x_t only. */
  apply(p: TensorTree<P>, x: Tensor, config: Config, context: Context): Tensor;
  /** What one sequence carries from step to step: shapes by name. `length` bounds the steps, for models that keep all. */
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
   * T tokens at once, x [B, T, d] from `position` on, behind those that left `state`: how prompts are read, where it is faster than
   * T steps. Of states that grow `rows` are what they add, by their names, T long where those are M long, and nothing is written
   * there: so a step costs what there is to look at, and not the copying of a cache. M is not known to the graph. `state` is the
   * rest, after the last token.
   */
  extend?(
    p: TensorTree<P>,
    x: Tensor,
    state: State,
    config: Config,
    context: ExtendContext,
  ): { readonly y: Tensor; readonly rows: State; readonly state: State };
  /** Where what is carried is a matrix a head, and the states besides it. */
  readonly memory?: MatrixMemory<Config, P>;
  /** Its `extend` goes step by step inside of the graph. */
  readonly stepwise?: true;
  /** Its `apply` honours `context.fresh`: sessions that stand end to end in a row are computed as if each stood alone. */
  readonly packs?: true;
}

/** What a mixer's memory is given for tokens x [B, T, d], where it is a matrix a head that is read by S' q (tensor/dplr.ts). */
export interface MemoryGiven {
  /** [B, T, h, ...]. */
  readonly given: DiagonalPlusRankOne;
  /** What the mixer hands out of it. */
  readonly tapped: Readonly<Record<string, Tensor>>;
  /** The states besides the memory, after the last token. */
  readonly kept: State;
}

/** A mixer's memory and what stands around it, apart: for mixers that keep such memories and read them again (cached.ts). */
export interface MatrixMemory<Config, P extends ParameterTree> {
  /** Behind tokens that left the states `past`, without the memory; of a fresh sequence there are none. */
  give(p: TensorTree<P>, x: Tensor, config: Config, past: State): MemoryGiven;
  /** What was read [B, T, h, dv] -> y [B, T, d]. */
  finish(p: TensorTree<P>, x: Tensor, read: Tensor, context: Context): Tensor;
}

/** A mixer whose types of configuration and parameters are not known to the caller. */
// biome-ignore lint/suspicious/noExplicitAny: Config and P appear in argument positions, so only `any` fits all mixers
export type AnyMixer = Mixer<any, any>;

/** A mixer with its configuration: what one layer is made of. */
export interface LayerMixer {
  readonly mixer: AnyMixer;
  readonly own: unknown;
}

/** A mixer that declares nothing but taps a `beta` is read as a delta rule with the widest range. */
const UNDECLARED: Traits = { gate: { tap: "beta", maximum: 2 } };

export function traitsOf({ mixer, own }: LayerMixer): Traits {
  return mixer.traits?.(own) ?? UNDECLARED;
}

/** Layers with different mixers under one name. */
export interface Pattern<Config> {
  readonly name: string;
  readonly summary: string;
  readonly source: string;
  readonly config: z.ZodType<Config>;
  /** The mixer of each of the layers, and the configuration with all of theirs filled in. `at` is named in errors. */
  arrange(
    config: Config,
    layers: number,
    at: string,
  ): { readonly own: Config; readonly mixers: readonly LayerMixer[] };
}

// biome-ignore lint/suspicious/noExplicitAny: as for AnyMixer
export type AnyPattern = Pattern<any>;

/** What a configuration can name. */
export type Architecture = AnyMixer | AnyPattern;

export function isPattern(architecture: Architecture): architecture is AnyPattern {
  return "arrange" in architecture;
}

export function defineModel<Config, P extends ParameterTree>(mixer: Mixer<Config, P>): Mixer<Config, P> {
  return mixer;
}
