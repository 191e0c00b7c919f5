/**
 * @file By what right a process writes: the job of an engine that it works for, and over whom it may take.
 *
 *     STATELAB_CLAIM={"engine":"bullmq","job":"zoo/17","epoch":2}     an engine's worker says it
 *     SLURM_JOB_ID=40 SLURM_RESTART_COUNT=1                           Slurm says it: engine slurm, job statelab/40, epoch 1
 *     STATELAB_TAKE_OVER=others                                       the user's word: processes of other hosts are gone
 *     STATELAB_TAKE_OVER=NONCE NONCE                                  an engine's word: these owners of locks are gone
 *
 * An epoch counts how often the engine has begun the job. Of two processes of one job that of the higher epoch is the one that
 * the engine means; the other is left over, whether it knows it or not. Variables, because processes hand them to their children.
 */

import { hostname } from "node:os";
import { z } from "zod";
import { parseWith } from "../core/settings.ts";
import { parseJson } from "./record.ts";

export const Claim = z.strictObject({
  engine: z.string(),
  /** Of this engine it names one job for good, however often it is begun. */
  job: z.string(),
  epoch: z.int().min(0),
});
export type Claim = z.infer<typeof Claim>;

export interface Standing {
  /** undefined for a process that nobody but a user has begun. */
  readonly claim: Claim | undefined;
  /** Whether somebody who knows has said that this owner of a lock is gone. */
  gone(owner: { readonly nonce: string; readonly host: string }): boolean;
}

export const claimVariable = "STATELAB_CLAIM";
export const takeOverVariable = "STATELAB_TAKE_OVER";
/** For `takeOverVariable`: whoever is not on this host, where it can be seen who lives. */
export const others = "others";

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws LabError where a variable is not of its form. */
export function standingOf(environment: Environment): Standing {
  const word = environment[takeOverVariable] ?? "";
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
  // The id of an array's task changes with every start; array and index stay.
  const name = array === undefined ? job : `${array}_${task}`;
  const epoch = Number(environment.SLURM_RESTART_COUNT ?? 0);
  return { engine: "slurm", job: `${environment.SLURM_CLUSTER_NAME ?? ""}/${name}`, epoch };
}

/** How two claims of one job stand: positive where the first is the later one; undefined where they are not of one job. */
export function later(one: Claim | undefined, other: Claim | undefined): number | undefined {
  if (one === undefined || other === undefined) return undefined;
  return one.engine === other.engine && one.job === other.job ? one.epoch - other.epoch : undefined;
}
