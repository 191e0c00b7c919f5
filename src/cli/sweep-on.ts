/** @file statelab sweep --on ENGINE: the runs of a sweep as an engine's tasks, shown until they end or the user leaves. */

import { fail } from "../records/error.ts";
import { textTable } from "../report/text-table.ts";
import { countsOf, type PieceState } from "../work/engine/standing-by.ts";
import { sweepOn } from "../work/sweep/on-engine.ts";
import { planSweep, type SweepRequest } from "../work/sweep/plan.ts";
import { integerFlag } from "./command.ts";
import { engineOf } from "./engine-of.ts";
import { progressOn } from "./progress.ts";
import { sweepTable } from "./sweep-table.ts";

export interface OnFlags {
  readonly on: string;
  readonly atMost: string;
  readonly pack: string;
  readonly time: string | undefined;
  readonly partition: string | undefined;
  readonly detach: boolean;
  readonly json: boolean;
  readonly print: (text: string) => void;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Failed runs that are named; the others are counted. */
const mostNamed = 10;

export async function sweepOnEngine(request: SweepRequest, flags: OnFlags): Promise<number> {
  const { on, detach, json, print, say, signal } = flags;
  if (request.overwrite)
    fail("sweep", "--on without --overwrite", "both", "A run that is begun again goes on; remove DIR first");
  const atMost = integerFlag("--at-most", flags.atMost, 1);
  const { time, partition } = flags;
  if (time !== undefined && !/^\d+(-\d+(:\d+){0,2}|(:\d+){1,2})?$/.test(time))
    fail("--time", "minutes, hours:minutes:seconds or days-hours", time);
  const pack = integerFlag("--pack", flags.pack, 1);
  const engine = engineOf(on, { atMost, pack, time, partition });
  if (on !== "slurm" && (time !== undefined || partition !== undefined || pack > 1))
    fail("sweep", "--time, --partition and --pack with --on slurm", on);
  if (detach && !engine.outlives)
    fail(
      "sweep",
      "--detach with an engine that outlives this process",
      on,
      "Its tasks end with this command",
    );
  const runs = await planSweep(request);
  const progress = progressOn(process.stderr, { plainEverySeconds: 30 });
  let states: readonly PieceState[] = [];
  const swept = await sweepOn(request, runs, {
    ...{ engine, signal, detach },
    everySeconds: engine.outlives ? 30 : 1,
    onLook: (seen) => {
      states = seen;
      const { done, note } = summed(seen);
      if (seen.length > 0) progress.update(request.folder, { step: done, steps: seen.length, note });
    },
    say: (sentence) => progress.say(`statelab: ${sentence}`),
  }).finally(() => progress.close());
  const { record } = swept;
  if (record === undefined) {
    const { note } = summed(states);
    if (json) print(JSON.stringify({ runs: runs.length, ...countsOf(states) }));
    if (engine.outlives) {
      say(
        `statelab: ${note}. They go on; the same command shows how far they are, statelab jobs all of them`,
      );
      return signal.aborted || detach ? 0 : 1;
    }
    say("statelab: interrupted; everything is saved. Go on by the same command");
    return 1;
  }
  const failed = record.runs.filter((run) => run.state === "failed");
  for (const run of failed.slice(0, mostNamed)) say(`statelab: a run failed: ${run.folder}: ${run.failure}`);
  if (failed.length > mostNamed)
    say(`statelab: and ${failed.length - mostNamed} more; all of them stand in sweep.json`);
  print(json ? JSON.stringify(record) : textTable(sweepTable(record)));
  return failed.length > 0 ? 1 : 0;
}

function summed(states: readonly PieceState[]): { done: number; note: string } {
  const { done, failed, running, pending, left } = countsOf(states);
  const note = `${done} of ${states.length} runs done, ${running} running, ${pending + left} waiting, ${failed} failed`;
  return { done, note };
}
