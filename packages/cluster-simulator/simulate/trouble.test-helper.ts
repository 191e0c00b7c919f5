/** @file Simulated clusters with random failures, and the invariants that must survive them. */

import fc from "fast-check";
import { expect } from "vitest";
import { rngFrom } from "../../../src/core/rng.ts";
import { SimulationPlan } from "../../../src/schemas/simulation-plan.ts";
import { simulateCluster } from "./cluster.ts";
import { simulatedRun } from "./simulate.ts";

const trouble = fc.record({
  pack: fc.integer({ min: 1, max: 3 }),
  longestArray: fc.constantFrom(3, 1001),
  atMost: fc.integer({ min: 1, max: 6 }),
  startSeconds: fc.constantFrom<unknown>(0, { uniform: [0, 4] }),
  turnSeconds: fc.constantFrom<unknown>(0, { exponential: 2 }),
  requeueSeconds: fc.constantFrom(0, 7),
  crashes: fc.constantFrom({ everySeconds: 300 }, undefined),
  preemption: fc.constantFrom({ everySeconds: 150, graceSeconds: 3, takenSeconds: 9 }, undefined),
  silences: fc.constantFrom({ everySeconds: 100, seconds: 40 }, undefined),
  timeSeconds: fc.constantFrom(200, undefined),
  nodeDeaths: fc.constantFrom(
    { everySeconds: 200, noticedSeconds: 20, backSeconds: 60, daemonAlone: 0.5 },
    { everySeconds: 200, noticedSeconds: 90, backSeconds: 60, daemonAlone: 1 },
    undefined,
  ),
});

/** No run is lost, none is published twice, all work is counted once, and every second of every slot. Returns how many processes were superseded. */
export async function holdsInTrouble(parameters: fc.Parameters<unknown>): Promise<number> {
  let superseded = 0;
  await fc.assert(
    fc.asyncProperty(trouble, fc.nat(1000), async (cluster, seed) => {
      const plan = SimulationPlan.parse({
        runs: 12,
        run: { seconds: { uniform: [5, 90] }, checkpointSeconds: 10, saveSeconds: 1, resumeSeconds: 2 },
        clusters: [{ nodes: 3, slotsPerNode: 2, ...cluster }],
      });
      const rng = rngFrom(seed);
      const runs = Array.from({ length: plan.runs }, (_, i) => simulatedRun(plan, i, rng.fork("runs")));
      const [own] = plan.clusters;
      const result = await simulateCluster(plan, own, runs, rng.fork("cluster"), {
        signal: new AbortController().signal,
      });
      superseded += result.superseded;
      const { slotSeconds, processSeconds, makespanSeconds } = result;
      expect(result.done + result.failed).toBe(12);
      // What dies three times without progress is given up, by the rule of standing-by.ts; nothing else fails.
      if (cluster.crashes === undefined) expect(result.failed).toBe(0);
      const published = runs.filter((run) => run.published === 1);
      expect(runs.filter((run) => run.published > 1)).toEqual([]);
      expect(published.length).toBeGreaterThanOrEqual(result.done);
      for (const run of published) expect(run.saved).toBeCloseTo(run.length, 9);
      expect(processSeconds.working).toBeCloseTo(
        runs.reduce((sum, run) => sum + run.saved, 0),
        4,
      );
      expect(processSeconds.lost).toBeGreaterThanOrEqual(-1e-6);
      const all = Object.values(slotSeconds).reduce((sum, seconds) => sum + seconds, 0);
      expect(all).toBeCloseTo(6 * makespanSeconds, 4);
      expect(result.mostAtOnce).toBeLessThanOrEqual(6);
      // Where no node dies every second of a process is one of a busy slot, and the other way round.
      if (cluster.nodeDeaths === undefined) {
        const processes = Object.values(processSeconds).reduce((sum, seconds) => sum + seconds, 0);
        expect(processes).toBeCloseTo(slotSeconds.busy, 4);
      }
    }),
    parameters,
  );
  return superseded;
}
