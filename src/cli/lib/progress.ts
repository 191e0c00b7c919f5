/**
 * @file Progress of long work on stderr: one line a job, redrawn in place.
 *
 *     deltanet[-1,1]  step 1,200/5,000  24 %  loss 0.412  accuracy 0.871  41,200 tokens/s  2 min 10 s left
 *
 * On a terminal the lines are redrawn at most ten times a second. Elsewhere nothing is written, or, when asked for,
 * one plain line a job every half minute.
 */

import { duration, integer } from "../../core/format.ts";
import type { JobStatus, ProgressDisplay } from "../../core/progress.ts";
import { visible } from "../../python/trace/terminal.ts";
import type { Paint } from "../../report/text-table.ts";
import { paintFor, printed } from "./terminal.ts";

/** The part of process.stderr in use. */
export interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

interface ProgressOptions {
  /** Where there is no terminal, write a line a job this often; 0 (the default) is never. */
  readonly plainEverySeconds?: number;
  /** Milliseconds of a clock that never goes back; for tests. */
  readonly now?: () => number;
}

const redrawMilliseconds = 100;
const clearToEnd = "\u001b[0J";
const up = (lines: number) => `\u001b[${lines}A`;

/** The progress that is drawn on each terminal now. */
const drawnOn = new Map<Terminal, ProgressDisplay>();

/** Writes a line to a terminal, above the progress that may be drawn there. */
export function sayAbove(terminal: Terminal, text: string): void {
  const progress = drawnOn.get(terminal);
  if (progress === undefined) terminal.write(`${printed(text)}\n`);
  else progress.say(text);
}

export function progressOn(
  terminal: Terminal,
  { plainEverySeconds = 0, now = () => performance.now() }: ProgressOptions = {},
): ProgressDisplay {
  const live = terminal.isTTY === true;
  const paint = paintFor({ isTTY: live });
  const jobs = new Map<string, { status: JobStatus; began: number; firstStep: number; wrote: number }>();
  let drawn = 0;
  let lastDraw = Number.NEGATIVE_INFINITY;

  const lineOf = (job: string, painted: Paint, leftOut = 0) => {
    const { status, began, firstStep } = jobs.get(job)!;
    const width = Math.max(...[...jobs.keys()].map((name) => name.length));
    return describe(visible(job).padEnd(width), status, (now() - began) / 1000, firstStep, painted, leftOut);
  };
  const erase = () => {
    if (drawn > 0) terminal.write(`${up(drawn)}\r${clearToEnd}`);
    drawn = 0;
  };
  const draw = () => {
    // Cut to the width without colours: a wrapped line would make the count of lines wrong.
    const columns = terminal.columns ?? 80;
    const lines = [...jobs.keys()].map((job) => {
      for (let leftOut = 0; leftOut <= droppable; leftOut++) {
        if (lineOf(job, (_, text) => text, leftOut).length < columns) return lineOf(job, paint, leftOut);
      }
      return lineOf(job, (_, text) => text, droppable).slice(0, columns - 1);
    });
    const text = lines.map((line) => `${line}\n`).join("");
    terminal.write(drawn > 0 ? `${up(drawn)}\r${clearToEnd}${text}` : text);
    drawn = lines.length;
    lastDraw = now();
  };

  const progress: ProgressDisplay = {
    update(job, status) {
      const before = jobs.get(job);
      jobs.set(job, { began: now(), firstStep: status.step, wrote: now(), ...before, status });
      if (live) {
        if (now() - lastDraw >= redrawMilliseconds) draw();
      } else if (
        plainEverySeconds > 0 &&
        before !== undefined &&
        now() - before.wrote >= plainEverySeconds * 1000
      ) {
        jobs.get(job)!.wrote = now();
        terminal.write(`${lineOf(job, (_, text) => text)}\n`);
      }
    },
    end(job, words) {
      jobs.delete(job);
      if (live) erase();
      if (live || plainEverySeconds > 0) terminal.write(`${printed(`${job}  ${words}`)}\n`);
      if (live && jobs.size > 0) draw();
    },
    say(text) {
      if (live) erase();
      terminal.write(`${printed(text)}\n`);
      if (live && jobs.size > 0) draw();
    },
    close() {
      if (live) erase();
      jobs.clear();
      drawnOn.delete(terminal);
    },
  };
  if (live) drawnOn.set(terminal, progress);
  return progress;
}

/** How many parts of a line may be left out on a narrow terminal, those that matter least first. */
const droppable = 3;

function describe(
  name: string,
  status: JobStatus,
  seconds: number,
  firstStep: number,
  paint: Paint,
  leftOut: number,
): string {
  const { step, steps, loss, accuracy, tokensPerSecond, note } = status;
  const done = step - firstStep;
  const left = status.secondsLeft ?? (done > 0 ? (seconds / done) * (steps - step) : undefined);
  return [
    paint("bold", name),
    `step ${integer(step)}/${integer(steps)}`,
    leftOut >= 1 ? undefined : `${Math.floor((100 * step) / Math.max(1, steps))} %`,
    loss === undefined ? undefined : `loss ${loss.toFixed(3)}`,
    accuracy === undefined ? undefined : `accuracy ${accuracy.toFixed(3)}`,
    tokensPerSecond === undefined || leftOut >= 2 ? undefined : `${integer(tokensPerSecond)} tokens/s`,
    leftOut >= 3 ? undefined : note,
    left === undefined ? undefined : paint("dim", `${duration(Math.max(0, left))} left`),
  ]
    .filter((part) => part !== undefined)
    .join("  ");
}
