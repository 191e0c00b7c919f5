/**
 * @file Making blocks for a run, as a task of an engine. In its own folder:
 *
 *     made.jsonl      the blocks that it made, one line each
 *     fed.json        there when the training needs no more
 */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fail } from "../../core/error.ts";
import type { Carrier } from "../../executors/execute-task.ts";
import { places } from "../../executors/job-outputs.ts";
import { MadeBlock } from "../../schemas/async-data.ts";
import { appendLine, lockFolder, readLog, writeFileAtomic } from "../../storage/index.ts";
import { feedRun, untilBegun } from "./run.ts";

export const madeFile = "made.jsonl";

/** A training that has taken nothing for so long is given up: it may have failed before it could say so. */
const IDLE_SECONDS = 3600;

const madeIn = (folder: string): number => {
  const path = join(folder, madeFile);
  return existsSync(path) ? readLog(path, MadeBlock).length : 0;
};

export const feed: Carrier<"feed"> = {
  saved: async (folder) => madeIn(folder),
  async carryOut({ folder, home, work }, tell, signal) {
    const lock = await lockFolder(folder, places.feed.lock);
    const run = resolve(home, work.run);
    try {
      const onWait = (seconds: number) => {
        if (seconds > IDLE_SECONDS)
          fail(
            run,
            "a training that takes blocks",
            `none taken in ${IDLE_SECONDS / 60} minutes`,
            "Look at its own end",
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
      await writeFileAtomic(join(folder, places.feed.proof), `${JSON.stringify({ blocks: made })}\n`, lock);
    } finally {
      lock.release();
    }
  },
};
