/**
 * @file A sweep whose runs an engine carries out: hands over what nobody works at, looks until all has come to an end, and writes
 * sweep.json. Called again it shows how far it is.
 */

import { join, relative } from "node:path";
import type { Outcome } from "../../executors/pool.ts";
import { isEnded, type Piece, type PieceState, type Standing, standBy } from "../../executors/supervise.ts";
import { lockFolder, sweepFiles } from "../../storage/index.ts";
import { feederPieces } from "../data-worker/on-engine.ts";
import type { RunAnswers } from "../run/execute.ts";
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
  { feeders = 0, ...standing }: Standing & { readonly feeders?: number },
): Promise<SweptOn> {
  const { folder } = request;
  const lock = await lockFolder(folder, sweepFiles.lock);
  try {
    const left = runs.filter(({ known }) => known === undefined);
    // A run and then who feeds it: an engine that begins them in this order has no run that waits while another one is fed.
    const pieces = left.flatMap((run): Piece[] => [
      { folder: run.folder, work: { kind: "run", config: run.config } },
      ...feederPieces(run.folder, {
        home: folder,
        folder: join(folder, "feeders", relative(folder, run.folder)),
        count: feeders,
      }),
    ]);
    const all = await standBy(pieces, {
      ...{ ...standing, home: folder },
      ...(feeders > 0 && { unit: "runs and feeders" }),
    });
    const states = all.filter((_, i) => pieces[i].work.kind === "run");
    if (!all.every(isEnded)) return { states, record: undefined };
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
