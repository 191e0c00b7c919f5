/**
 * @file Simulates a plan: its runs are distributed to clusters, each with a folder and a supervising command.
 *
 *     await simulatePlan(plan, 7, { signal })      { makespanSeconds: 5310, used: 0.93, clusters: [...] }
 */

import { fail } from "../../../src/core/error.ts";
import { type Rng, rngFrom } from "../../../src/core/rng.ts";
import type {
  ClusterPlan,
  ClusterResult,
  PlanResult,
  SimulationPlan,
} from "../../../src/schemas/simulation-plan.ts";
import { home, type SimulateOptions, sampleTimes, simulateCluster } from "./cluster.ts";
import type { SimulatedRun } from "./training.ts";

export async function simulatePlan(
  plan: SimulationPlan,
  seed: number,
  options: SimulateOptions,
): Promise<PlanResult> {
  const rng = rngFrom(seed);
  const ofRuns = rng.fork("runs");
  const counts = dealt(plan.runs, plan.clusters.map(weightOf));
  const clusters: ClusterResult[] = [];
  let first = 0;
  for (const [i, cluster] of plan.clusters.entries()) {
    // Durations are drawn by run index: more runs, or another cluster, do not change the others.
    const runs = Array.from({ length: counts[i] }, (_, j) => simulatedRun(plan, first + j, ofRuns));
    first += counts[i];
    if (runs.length > 0)
      clusters.push(await simulateCluster(plan, cluster, runs, rng.fork(`cluster ${i}`), options));
  }
  const sum = (of: (cluster: ClusterResult) => number) => clusters.reduce((all, each) => all + of(each), 0);
  const makespanSeconds = Math.max(...clusters.map((each) => each.makespanSeconds));
  return {
    ...{ seed, runs: plan.runs, makespanSeconds },
    done: sum(({ done }) => done),
    failed: sum(({ failed }) => failed),
    used: sum(({ processSeconds }) => processSeconds.working) / (sum(({ slots }) => slots) * makespanSeconds),
    lostSeconds: sum(({ processSeconds }) => processSeconds.lost),
    attempts: sum(({ attempts }) => attempts),
    clusters,
  };
}

export function simulatedRun({ run }: SimulationPlan, index: number, runs: Rng): SimulatedRun {
  const rng = runs.fork(index);
  const { seconds } = run;
  const length =
    typeof seconds === "object" && "each" in seconds
      ? seconds.each[index % seconds.each.length]
      : sampleTimes(seconds, rng.fork("seconds"));
  const ofFailure = rng.fork("fails");
  const failsAt = ofFailure.next() < run.fails ? length * (1 - ofFailure.next()) : undefined;
  const none = { saved: 0, owner: undefined, attempt: undefined, begun: false, published: 0 };
  return { folder: `${home}/run-${index}`, length, failsAt, ...none };
}

const weightOf = ({ share, nodes, slotsPerNode, atMost, speed }: ClusterPlan) =>
  share ?? Math.min(nodes * slotsPerNode, atMost ?? Number.POSITIVE_INFINITY) * speed;

/** Largest remainder method: integers in the ratio of the weights that sum to `count`. */
export function dealt(count: number, weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total <= 0) fail("clusters", "a share above 0", weights);
  const exact = weights.map((weight) => (count * weight) / total);
  const parts = exact.map(Math.floor);
  const left = count - parts.reduce((sum, part) => sum + part, 0);
  const byRemainder = exact
    .map((value, i) => ({ i, remainder: value - parts[i] }))
    .sort((a, b) => b.remainder - a.remainder);
  for (const { i } of byRemainder.slice(0, left)) parts[i]++;
  return parts;
}
