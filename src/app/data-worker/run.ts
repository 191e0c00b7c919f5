/**
 * @file A data worker: makes the blocks of a run with the task, objective and seed of its folder, in this process (`feedRun`) or as
 * tasks of an executor. The folder of such a task, `RUN/stream/feeders/0`, `1`, ...:
 *
 *     made.jsonl      the blocks that it made, one line each
 *     fed.json        written when the training needs no more blocks
 */

import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fail } from "../../core/error.ts";
import type { JobHandler } from "../../executors/execute-task.ts";
import { outputsByKind } from "../../executors/job-outputs.ts";
import {
  type Piece,
  type PieceState,
  type SuperviseOptions,
  superviseSubmission,
} from "../../executors/supervise.ts";
import { MadeBlock } from "../../schemas/async-data.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import {
  appendLine,
  lockFolder,
  makeFolder,
  openStream,
  readLog,
  runFiles,
  writeFileAtomic,
} from "../../storage/index.ts";
import { openProducer } from "../../train/async-data/producer.ts";
import { looks, realClock } from "../async-data/source.ts";
import { configOf } from "../run/config.ts";
import { resolveRun } from "../run/resolve.ts";
import { feedBlocks } from "./produce.ts";

interface FeedOptions {
  readonly signal: AbortSignal;
  readonly onStart?: (about: { readonly config: RunConfig }) => void;
  readonly onBlock?: (made: MadeBlock) => void;
  readonly onWait?: (seconds: number) => void;
}

export interface Fed {
  /** Blocks made by this process. */
  readonly made: number;
  /** Whether the training needs no more blocks. */
  readonly finished: boolean;
}

/** Errors: LabError if there is no run, or its training makes its own examples. */
export async function feedRun(
  folder: string,
  { signal, onStart, onBlock, onWait }: FeedOptions,
): Promise<Fed> {
  const config = await configOf(folder);
  const bounds = config.data?.async;
  if (bounds === undefined) {
    const hint = "This run has no data workers; start one with --set data.async.prefetch=4";
    return fail(join(folder, runFiles.config), "data.async", "none", hint);
  }
  const resolved = await resolveRun(folder, config);
  onStart?.({ config });
  const maker = openProducer(resolved, resolved.runtime, resolved.heldOut);
  try {
    const stream = await openStream(folder);
    return await feedBlocks({
      ...{ stream, bounds, train: config.train, maker, clock: realClock, signal },
      ...(onBlock && { onBlock }),
      ...(onWait && { onWait }),
    });
  } finally {
    await maker.release();
  }
}

/** Waits until the training has created its folder; false on an abort. */
async function untilBegun(
  folder: string,
  { signal, onWait }: Pick<FeedOptions, "signal" | "onWait">,
): Promise<boolean> {
  const waiting = looks(realClock, signal);
  while (!signal.aborted && !existsSync(join(folder, runFiles.config))) {
    onWait?.(waiting.waited());
    await waiting.again();
  }
  return !signal.aborted;
}

const madeFile = "made.jsonl";

/** A worker gives up after so many seconds without progress: the training may have crashed. */
const IDLE_SECONDS = 3600;

const madeIn = (folder: string): number => {
  const path = join(folder, madeFile);
  return existsSync(path) ? readLog(path, MadeBlock).length : 0;
};

/** The handler of `cluster data-worker` tasks of an executor. */
export const feed: JobHandler<"data-worker"> = {
  saved: async (folder) => madeIn(folder),
  async carryOut({ folder, home, work }, tell, signal) {
    const lock = await lockFolder(folder, outputsByKind["data-worker"].lock);
    const run = resolve(home, work.run);
    try {
      const onWait = (seconds: number) => {
        if (seconds > IDLE_SECONDS)
          fail(
            run,
            "a running training",
            `no block read in ${IDLE_SECONDS / 60} minutes`,
            "Check whether the training still runs",
          );
      };
      let [made, of] = [madeIn(folder), 1];
      const begun = await untilBegun(run, { signal, onWait });
      const { finished } = begun
        ? await feedRun(run, {
            ...{ signal, onWait },
            onStart: ({ config }) => {
              of = config.train.steps;
            },
            onBlock: (block) => {
              appendLine(join(folder, madeFile), block);
              tell({ kind: "measure", done: ++made, of });
            },
          })
        : { finished: false };
      if (!finished) throw new Error("stopped");
      await writeFileAtomic(
        join(folder, outputsByKind["data-worker"].proof),
        `${JSON.stringify({ blocks: made })}\n`,
        lock,
      );
    } finally {
      lock.release();
    }
  },
};

/** `count` data workers as tasks, in subfolders of `folder`. @param home the folder of submissions. */
export function dataWorkerPieces(
  run: string,
  { home, folder, count }: { readonly home: string; readonly folder: string; readonly count: number },
): Piece[] {
  return Array.from({ length: count }, (_, i) => ({
    folder: join(folder, String(i)),
    work: { kind: "data-worker", run: relative(home, run) },
  }));
}

/** Runs data workers for one run on an executor. */
export async function feedOn(
  run: string,
  { dataWorkers, ...standing }: SuperviseOptions & { readonly dataWorkers: number },
): Promise<PieceState[]> {
  const home = join(run, runFiles.stream);
  await makeFolder(home);
  const pieces = dataWorkerPieces(run, { home, folder: join(home, "feeders"), count: dataWorkers });
  return superviseSubmission(pieces, { ...standing, home, unit: "data workers" });
}
