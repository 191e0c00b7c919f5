import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";
import { measuredPlan } from "../../packages/cluster-simulator/simulate/measured.ts";
import { simulatePlan } from "../../packages/cluster-simulator/simulate/simulate.ts";
import { mean } from "../../src/core/statistics.ts";
import { readAttempts } from "../../src/executors/attempts.ts";
import { listSubmissions } from "../../src/executors/manifest.ts";
import { missing, startCluster } from "../../src/executors/slurm-cluster.test-helper.ts";
import { SimulationPlan, type WrittenPlan } from "../../src/schemas/simulation-plan.ts";
import { succeed, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { until } from "../kit/until.ts";

/** Times of a machine that has other work to do, as in CI, are no measurement. */
const measures = process.env.SOAK_SLICE !== "ci";
const root = tmpFolder("simulated");

// Trainings that sleep: each call of ONNX Runtime waits first, so that they take little of a processor.
const runtime = JSON.stringify(createRequire(import.meta.url).resolve("onnxruntime-node"));
writeFileSync(
  join(root, "nap.cjs"),
  `const { InferenceSession } = require(${runtime});
const create = InferenceSession.create;
InferenceSession.create = async (...args) => {
  const session = await create.apply(InferenceSession, args);
  const run = session.run.bind(session);
  session.run = (...inputs) => new Promise((wake) => setTimeout(wake, 300)).then(() => run(...inputs));
  return session;
};
`,
);
writeFileSync(
  join(root, "nap.yaml"),
  `seed: 0
task: { name: parity, length: 4 }
model: { name: deltanet, layers: 1, width: 16, heads: 2 }
train: { steps: 100, batch: 1, learningRate: 0.005, warmupSteps: 5 }
evaluate: { examples: 1, settings: [{}] }
`,
);

const makespanOf = (home: string) =>
  Math.max(
    ...listSubmissions(home).flatMap((submission) =>
      Array.from({ length: submission.header.tasks }, (_, index) => readAttempts(submission, index))
        .flat()
        .map(({ at }) => (Date.parse(at) - Date.parse(submission.header.created)) / 1000),
    ),
  );

/** A pilot of two lengths says what a step and what everything else takes; the sweep after it has other lengths, and more runs. */
async function compare(engine: "local" | "slurm"): Promise<void> {
  const sweep = async (out: string, steps: string, seeds: number) => {
    const home = join(root, engine, out);
    const how = ["--executor", engine, "--max-workers", "4", ...(engine === "slurm" ? ["--detach"] : [])];
    const what = [...words(`--grid train.steps=${steps} --seeds ${seeds} --out`), home];
    await succeed(root, "sweep nap.yaml", ...what, ...how);
    const ended = () =>
      listSubmissions(home).every((submission) =>
        Array.from({ length: submission.header.tasks }, (_, index) => readAttempts(submission, index)).every(
          (attempts) => attempts.some(({ kind }) => kind === "done"),
        ),
      );
    await until(ended, `the runs of ${home}`, {
      seconds: 900,
      saw: () => listSubmissions(home).map((submission) => readAttempts(submission, 0)),
    });
    return home;
  };
  mkdirSync(join(root, engine), { recursive: true });
  const pilot = measuredPlan(await sweep("pilot", "50,100", 4));
  const { each } = pilot.run.seconds as { each: number[] }; // so it is measured
  const [short, long] = [mean(each.slice(0, 4)), mean(each.slice(4))];
  const ofSteps = (steps: number) => short + ((long - short) * (steps - 50)) / 50;
  const plan: WrittenPlan = {
    ...{ runs: 12, run: { seconds: { each: [80, 200].flatMap((steps) => Array(6).fill(ofSteps(steps))) } } },
    clusters: pilot.clusters,
  };
  const predicted: number[] = [];
  for (let seed = 0; seed < 20; seed++)
    predicted.push(
      (await simulatePlan(SimulationPlan.parse(plan), seed, { signal: new AbortController().signal }))
        .makespanSeconds,
    );
  const measured = makespanOf(await sweep("sweep", "80,200", 6));
  console.log(`${engine}: predicted ${mean(predicted).toFixed(1)} s, measured ${measured.toFixed(1)} s`);
  expect(Math.abs(mean(predicted) / measured - 1)).toBeLessThan(0.1);
}

const napping = { NODE_OPTIONS: `--require=${join(root, "nap.cjs")}`, XDG_STATE_HOME: join(root, "state") };

test.skipIf(!measures)(
  "processes of this machine take as long as simulated, within 10 %",
  async () => {
    Object.assign(process.env, napping);
    await compare("local");
  },
  1_800_000,
);

test.skipIf(!measures || missing !== undefined)(
  "four nodes of a real Slurm take as long as simulated, within 10 %",
  async () => {
    const cluster = await startCluster({ nodes: 4 });
    try {
      Object.assign(process.env, napping, cluster.environment);
      await compare("slurm");
    } finally {
      cluster.stop();
    }
  },
  1_800_000,
);
