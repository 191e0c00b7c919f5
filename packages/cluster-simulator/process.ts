/**
 * @file A simulated process: it sleeps, can receive SIGTERM, and can die between any two lines. Code that awaits at its death waits
 * forever and has no further effect.
 */

import type { Submission } from "../../src/executors/executor.ts";
import type { CallProgram } from "../../src/executors/slurm-queue.ts";
import type { VirtualClock } from "./clock.ts";

export interface SimulatedProcess {
  readonly submission: Submission;
  /** Tasks first, first + 1, ...: `count` of them, in sequence. */
  readonly first: number;
  readonly count: number;
  readonly pid: number;
  readonly host: string;
  readonly speed: number;
  readonly environment: Record<string, string | undefined>;
  /** Aborted by SIGTERM. */
  readonly signal: AbortSignal;
  /** Start time. */
  readonly since: number;
  /** The scheduler's programs, as the process calls them. */
  readonly call: CallProgram;
  readonly alive: () => boolean;
  /** Never resolves if the process dies before. */
  sleep(seconds: number): Promise<void>;
  /** Called on SIGTERM. */
  onTerm: (() => void) | undefined;
  /** Called if it dies without a message: handlers of the work and of the starter. */
  onDeath: (() => void) | undefined;
  onKilled: (() => void) | undefined;
  /** SIGTERM and SIGKILL. */
  term(): void;
  kill(): void;
}

/** Runs work in a simulated process: resolves when it ends by itself, with whether all its tasks are done or failed. */
export type Launch = (process: SimulatedProcess) => Promise<boolean>;

export type Begun = Pick<
  SimulatedProcess,
  "submission" | "first" | "count" | "pid" | "host" | "speed" | "environment" | "call"
>;

export function simulatedProcess(clock: VirtualClock, begun: Begun): SimulatedProcess {
  const stop = new AbortController();
  let dead = false;
  const process: SimulatedProcess = {
    ...begun,
    signal: stop.signal,
    since: clock.now(),
    alive: () => !dead,
    sleep: (seconds) =>
      new Promise((resolve) => {
        clock.at(clock.now() + seconds, () => {
          if (dead) return;
          clock.stir();
          resolve();
        });
      }),
    onTerm: undefined,
    onDeath: undefined,
    onKilled: undefined,
    term() {
      if (dead || stop.signal.aborted) return;
      stop.abort();
      clock.stir();
      process.onTerm?.();
    },
    kill() {
      if (dead) return;
      dead = true;
      process.onDeath?.();
      process.onKilled?.();
    },
  };
  return process;
}
