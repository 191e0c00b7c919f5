import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SimulationPlan } from "../../../src/schemas/simulation-plan.ts";
import { dealt, simulatePlan } from "./simulate.ts";
import { holdsInTrouble } from "./trouble.test-helper.ts";

const options = { signal: new AbortController().signal };
const simulate = (plan: unknown, seed = 0, more = {}) =>
  simulatePlan(SimulationPlan.parse(plan), seed, { ...options, ...more });

describe("closed forms", () => {
  test("n equal runs on m slots take ceil(n / m) rounds, by either engine", async () => {
    const sizes = fc.record({ runs: fc.integer({ min: 1, max: 30 }), nodes: fc.integer({ min: 1, max: 7 }) });
    await fc.assert(
      fc.asyncProperty(sizes, fc.constantFrom("slurm", "local"), async ({ runs, nodes }, engine) => {
        const run = { seconds: 30, checkpointSeconds: 8, saveSeconds: 1, endSeconds: 5 };
        const cluster = { engine, nodes, startSeconds: 3, turnSeconds: engine === "slurm" ? 2 : 0 };
        const { makespanSeconds, clusters } = await simulate({ runs, run, clusters: [cluster] });
        const rounds = Math.ceil(runs / nodes);
        // 30 s of work, checkpoints after 8, 16, 24 and at the end.
        expect(makespanSeconds).toBeCloseTo(
          rounds * (3 + 30 + 4 + 5) + (rounds - 1) * cluster.turnSeconds,
          6,
        );
        expect(clusters[0].mostAtOnce).toBe(Math.min(runs, nodes));
      }),
      { seed: 1, numRuns: 25 },
    );
  });

  test("unequal runs are those of list scheduling: the next one goes to the slot that is free first", async () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(lengths, fc.integer({ min: 1, max: 5 }), async (each, nodes) => {
        const plan = { runs: each.length, run: { seconds: { each } }, clusters: [{ nodes }] };
        const free = Array<number>(nodes).fill(0);
        for (const length of each) free[free.indexOf(Math.min(...free))] += length;
        expect((await simulate(plan)).makespanSeconds).toBeCloseTo(Math.max(...free), 6);
      }),
      { seed: 2, numRuns: 25 },
    );
  });

  test("arrays come one after the other, packed runs too, and a controller begins so many in a second", async () => {
    const run = { seconds: 10 };
    const at = async (runs: number, cluster: object) =>
      (await simulate({ runs, run, clusters: [cluster] })).makespanSeconds;
    // 25 runs in arrays of 10, 10 and 5 on 4 slots: 3, 3 and 2 rounds, where 7 would do without arrays.
    expect(await at(25, { nodes: 4, longestArray: 10 })).toBe(80);
    expect(await at(25, { nodes: 4 })).toBe(70);
    // Jobs of 4, 4 and 2 runs on two slots.
    expect(await at(10, { nodes: 2, pack: 4, startSeconds: 1 })).toBe(1 + 40 + 1 + 20);
    // 100 slots are never full: the last one begins after 20 / 2 seconds.
    expect(await at(20, { nodes: 100, dispatchPerSecond: 2 })).toBeCloseTo(10 + 10, 6);
    expect(await at(8, { nodes: 100, atMost: 2 })).toBe(40);
    expect(await at(8, { nodes: 2, speed: 2.5 })).toBe(16);
  });

  test("between interruptions of rate r an interval of c with a checkpoint of s takes (exp(r (c + s)) - 1) / r on average", async () => {
    const [every, checkpointSeconds, saveSeconds, runs] = [150, 25, 2, 400];
    const { clusters } = await simulate({
      runs,
      run: { seconds: 100, checkpointSeconds, saveSeconds },
      clusters: [{ nodes: 400, preemption: { everySeconds: every, graceSeconds: 0 } }],
    });
    const interval = every * (Math.exp((checkpointSeconds + saveSeconds) / every) - 1);
    const [cluster] = clusters;
    const measured = cluster.slotSeconds.busy / runs;
    // The standard error is about 0.6 %.
    expect(Math.abs(measured / (4 * interval) - 1)).toBeLessThan(0.025);
    expect(cluster.processSeconds).toMatchObject({ working: runs * 100, saving: runs * 4 * saveSeconds });
  });

  test("checkpoints as far apart as Daly's optimum cost less than four times as close or as far", async () => {
    const [every, saveSeconds] = [800, 4];
    const best = Math.sqrt(2 * saveSeconds * every) - saveSeconds; // 76 s
    const busy = async (checkpointSeconds: number) => {
      const run = { seconds: 2000, checkpointSeconds, saveSeconds };
      const cluster = { nodes: 60, preemption: { everySeconds: every, graceSeconds: 0 } };
      return (await simulate({ runs: 60, run, clusters: [cluster] })).clusters[0].slotSeconds.busy;
    };
    const [near, right, far] = [await busy(best / 4), await busy(best), await busy(best * 4)];
    expect(right).toBeLessThan(Math.min(near, far));
  });
});

