/**
 * @file The child side of fork.ts: what the entry module of a worker calls.
 *
 *     await serveJobs(async (job, onProgress, signal) => { ...; return result; });
 *
 * A worker stops on SIGTERM or a stop message, ignores Ctrl-C (the terminal sends it to every process of the group; the parent
 * decides), and never outlives its parent.
 */

import { type Execute, type FromWorker, type ToWorker, toFailure } from "./pool.ts";

const orphanSeconds = 10;

/** Executes the jobs that the parent sends, one after another, until one fails or is stopped, or there is no other. */
export async function serveJobs<Job, Progress, Result>(
  execute: Execute<Job, Progress, Result>,
): Promise<never> {
  if (process.send === undefined) throw new Error("serveJobs: this module is run by fork.ts, not by itself");
  const controller = new AbortController();
  const stop = () => controller.abort();
  let working = false;
  process.on("SIGINT", () => {});
  process.on("SIGTERM", stop);
  process.on("disconnect", () => {
    if (!working) process.exit(0);
    // The parent is gone: save within bounded time.
    stop();
    setTimeout(() => process.exit(1), orphanSeconds * 1000).unref();
  });
  let begin: (job: Job) => void = () => {};
  const nextJob = () =>
    new Promise<Job>((resolve) => {
      begin = resolve;
    });
  process.on("message", (message: ToWorker) => {
    if (message.kind === "start") begin(message.job as Job);
    else if (message.kind === "stop") stop();
    else process.exit(0);
  });
  let next = nextJob();
  void tell({ kind: "ready" });
  for (;;) {
    const job = await next;
    working = true;
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
    working = false;
    next = nextJob(); // the parent may send it as soon as it has the answer
    await tell(answer);
    if (answer.kind === "failed" || controller.signal.aborted || !process.connected) process.exit(0);
  }
}

/** Resolves when the message has left this process; ignored if the parent is gone. */
function tell(message: FromWorker): Promise<void> {
  return new Promise((resolve) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
    else resolve();
  });
}
