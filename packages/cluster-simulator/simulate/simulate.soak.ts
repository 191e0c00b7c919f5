import { expect, test } from "vitest";
import { SimulationPlan } from "../../../src/schemas/simulation-plan.ts";
import { simulatePlan } from "./simulate.ts";
import { holdsInTrouble } from "./trouble.test-helper.ts";

const small = process.env.SOAK_SLICE === "ci";

test("on thousands of clusters where anything goes wrong no run is lost and none is published twice", async () => {
  expect(await holdsInTrouble({ seed: 11, numRuns: small ? 200 : 5000 })).toBeGreaterThan(20);
});

test("a hundred thousand runs are simulated, and all of them end", async () => {
  const plan = SimulationPlan.parse({
    runs: small ? 10_000 : 100_000,
    run: { seconds: { exponential: 60 }, checkpointSeconds: 30 },
    clusters: [
      { nodes: 64, slotsPerNode: 4, pack: 4, crashes: { everySeconds: 360_000 }, longestArray: 10_001 },
    ],
  });
  const { done, mostAtOnce } = (await simulatePlan(plan, 1, { signal: new AbortController().signal }))
    .clusters[0];
  expect([done, mostAtOnce]).toEqual([plan.runs, 256]);
});