test("whatever goes wrong, no run is lost, none is published twice, its work is counted once, and every second of every slot", async () => {
  // Old processes were there when new ones took over: the rules had something to hold.
  expect(await holdsInTrouble({ seed: 4, numRuns: 30 })).toBeGreaterThan(5);
});

test("looks that can change nothing are left out, and that changes nothing; a seed says everything", async () => {
  const plan = {
    runs: 20,
    run: { seconds: 100, checkpointSeconds: 20, fails: 0.1 },
    clusters: [{ nodes: 3, crashes: { everySeconds: 250 }, silences: { everySeconds: 300, seconds: 50 } }],
  };
  for (const engine of ["slurm", "local"]) {
    const own = { ...plan, clusters: [{ ...plan.clusters[0], engine }] };
    const without = ({ clusters, ...rest }: Awaited<ReturnType<typeof simulate>>) => ({
      ...rest,
      clusters: clusters.map(({ looks: _, ...cluster }) => cluster),
    });
    const [first, again, every, other] = [
      await simulate(own, 1),
      await simulate(own, 1),
      await simulate(own, 1, { everyLook: true }),
      await simulate(own, 2),
    ];
    expect(again).toEqual(first);
    expect(without(every)).toEqual(without(first));
    expect(every.clusters[0].looks).toBeGreaterThan(first.clusters[0].looks);
    expect(other.makespanSeconds).not.toBe(first.makespanSeconds);
  }
});

test("work that is lost by a death is at most one checkpoint interval", async () => {
  const failures = [{ atSeconds: 64, node: 0, what: "crash" }];
  const run = { seconds: 100, checkpointSeconds: 20, saveSeconds: 1 };
  const { clusters } = await simulate({ runs: 1, run, clusters: [{ failures }] });
  // 64 = 3 checkpoints of 21 and one second; begun again at the look after 90 seconds.
  expect(clusters[0].processSeconds).toMatchObject({ working: 100, lost: 1 });
  expect(clusters[0].makespanSeconds).toBeCloseTo(90 + 40 + 2, 6);
});

test("SIGTERM before the time limit saves what was computed, and the job asks to be queued again", async () => {
  const run = { seconds: 290, saveSeconds: 2 };
  const { clusters, makespanSeconds } = await simulate({
    ...{ runs: 1, run },
    clusters: [{ timeSeconds: 160, requeueSeconds: 30 }],
  });
  expect(clusters[0]).toMatchObject({ processes: 3, attempts: 3, stopped: 2, submissions: 1 });
  expect(clusters[0].processSeconds).toMatchObject({ working: 290, lost: 0, saving: 6 });
  expect(makespanSeconds).toBeCloseTo(2 * (100 + 2 + 30) + 90 + 2, 6);
});

test("runs are dealt by weight, and a plan of several clusters ends with the last of them", async () => {
  expect(dealt(10, [1, 1, 1])).toEqual([4, 3, 3]);
  expect(dealt(7, [3, 0, 0.5])).toEqual([6, 0, 1]);
  const { clusters, makespanSeconds } = await simulate({
    ...{ runs: 9, run: { seconds: 10 } },
    clusters: [{ nodes: 2 }, { nodes: 1, engine: "local" }],
  });
  expect(clusters.map(({ runs, makespanSeconds: own }) => [runs, own])).toEqual([
    [6, 30],
    [3, 30],
  ]);
  expect(makespanSeconds).toBe(30);
});

test("what dies again and again without a step forward is given up, and the plan ends all the same", async () => {
  const clusters = [{ nodes: 2, crashes: { everySeconds: 5 } }];
  const given = await simulate({ runs: 3, run: { seconds: 200 }, clusters });
  expect(given).toMatchObject({ done: 0, failed: 3, used: 0, attempts: 9 });
  // Two looks later than the first deaths, and each death is seen half a minute later at most.
  expect(given.makespanSeconds).toBeGreaterThanOrEqual(90);
  expect(given.clusters[0].slotSeconds.busy).toBeCloseTo(given.lostSeconds, 4);
});

test("what can never end is told, not waited for", async () => {
  // The limit comes before a run has begun: its deaths are not counted.
  const hopeless = { runs: 2, run: { seconds: 100 }, clusters: [{ timeSeconds: 30, startSeconds: 40 }] };
  await expect(simulate(hopeless)).rejects.toThrow(
    /^the plan: expected runs that finish, got "201 processes for 2 runs"\. Runs make no progress/,
  );
});
