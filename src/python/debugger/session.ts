/**
 * @file State of a debugging session (a moment of a recording, the selected call, breakpoints) and the replies to its commands.
 *
 * Commands return a new state and a reply (commands.ts). Replies are one closed union for terminal, page and models.
 */

import type { Origin, Sharing, Write } from "./provenance.ts";
import { type Frame, frameStack, type Recording } from "./recording.ts";
import type { Breakpoint } from "./stepping.ts";

export interface Session {
  readonly run: Recording;
  /** Number of the event; one more than the last if the run has ended. */
  readonly moment: number;
  /** Number of calls from the innermost to the selected one (`up` and `down`). */
  readonly selected: number;
  readonly breakpoints: readonly Breakpoint[];
  readonly displays: readonly string[];
  /** Number of the next breakpoint. */
  readonly number: number;
  /** The line at which `list` continues. */
  readonly listed: number | undefined;
}

/** At the first event of the call. */
export function openSession(run: Recording): Session {
  const moment = Math.min(run.record.began, run.length - 1);
  return { run, moment, selected: 0, breakpoints: [], displays: [], number: 1, listed: undefined };
}

/** The last event that has happened. */
export const currentEvent = ({ run, moment }: Session): number => Math.min(moment, run.length - 1);

/** The call that `print`, `next` and their like are about. */
export function selectedFrame(session: Session): Frame {
  const frames = frameStack(session.run.stackAt(currentEvent(session)));
  return frames[Math.min(session.selected, frames.length - 1)];
}

export interface Executed {
  readonly session: Session;
  readonly reply: Reply;
}

export const replied = (session: Session, reply: Reply): Executed => ({ session, reply });
export const refused = (session: Session, words: string): Executed =>
  replied(session, { kind: "refused", words });

/** The position after a command. Values are Python text. */
export interface Stop {
  readonly kind: "stop";
  readonly moment: number;
  /** Number of moments in the recording. */
  readonly moments: number;
  readonly event: "call" | "line" | "return" | "exception";
  readonly function: string;
  readonly line: number;
  readonly source: string;
  /** Calls around this one; the module's is not counted. */
  readonly depth: number;
  /** The value of a return. */
  readonly value?: string;
  /** The return is a yield: the generator may be resumed. */
  readonly yields?: true;
  /** The return is caused by an exception. */
  readonly unwinding?: true;
  readonly exception?: string;
  readonly breakpoint?: number;
  readonly locals: Readonly<Record<string, string>>;
  /** Changes since the position before the command, of locals and module variables. */
  readonly changed: readonly Change[];
  /** Output since then; empty after going back. */
  readonly printed: string;
  readonly displays: readonly Shown[];
  /** Conditions that could not be evaluated on the way; they count as false. */
  readonly failures?: readonly ConditionFailure[];
  /** After the last event: how the run ended. */
  readonly ended?: string;
}
export interface Change {
  readonly name: string;
  readonly before: string | null;
  readonly after: string | null;
}
export interface ConditionFailure {
  readonly condition: string;
  /** Number of moments at which it could not be evaluated. */
  readonly moments: number;
  /** The first of them, its line, and why. */
  readonly moment: number;
  readonly line: number;
  readonly reason: string;
}
export interface Shown {
  readonly expression: string;
  readonly value: string;
  /** The value before the command, if it was different. */
  readonly before?: string;
}
export interface StackFrame {
  readonly function: string;
  readonly line: number;
  readonly source: string;
  readonly selected: boolean;
}
/** A writing of a variable, in words. */
export interface Written extends Omit<Write, "by" | "began"> {
  readonly function: string;
  readonly source: string;
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
