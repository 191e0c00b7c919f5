/** @file One run of a sweep in a process of its own: train (or go on), then ask about the tests of its configuration. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { serveJob } from "../../jobs/worker.ts";
import { LabError } from "../../records/error.ts";
import { askTests, sharesOf } from "../run/tests.ts";
import { type TrainRunOptions, trainNew, trainOn } from "../run/train.ts";
import { openTrained } from "../run/trained.ts";
import type { SweepJob, SweepProgress, SweepResult } from "./run.ts";

/** Workers of a sweep that was killed save before they end, and hold their runs until then. */
const ORPHANS_END_MILLISECONDS = 15_000;

const REPORT_EVERY_MILLISECONDS = 200;

await serveJob<SweepJob, SweepProgress, SweepResult>(
  async ({ folder, config, overwrite }, onProgress, signal) => {
    let reported = Number.NEGATIVE_INFINITY;
    let since = { steps: 0, seconds: 0, tokens: 0 };
    const options: TrainRunOptions = {
      signal,
      overwrite,
      onWarning: (sentence) => onProgress({ kind: "warning", sentence }),
      onStart: ({ parameters, estimate: { bytes, seconds } }) =>
        onProgress({ kind: "start", parameters, bytes, seconds }),
      onStep: ({ step, loss, runningAccuracy, stage, seconds, tokens }) => {
        since = {
          steps: since.steps + 1,
          seconds: since.seconds + seconds,
          tokens: since.tokens + tokens,
        };
        const now = performance.now();
        if (step < config.train.steps && now - reported < REPORT_EVERY_MILLISECONDS) return;
        reported = now;
        onProgress({
          kind: "step",
          step,
          loss,
          accuracy: runningAccuracy,
          stage: String(stage + 1),
          secondsPerStep: since.seconds / since.steps,
          tokensPerSecond: since.tokens / since.seconds,
        });
        since = { steps: 0, seconds: 0, tokens: 0 };
      },
    };
    const { finished } = await patiently(signal, () => {
      const begun = !overwrite && existsSync(join(folder, "config.json"));
      return begun ? trainOn(folder, options) : trainNew(folder, config, options);
    });
    if (!finished) throw new Error("stopped");
    const run = await openTrained(folder);
    const results = await askTests(folder, run, (test) => onProgress({ kind: "ask", test }), signal);
    return { results: results.map(sharesOf) };
  },
);

/** Tries again for a while when the run is locked. */
async function patiently<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + ORPHANS_END_MILLISECONDS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const locked = error instanceof LabError && error.kind === "locked";
      if (!locked || signal.aborted || performance.now() > deadline) throw error;
      await new Promise((wake) => setTimeout(wake, 200));
    }
  }
}
