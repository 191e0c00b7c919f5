/**
 * @file A simulated training run: takes its lock, reads its checkpoint, computes and saves, evaluates, publishes. The production rule
 * (`mayReplace`) decides who may take a lock and who must stop.
 *
 *     |resume|compute ss compute ss compute ss|tests|      published
 *     |resume|compute ss comp+                              died: work since the last `ss` is lost
 */

import { LabError } from "../../../src/core/error.ts";
import type { SimulationPlan, Spent } from "../../../src/schemas/simulation-plan.ts";
import {
  LockLostError,
  leaseFromEnvironment,
  mayReplace,
  type Owner,
  type Standing,
} from "../../../src/storage/index.ts";
import type { VirtualClock } from "../clock.ts";
import type { SimulatedProcess } from "../process.ts";
import { checkpoints, reachedAfter, type Stretch, secondsFor } from "./progress.ts";

/** The contents of a run's folder, and the simulator's view of it. */
export interface SimulatedRun {
  readonly folder: string;
  /** Seconds of work at speed 1. */
  readonly length: number;
  /** The amount of work after which it fails by itself. */
  readonly failsAt: number | undefined;
  saved: number;
  owner: Owner | undefined;
  /** The lock owner. */
  attempt: Attempt | undefined;
  begun: boolean;
  published: number;
}

interface Attempt {
  /** Another process takes the lock. */
  supersede(): void;
}

/** Filled while the runs go on. */
export type Spending = { -readonly [Part in keyof Spent]: Spent[Part] };

interface TrainingOptions {
  readonly clock: VirtualClock;
  readonly about: SimulationPlan["run"];
  readonly spent: Spending;
  /** Whether a process of the same host lives. */
  readonly lives: (owner: Owner) => boolean;
}

type Why = "end" | "term" | "superseded";

let nonces = 0;

/** Rejects like a real training: locked, superseded, stopped, failed by itself. */
export async function trainSimulated(
  run: SimulatedRun,
  process: SimulatedProcess,
  { clock, about, spent, lives }: TrainingOptions,
): Promise<void> {
  const standing = leaseFromEnvironment(process.environment);
  const begun = clock.now();
  process.onDeath = undefined;
  const owner = takeSimulatedLock(run, process, standing, lives);
  run.begun = true;
  const { checkpointSeconds: every, saveSeconds: save, lineSeconds } = about;
  const { speed } = process;
  const resume = run.saved > 0 ? about.resumeSeconds : 0;
  const stretch: Stretch = { from: run.saved, length: run.length, every, save, speed };
  const { failsAt } = run;
  const computing = failsAt === undefined ? secondsFor(stretch) : secondsUntil(failsAt, stretch);
  const whole = resume + computing + (failsAt === undefined ? about.endSeconds : 0);

  /** The work on disk from this attempt; called once, while it has the lock. */
  let settled = false;
  /** The last seconds wrote a checkpoint of all earlier work: at SIGTERM. */
  let savingRest = 0;
  const settle = (restSaved: boolean) => {
    if (settled) return;
    settled = true;
    const passed = clock.now() - begun - (restSaved ? savingRest : 0);
    const inWork = Math.min(computing, Math.max(0, passed - resume));
    const { computed, saved, saving } = reachedAfter(inWork, stretch);
    const kept = restSaved ? computed : saved;
    run.saved = kept;
    spent.starting += Math.min(passed, resume);
    spent.working += (kept - stretch.from) / speed;
    spent.saving += saving + (restSaved ? savingRest : 0);
    spent.lost += inWork - (kept - stretch.from) / speed - saving;
    spent.ending += Math.max(0, passed - resume - computing);
  };

  let settledAt = 0;
  process.onDeath = () => {
    // If it was superseded earlier, all its work since then is lost.
    if (settled) spent.lost += clock.now() - settledAt;
    else settle(false);
  };
  const why = await new Promise<Why>((resolve) => {
    const end = (reason: Why, after: number) =>
      clock.at(clock.now() + after, () => {
        if (!process.alive()) return;
        clock.stir();
        resolve(reason);
      });
    const last = end("end", whole);
    process.onTerm = () => {
      if (settled) return;
      clock.drop(last);
      const passed = clock.now() - begun;
      savingRest = passed > resume && passed < resume + computing ? save : 0;
      end("term", savingRest);
    };
    if (process.signal.aborted) process.onTerm();
    run.attempt = {
      supersede() {
        settle(false);
        settledAt = clock.now();
        clock.drop(last);
        // It checks before its next line.
        end("superseded", lineSeconds - ((clock.now() - begun) % lineSeconds));
      },
    };
  });
  process.onDeath = undefined;
  process.onTerm = undefined;
  if (why === "superseded" || run.owner?.nonce !== owner.nonce) {
    spent.lost += clock.now() - settledAt;
    throw new LockLostError(
      `${run.folder}: expected the lock that this process took, got another's`,
      "locked",
    );
  }
  settle(why === "term");
  run.owner = undefined;
  run.attempt = undefined;
  if (why === "term") throw new Error("stopped");
  if (failsAt !== undefined) throw new LabError(`${run.folder}: expected a finite loss, got NaN`);
  run.published++;
}

/** Time until a run has computed so much, including earlier checkpoints. */
function secondsUntil(work: number, stretch: Stretch): number {
  const part = { ...stretch, length: work };
  return secondsFor({ ...part, save: 0 }) + (checkpoints(part) - 1) * stretch.save;
}

function takeSimulatedLock(
  run: SimulatedRun,
  { pid, host }: SimulatedProcess,
  standing: Standing,
  lives: (owner: Owner) => boolean,
): Owner {
  const holder = run.owner;
  if (holder !== undefined) {
    const alive = (owner: Owner) => owner.host !== host || lives(owner);
    if (!mayReplace(holder, standing, alive))
      throw new LabError(`${run.folder}: expected no other writer, got process ${holder.pid}`, "locked");
    run.attempt?.supersede();
  }
  const { claim } = standing;
  const nonce = `nonce-${nonces++}`;
  const about = { pid, host, since: "", command: "", nonce, processStart: null };
  run.owner = { ...about, ...(claim && { claim }) };
  run.attempt = undefined;
  return run.owner;
}
