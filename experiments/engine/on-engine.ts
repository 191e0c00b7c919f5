/** @file Parts of an experiment carried out by an engine's tasks; what each has come to stands in its folder (kept.ts). */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Outcome } from "../../src/jobs/pool.ts";
import type { WorkOf } from "../../src/records/submission.ts";
import { runFiles } from "../../src/store/index.ts";
import type { Standing } from "../../src/work/engine/standing.ts";
import { type PieceState, standBy } from "../../src/work/engine/standing-by.ts";
import type { Job, JobResult, WorkJob } from "./job.ts";
import { keptResult } from "./kept.ts";

/** One outcome a job, in their order; "stopped" is what the engine still works at. */
export async function onEngine(
  jobs: readonly (Job | WorkJob)[],
  home: string,
  standing: Standing,
): Promise<Outcome<JobResult>[]> {
  // What other questions were answered there says nothing of these.
  for (const job of jobs)
    if ((await keptResult(job)) === undefined) await rm(join(job.folder, runFiles.answered), { force: true });
  const pieces = jobs.map((job) => ({
    folder: job.folder,
    work: { kind: "part" as const, part: partOf(job) },
  }));
  const states = await standBy(pieces, { ...standing, home, unit: "parts" });
  return Promise.all(jobs.map((job, i) => outcomeOf(job, states[i])));
}

async function outcomeOf(job: Job | WorkJob, state: PieceState): Promise<Outcome<JobResult>> {
  if (state.kind === "failed") return { kind: "failed", failure: { message: state.words } };
  const result = state.kind === "done" ? await keptResult(job) : undefined;
  if (result !== undefined) return { kind: "done", result };
  if (state.kind !== "done") return { kind: "stopped" };
  const message = `${job.folder}: what it came to is not there, or is that of another configuration`;
  return { kind: "failed", failure: { message } };
}

function partOf(job: Job | WorkJob): WorkOf<"part">["part"] {
  const { setting, model } = job;
  if (!("config" in job)) {
    const { seed, options, measuredBy } = job;
    return { setting, model, seed, options, measuredBy };
  }
  const { config, measuredBy, curvePoints } = job;
  return {
    ...{ setting, model, config },
    tests: job.tests.map((test) => ({ ...test })),
    ...(measuredBy !== undefined && { measuredBy }),
    ...(curvePoints !== undefined && { curvePoints }),
  };
}
