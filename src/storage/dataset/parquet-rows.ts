/** @file Reads Parquet: a worker thread converts the rows to JSON lines in an unlinked temporary file. */

import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { fail } from "../../core/error.ts";
import { openRegular, parseJson } from "../record.ts";

const CHUNK = 1 << 20;

/** The open file with one line a row; the caller closes it. Errors: LabError (corrupt) where it is no Parquet file. */
export async function spooledParquet(path: string, hint?: string): Promise<number> {
  if (!existsSync(path)) fail(path, "an existing file", "none");
  closeSync(openRegular(path));
  const folder = mkdtempSync(join(tmpdir(), "statelab-rows-"));
  const spool = openSync(join(folder, "rows"), "w+");
  // An unlinked file disappears with this process, however it ends.
  if (process.platform !== "win32") rmSync(folder, { recursive: true });
  try {
    await spoolColumns(path, spool);
  } catch (error) {
    closeSync(spool);
    return fail(path, "a Parquet file of rows", (error as Error).message, hint, "corrupt"); // errors from the thread
  }
  return spool;
}

/** Every row as JSON, in order. Errors: as `spooledParquet`. */
export async function* parquetValues(path: string): AsyncGenerator<unknown> {
  const spool = await spooledParquet(path);
  try {
    let rest = Buffer.alloc(0);
    for (let at = 0, row = 1; ; ) {
      const chunk = Buffer.alloc(CHUNK);
      const got = readSync(spool, chunk, 0, CHUNK, at);
      if (got === 0) return;
      at += got;
      rest = Buffer.concat([rest, chunk.subarray(0, got)]);
      let start = 0;
      for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10, start), row++) {
        yield parseJson(rest.toString("utf8", start, end), `${path}, row ${row}`);
        start = end + 1;
      }
      rest = Buffer.from(rest.subarray(start));
    }
  } finally {
    closeSync(spool);
  }
}

/**
 * Reads the file in a thread that is ended if a damaged file makes it loop: bounded by processor time, which does not depend on the
 * machine's load.
 */
async function spoolColumns(path: string, spool: number): Promise<void> {
  const megabytes = statSync(path).size / 2 ** 20;
  const worker = new Worker(new URL("./parquet-worker.mjs", import.meta.url), {
    workerData: { path, spool },
    resourceLimits: { maxOldGenerationSizeMb: Math.ceil(256 + 64 * megabytes) },
    execArgv: [],
  });
  const allowed = 1 + 10 * megabytes;
  let since = process.cpuUsage();
  let watch: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      watch = setInterval(() => {
        const { user, system } = process.cpuUsage(since);
        if ((user + system) / 1e6 > allowed)
          reject(new Error(`rows that take more than ${allowed.toFixed(1)} s`));
      }, 100);
      worker.on("message", (message) => {
        since = process.cpuUsage();
        if (message === "all") resolve();
      });
      worker.on("error", reject);
      worker.on("exit", () => reject(new Error("a file whose rows do not end")));
    });
  } finally {
    clearInterval(watch);
    await worker.terminate();
  }
}
