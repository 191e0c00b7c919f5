/**
 * @file The lease under which a process writes, and which locks it may break.
 *
 *     STATELAB_CLAIM={"engine":"bullmq","job":"zoo/17","epoch":2}     set by an executor's worker
 *     SLURM_JOB_ID=40 SLURM_RESTART_COUNT=1                           set by Slurm: engine slurm, job statelab/40, epoch 1
 *     STATELAB_TAKE_OVER=others                                       set by the user: processes on other hosts are dead
 *     STATELAB_TAKE_OVER=NONCE NONCE                                  set by an executor: these lock owners are dead
 *
 * The epoch counts starts of the job. Of two processes of one job the one with the higher epoch is current; the other one is stale.
 * Environment variables, because child processes inherit them.
 */

import { hostname } from "node:os";
import { z } from "zod";
import { parseWith } from "../core/settings.ts";
import { parseJson } from "./record.ts";

export const Claim = z.strictObject({
  engine: z.string(),
  /** Identifies one job of this executor permanently, across restarts. */
  job: z.string(),
  epoch: z.int().min(0),
});
export type Claim = z.infer<typeof Claim>;

export interface Standing {
  /** undefined for a process started by a user. */
  readonly claim: Claim | undefined;
  /** Whether this lock owner is known to be dead. */
  gone(owner: { readonly nonce: string; readonly host: string }): boolean;
}

export const claimVariable = "STATELAB_CLAIM";
export const forceUnlockVariable = "STATELAB_TAKE_OVER";
/** For `forceUnlockVariable`: all owners on other hosts, whose liveness is not observable here. */
export const others = "others";

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws LabError for a malformed variable. */
export function leaseFromEnvironment(environment: Environment): Standing {
  const word = environment[forceUnlockVariable] ?? "";
  const nonces = new Set(word.split(" "));
  return {
    claim: claimOf(environment),
    gone: ({ nonce, host }) => (word === others ? host !== hostname() : nonces.has(nonce)),
  };
}

function claimOf(environment: Environment): Claim | undefined {
  const given = environment[claimVariable];
  if (given !== undefined) return parseWith(Claim, parseJson(given, claimVariable), claimVariable);
  const { SLURM_JOB_ID: job, SLURM_ARRAY_JOB_ID: array, SLURM_ARRAY_TASK_ID: task } = environment;
  if (job === undefined) return undefined;
  // The id of an array's task changes with every start; array and index stay the same.
  const name = array === undefined ? job : `${array}_${task}`;
  const epoch = Number(environment.SLURM_RESTART_COUNT ?? 0);
  return { engine: "slurm", job: `${environment.SLURM_CLUSTER_NAME ?? ""}/${name}`, epoch };
}

/** Compares two claims of one job: positive if the first is later; undefined for different jobs. */
export function later(one: Claim | undefined, other: Claim | undefined): number | undefined {
  if (one === undefined || other === undefined) return undefined;
  return one.engine === other.engine && one.job === other.job ? one.epoch - other.epoch : undefined;
}
