/** @file Where a debugging session stands: a moment of a recording, the call that is looked at, breakpoints. A command gives another one (execute.ts). */

import { type Frame, framesOf, type Recording } from "./recording.ts";
import type { Reply } from "./result.ts";
import type { Breakpoint } from "./stepping.ts";

export interface Session {
  readonly run: Recording;
  /** An event's number; that behind the last one where the run has ended. */
  readonly moment: number;
  /** So many calls outwards from the innermost one, as `up` and `down` have chosen. */
  readonly selected: number;
  readonly breakpoints: readonly Breakpoint[];
  readonly displays: readonly string[];
  /** Of the breakpoint that is set next. */
  readonly number: number;
  /** Where `list` goes on. */
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
