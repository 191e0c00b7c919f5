/**
 * @file The child side of fork.ts: what the entry module of a worker calls.
 *
 *     await serveJob(async (job, onProgress, signal) => { ...; return result; });
 *
 * A worker stops on SIGTERM or a stop message, ignores Ctrl-C (the terminal sends it to every process of the group; the parent
 * decides), and never outlives its parent.
 */

import { type Execute, type FromWorker, type ToWorker, toFailure } from "./pool.ts";

const orphanSeconds = 10;

/** Waits for this process's one job, executes it, reports, and exits. */
export async function serveJob<Job, Progress, Result>(
  execute: Execute<Job, Progress, Result>,
): Promise<never> {
  if (process.send === undefined) throw new Error("serveJob: this module is run by child.ts, not by itself");
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.on("SIGINT", () => {});
  process.on("SIGTERM", stop);
  process.on("disconnect", () => {
    // The parent is gone: save within bounded time.
    stop();
    setTimeout(() => process.exit(1), orphanSeconds * 1000).unref();
  });
  const job = await new Promise<Job>((resolve) => {
    process.on("message", (message: ToWorker) => {
      if (message.kind === "start") resolve(message.job as Job);
      else stop();
    });
    void tell({ kind: "ready" });
  });
  let answer: FromWorker;
  try {
    const result = await execute(
      job,
      (progress) => void tell({ kind: "progress", progress }),
      controller.signal,
    );
    answer = { kind: "done", result };
  } catch (error) {
    answer = { kind: "failed", failure: toFailure(error) };
  }
  await tell(answer);
  process.exit(0);
}

/** Resolves when the message has left this process; ignored if the parent is gone. */
function tell(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}
