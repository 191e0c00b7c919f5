/**
 * @file A process that an engine has begun, in simulated time: it sleeps, may be asked to stop (SIGTERM), and may die between any two
 * lines. What waits in it when it dies waits for ever: nothing of it is said or done any more.
 */

import type { Submission } from "../../src/executors/executor.ts";
import type { CallProgram } from "../../src/executors/slurm-queue.ts";
import type { VirtualClock } from "./clock.ts";

export interface SimulatedProcess {
  readonly submission: Submission;
  /** Tasks first, first + 1, ...: `count` of them, one after the other. */
  readonly first: number;
  readonly count: number;
  readonly pid: number;
  readonly host: string;
  readonly speed: number;
  readonly environment: Record<string, string | undefined>;
  /** Aborted by SIGTERM. */
  readonly signal: AbortSignal;
  /** When it was begun. */
  readonly since: number;
  /** The engine's programs, as the process calls them. */
  readonly call: CallProgram;
  readonly alive: () => boolean;
  /** Never ends where the process dies before. */
  sleep(seconds: number): Promise<void>;
  /** Called when SIGTERM comes. */
  onTerm: (() => void) | undefined;
  /** Called when it dies without a word: of what it worked at, and of who began it. */
  onDeath: (() => void) | undefined;
  onKilled: (() => void) | undefined;
  /** SIGTERM, and SIGKILL. */
  term(): void;
  kill(): void;
}

/** Carries out what is begun in a process: resolves when that ends by itself, with whether all its tasks are done or have failed. */
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
