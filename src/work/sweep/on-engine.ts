/**
 * @file A sweep whose runs an engine carries out: hands over what nobody works at, looks until all has come to an end, and writes
 * sweep.json. Called again it shows how far it is.
 */

import { join } from "node:path";
import type { Outcome } from "../../jobs/pool.ts";
import { makeFolder, sweepFiles, takeLock } from "../../store/index.ts";
import { isEnded, type Standing } from "../engine/standing.ts";
import { type PieceState, standBy } from "../engine/standing-by.ts";
import type { RunAnswers } from "../run/carry-out.ts";
import { planSweep, type SweepRequest, type SweepRun } from "./plan.ts";
import { type SweepRecord, writeRecord } from "./run.ts";

export interface SweptOn {
  /** Of each run that was not finished before. */
  readonly states: readonly PieceState[];
  /** undefined while the engine still works at some. */
  readonly record: SweepRecord | undefined;
}

export async function sweepOn(
  request: SweepRequest,
  runs: readonly SweepRun[],
  standing: Standing,
): Promise<SweptOn> {
  const { folder } = request;
  await makeFolder(folder);
  const lock = takeLock(join(folder, sweepFiles.lock));
  try {
    const left = runs.filter(({ known }) => known === undefined);
    const pieces = left.map(({ folder, config }) => ({ folder, work: { kind: "run" as const, config } }));
    const states = await standBy(pieces, { ...standing, home: folder });
    if (!states.every(isEnded)) return { states, record: undefined };
    // What the tasks have answered stands in their folders.
    const ended = await planSweep(request);
    const words = new Map(left.map(({ folder }, i) => [folder, states[i]]));
    const outcomes = new Map(
      ended
        .filter(({ known }) => known === undefined)
        .map((run): [SweepRun, Outcome<RunAnswers>] => {
          const state = words.get(run.folder);
          const message = state?.kind === "failed" ? state.words : "its answers are not in its folder";
          return [run, { kind: "failed", failure: { message } }];
        }),
    );
    return { states, record: await writeRecord(folder, ended, outcomes, lock) };
  } finally {
    lock.release();
  }
}
