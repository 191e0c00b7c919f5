/** @file What the debugger answers: one closed union, so that a terminal, a page and a model read the same. */

import type { Origin, Sharing } from "./provenance.ts";
import type { Breakpoint } from "./stepping.ts";

/** Where a command has come to. Values are texts as Python writes them. */
export interface Stop {
  readonly kind: "stop";
  readonly moment: number;
  /** Of the whole recording. */
  readonly moments: number;
  readonly event: "call" | "line" | "return" | "exception";
  readonly function: string;
  readonly line: number;
  readonly source: string;
  /** Calls around this one; the module's is not counted. */
  readonly depth: number;
  /** Of a return. */
  readonly value?: string;
  /** Of a return: a generator lets go and may be resumed. */
  readonly yields?: true;
  /** Of a return that an exception brings about. */
  readonly unwinding?: true;
  readonly exception?: string;
  readonly breakpoint?: number;
  readonly locals: Readonly<Record<string, string>>;
  /** What is different from where the command was given, of the locals and the module's variables. */
  readonly changed: readonly Change[];
  /** By the program, since; nothing where the command went back. */
  readonly printed: string;
  readonly displays: readonly Shown[];
  /** Conditions that could not be computed on the way; they did not hold there. */
  readonly failures?: readonly ConditionFailure[];
  /** Behind the last event: how the run ended. */
  readonly ended?: string;
}
export interface Change {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}
export interface ConditionFailure {
  readonly condition: string;
  /** How many moments could not compute it. */
  readonly moments: number;
  /** The first of them, its line, and why. */
  readonly moment: number;
  readonly line: number;
  readonly reason: string;
}
export interface Shown {
  readonly expression: string;
  readonly value: string;
  /** What it was where the command was given, if that was something else. */
  readonly before?: string;
}
export interface StackFrame {
  readonly function: string;
  readonly line: number;
  readonly source: string;
  readonly selected: boolean;
}
/** A writing of a variable, in words. */
export interface Written {
  readonly kind: "bound" | "changed" | "argument" | "unbound";
  readonly moment: number;
  readonly function: string;
  readonly line: number;
  readonly source: string;
  readonly before: string | null;
  readonly after: string | null;
}

export type Reply =
  | Stop
  | { readonly kind: "value"; readonly expression: string; readonly value: string; readonly type: string }
  | { readonly kind: "listing"; readonly lines: readonly ListedLine[] }
  | { readonly kind: "stack"; readonly frames: readonly StackFrame[] }
  | { readonly kind: "variables"; readonly of: string; readonly variables: Readonly<Record<string, string>> }
  | { readonly kind: "breakpoints"; readonly breakpoints: readonly Breakpoint[] }
  | { readonly kind: "displays"; readonly displays: readonly Shown[] }
  | { readonly kind: "origin"; readonly origin: Origin }
  /** `partial`: not all of the value is recorded. */
  | {
      readonly kind: "writes";
      readonly name: string;
      readonly writes: readonly Written[];
      readonly partial: boolean;
    }
  | { readonly kind: "aliases"; readonly aliases: readonly Sharing[] }
  | { readonly kind: "said"; readonly words: string }
  | { readonly kind: "refused"; readonly words: string }
  | { readonly kind: "quit" };
export interface ListedLine {
  readonly line: number;
  readonly text: string;
  readonly current: boolean;
  readonly breakpoint: boolean;
}
