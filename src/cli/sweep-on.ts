/** @file statelab sweep --on ENGINE: the runs of a sweep as an engine's tasks, shown until they end or the user leaves. */

import { sweepOn } from "../app/sweep/on-engine.ts";
import { planSweep, type SweepRequest, type SweepRun } from "../app/sweep/plan.ts";
import { fail } from "../core/error.ts";
import { textTable } from "../report/text-table.ts";
import type { Invocation } from "./command.ts";
import type { Stand } from "./executor-flags.ts";
import { sweepTable } from "./sweep-table.ts";

/** Failed runs that are named; the others are counted. */
const mostNamed = 10;

export async function sweepOnEngine(
  request: SweepRequest,
  stand: Stand,
  feeders: number,
  { json, print, say }: Pick<Invocation, "json" | "print" | "say">,
): Promise<number> {
  if (request.overwrite)
    fail("sweep", "--on without --overwrite", "both", "A run that is begun again goes on; remove DIR first");
  const runs = await planSweep(request);
  checkFeeders(runs, feeders, stand.atMost);
  const { record } = await sweepOn(request, runs, { ...stand, feeders }).finally(() => stand.close());
  if (record === undefined) return stand.unfinished(json, print);
  const failed = record.runs.filter((run) => run.state === "failed");
  for (const run of failed.slice(0, mostNamed)) say(`statelab: a run failed: ${run.folder}: ${run.failure}`);
  if (failed.length > mostNamed)
    say(`statelab: and ${failed.length - mostNamed} more; all of them stand in sweep.json`);
  print(json ? JSON.stringify(record) : textTable(sweepTable(record)));
  return failed.length > 0 ? 1 : 0;
}

/** Errors: LabError where a run would wait for ever: for a feeder that there is none of, or that waits for the run to end. */
function checkFeeders(runs: readonly SweepRun[], feeders: number, atMost: number): void {
  const fed = runs.filter(({ config }) => config.teach?.stream !== undefined).length;
  if (feeders === 0 && fed > 0) fail("sweep", "--feeders N with teach.stream and --on", "none");
  if (feeders > 0 && fed < runs.length)
    fail("sweep --feeders", "teach.stream in every run", `${runs.length - fed} without`);
  if (feeders >= atMost)
    fail(
      "--at-most",
      `at least ${feeders + 1}, a run and its feeders`,
      atMost,
      "Else the run waits for what waits for it",
    );
}
