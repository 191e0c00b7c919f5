/**
 * @file State of a debugging session: a moment of a recording, the selected call, breakpoints. Commands return a new
 * state (execute.ts).
 */

import { type Frame, framesOf, type Recording } from "./recording.ts";
import type { Reply } from "./result.ts";
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
export const eventOf = ({ run, moment }: Session): number => Math.min(moment, run.length - 1);

/** The call that `print`, `next` and their like are about. */
export function selectedFrame(session: Session): Frame {
  const frames = framesOf(session.run.stackAt(eventOf(session)));
  return frames[Math.min(session.selected, frames.length - 1)];
}

export interface Executed {
  readonly session: Session;
  readonly reply: Reply;
}
