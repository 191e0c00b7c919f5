/**
 * @file What analyses read: programs, and what a model computed while it read them. Plain arrays, never a model.
 *
 *     tokens     >>>  a   ,   b   =   b   ,   a   \n  >>>  print('  a  ...  \n  a  ' '  2
 *     classes    command                              reveal
 *     places     0    1   2   3   4   5   6   7   8   0    1        2  ...
 *     commands   0    0   0   0   0   0   0   0   1   1    1        1            complete after the token
 */

import type { MachineOfWords } from "../core/moore-machine.ts";

export const tokenClasses = ["initialisation", "command", "reveal"] as const;
export type TokenClass = (typeof tokenClasses)[number];

/** A question: the answer at `position` should be this value. */
export interface AskedPlace {
  readonly position: number;
  readonly variable: number;
  readonly value: number;
}

export interface Program {
  readonly tokens: readonly string[];
  readonly classes: readonly TokenClass[];
  /** Per token: its place in its command, or its reveal. */
  readonly places: readonly number[];
  /** Per token: the number of complete commands; -1 before the initial state is complete. */
  readonly commands: readonly number[];
  /** letters[i] is the text of command i. */
  readonly letters: readonly string[];
  /** states[i]: the value of each variable after i commands, as an index. */
  readonly states: readonly (readonly number[])[];
  /** ends[i] is the last token of what led to states[i]; -1 where that is nothing. */
  readonly ends: readonly number[];
  readonly questions: readonly AskedPlace[];
}

/** Values at each token of each program: [programs, T, ...]. After the end of a program they mean nothing. */
export interface Tap {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** The properties of a layer that analyses need, declared by its mixer. */
export interface LayerTraits {
  /** Its heads weigh the past by the softmax of the tapped `query` and `key`. */
  readonly attention?: true;
  /** The tap that says how strongly its heads write along their `key`, in (0, maximum). */
  readonly gate?: { readonly tap: string; readonly maximum: number };
  /** The tap by which what it carries is multiplied at each token. */
  readonly keeps?: string;
  /** The tap of the shares of the states that it is in. */
  readonly states?: string;
}

export interface Recording {
  readonly layers: readonly LayerTraits[];
  /** Possible values of the variables. */
  readonly values: readonly string[];
  /** The automaton of the state, if the values of the variables do not determine the next state; it outputs an index of `values`. */
  readonly automaton?: MachineOfWords;
  readonly programs: readonly Program[];
  /** By `layers.L.NAME`. */
  readonly taps: Readonly<Record<string, Tap>>;
  /** For each program, for each of its questions, the value that the model held most probable; -1 for another word. */
  readonly answers: readonly (readonly number[])[];
}

/** The values of one token; of one head where `head` is given, for shapes [programs, T, heads, ...]. */
export function rowAt({ shape, data }: Tap, program: number, token: number, head?: number): Float32Array {
  const [, length, ...rest] = shape;
  const [heads] = rest;
  const width = rest.reduce((product, size) => product * size, 1);
  const start = (program * length + token) * width;
  if (head === undefined) return data.subarray(start, start + width);
  return data.subarray(start + (head * width) / heads, start + ((head + 1) * width) / heads);
}

/** The layers that have a tap of this name. */
export function layersWith({ taps }: Recording, name: string): number[] {
  return Object.keys(taps)
    .map((key) => /^layers\.(\d+)\.(.+)$/.exec(key))
    .flatMap((match) => (match?.[2] === name ? [Number(match[1])] : []))
    .sort((a, b) => a - b);
}

export interface LayerGate {
  readonly layer: number;
  /** [programs, T, heads]. */
  readonly tap: Tap;
  readonly maximum: number;
}

/** The layers whose heads write along keys, with the tap that says how strongly. */
export function recordedGates({ layers, taps }: Recording): LayerGate[] {
  return layers.flatMap(({ gate }, layer) => {
    const tap: Tap | undefined = gate && taps[`layers.${layer}.${gate.tap}`];
    return gate === undefined || tap === undefined ? [] : [{ layer, tap, maximum: gate.maximum }];
  });
}

export function attentionLayers({ layers }: Pick<Recording, "layers">): number[] {
  return layers.flatMap(({ attention }, layer) => (attention ? [layer] : []));
}

/** Every token of every program, as [program, token]. */
export function* recordedTokens(programs: readonly Program[]): Generator<readonly [number, number]> {
  for (const [i, { tokens }] of programs.entries())
    for (let t = 0; t < tokens.length; t++) yield [i, t] as const;
}

export interface HeadPlace {
  readonly layer: number;
  readonly head: number;
}

export const ablationKinds = ["zero", "mean"] as const;
export type AblationKind = (typeof ablationKinds)[number];

/** Questions of one program, and how many were answered right. */
export interface Asked {
  readonly asked: number;
  readonly right: number;
}

/** Asks the model about every program, with one head silenced where one is named. */
export type AblatedForward = (
  silenced?: HeadPlace & { readonly kind: AblationKind },
) => Promise<readonly Asked[]>;

/** Two programs that differ in one command. */
export interface ProgramPair {
  readonly tokens: readonly string[];
  readonly changed: readonly string[];
  /** The first question whose answers differ. */
  readonly position: number;
  readonly answer: number;
  readonly changedAnswer: number;
  /** The place of each token up to there, one of `sitesOf`. */
  readonly sites: readonly string[];
}

export type Patch = HeadPlace & {
  /** Per pair, the tokens at which the head reads as in the program. */
  readonly tokens: readonly (readonly number[])[];
};

/**
 * Lets the model read one of the two programs of every pair, and answers for each the logit of the program's answer less that of
 * the changed one's.
 */
export type PatchedForward = (
  which: "program" | "changed",
  patch?: Patch,
) => Promise<readonly number[]> | readonly number[];
