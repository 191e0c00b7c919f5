import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { readLog } from "../../src/storage/index.ts";
import { startStatelab, statelab, succeed, untilLonger, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const root = tmpFolder("feed");
const STEPS = 60;

const config = `
seed: 3
task: { name: repl, variables: 2, commands: 2, spacing: 1 }
model: { name: deltanet, layers: 1, width: 16, heads: 2, betaMax: 2 }
train: { steps: ${STEPS}, batch: 8, learningRate: 0.003, warmupSteps: 0 }
checkpointEvery: 10
`;
const slow = `
import { z } from "statelab";
export default {
  name: "slow", summary: "coins that fall slowly", source: "a test", params: z.strictObject({}),
  prepare: () => ({
    words: ["0", "1", " ", "odd", "even"], variables: ["parity"], values: ["even", "odd"], maximumWords: 10,
    write(rng, sink) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
      let odd = 0;
      for (let i = 0; i < 8; i++) { const bit = rng.below(2); odd ^= bit; sink.word(bit); sink.state([odd]); }
      sink.word(2);
      sink.reveal(0, odd);
      sink.word(odd === 1 ? 3 : 4);
    },
  }),
};
`;

beforeAll(() => {
  writeFileSync(join(root, "reward.yaml"), `${config}objective: { name: reward, credit: each }\n`);
  writeFileSync(join(root, "plain.yaml"), config);
  writeFileSync(join(root, "own.yaml"), config.replace(/task: .*/, "task: { name: ./slow.ts }"));
  writeFileSync(join(root, "slow.ts"), slow);
});

const path = (...parts: string[]) => join(root, ...parts);
const weightsOf = (run: string) =>
  ["model", "optimizer"].map((name) =>
    createHash("sha256")
      .update(readFileSync(path(run, "checkpoints", String(STEPS), `${name}.safetensors`)))
      .digest("hex"),
  );
type Step = Readonly<Record<string, number>>;
const stepsOf = (run: string) => readLog(path(run, "metrics.jsonl")) as Step[];
const stream = (ahead: number, staleness: number) =>
  words(`--set data.async.prefetch=${ahead} --set data.async.maxStaleness=${staleness}`);
/** What a step came to, without what clocks say of it. */
const told = ({ seconds, waited, unread, blockSeconds, blockWaited, staleness, ...step }: Step) => step;

async function trained(run: string, ...args: string[]): Promise<void> {
  await succeed(root, "train", ...args, "--out", run);
}

/** A training and its makers, to the end. */
async function streamed(run: string, makers: number, ...args: string[]): Promise<void> {
  const training = startStatelab(root, "train", ...args, "--out", run);
  await begun(run);
  const making = Array.from({ length: makers }, () => startStatelab(root, "cluster data-worker", run));
  for (const { ended } of [training, ...making]) {
    const { code, stderr } = await ended;
    expect(code, stderr).toBe(0);
  }
}

async function begun(run: string): Promise<void> {
  await untilLonger(path(run, "stream", "progress.json"), 0);
}

test("with staleness 0 own answers by another process train to the same bits as by the training itself", async () => {
  await trained("sync", "reward.yaml");
  await streamed("fresh", 1, "reward.yaml", ...stream(4, 0));
  expect(weightsOf("fresh")).toEqual(weightsOf("sync"));
  expect(stepsOf("fresh").map(told)).toEqual(stepsOf("sync").map(told));
  expect(stepsOf("fresh").every(({ staleness }) => staleness === 0)).toBe(true);
  expect(readdirSync(path("fresh", "stream", "blocks"))).toEqual([]);
});

test("examples that depend on no weights train to the same bits, however many make them however far ahead", async () => {
  await trained("alone", "plain.yaml");
  await streamed("two", 2, "plain.yaml", ...stream(6, 0));
  expect(weightsOf("two")).toEqual(weightsOf("alone"));
  expect(stepsOf("two").map(told)).toEqual(stepsOf("alone").map(told));
  expect(stepsOf("two").some(({ unread }) => unread > 0)).toBe(true);
  expect("staleness" in stepsOf("two")[0]).toBe(false);
});

test("a training and its maker, both killed and begun again, come to the bits of an undisturbed one", async () => {
  const first = startStatelab(root, "train reward.yaml", ...stream(4, 0), "--out", "killed");
  await begun("killed");
  const maker = startStatelab(root, "cluster data-worker killed");
  await untilLonger(path("killed", "metrics.jsonl"), 14);
  maker.process.kill("SIGKILL");
  await maker.ended;
  const next = startStatelab(root, "cluster data-worker killed");
  await untilLonger(path("killed", "metrics.jsonl"), 26);
  first.process.kill("SIGKILL");
  await first.ended;
  const { code, stderr } = await statelab(root, "train --resume killed");
  expect(code, stderr).toBe(0);
  expect((await next.ended).code).toBe(0);
  expect(weightsOf("killed")).toEqual(weightsOf("sync"));
  expect(stepsOf("killed").map(told)).toEqual(stepsOf("sync").map(told));
});

test("with staleness a training that is killed does the same steps again of the same blocks; none is older than it may be", async () => {
  const first = startStatelab(
    root,
    "train reward.yaml",
    ...stream(8, 3),
    ...words("--set checkpointEvery=50 --out stale"),
  );
  await begun("stale");
  const making = [0, 1].map(() => startStatelab(root, "cluster data-worker stale"));
  await untilLonger(path("stale", "metrics.jsonl"), 30);
  first.process.kill("SIGKILL");
  await first.ended;
  const before = stepsOf("stale").slice(0, 30);
  making[0].process.kill("SIGKILL");
  const { code, stderr } = await statelab(root, "train --resume stale");
  expect(code, stderr).toBe(0);
  expect((await making[1].ended).code).toBe(0);
  const after = stepsOf("stale");
  const repeated = ({ staleness, blockSeconds, ...step }: Step) => ({
    ...told(step),
    staleness,
    blockSeconds,
  });
  expect(after.slice(0, 30).map(repeated)).toEqual(before.map(repeated));
  expect(after.map(({ step }) => step)).toEqual(Array.from({ length: STEPS }, (_, i) => i + 1));
  const ages = after.map(({ staleness }) => staleness);
  expect(Math.max(...ages)).toBeLessThanOrEqual(3);
  expect(Math.max(...ages)).toBeGreaterThan(0);
});

test("a task of one's own is run by its maker; a block that was damaged is told and made again", async () => {
  const args = [...stream(4, 0), ...words("--set train.steps=12 --out own")];
  const training = startStatelab(root, "train own.yaml", ...args);
  await begun("own");
  writeFileSync(path("own", "stream", "blocks", "2.safetensors"), "not a block");
  const { code, stdout } = await statelab(root, "cluster data-worker own --json");
  expect([code, JSON.parse(stdout)]).toEqual([0, { run: "own", made: 12, finished: true }]);
  const { stderr } = await training.ended;
  expect(stderr).toContain(join("own", "stream", "blocks", "2.safetensors"));
  expect(stderr).toContain("Deleted; a worker makes it again");
  expect(stepsOf("own").length).toBe(12);
});

test("makers run on an engine, too, and say how many blocks each made", async () => {
  const training = startStatelab(root, "train reward.yaml", ...stream(4, 2), "--out", "engine");
  await begun("engine");
  const { code, stderr, stdout } = await statelab(
    root,
    "cluster data-worker engine --executor local --data-workers 2 --max-workers 2 --json",
  );
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ run: "engine", workers: 2, failed: 0 });
  expect((await training.ended).code).toBe(0);
  const made = [0, 1].flatMap((i) => {
    const file = path("engine", "stream", "feeders", String(i), "made.jsonl");
    return existsSync(file) ? (readLog(file) as { block: number }[]) : [];
  });
  const blocks = made.map(({ block }) => block);
  expect(blocks.toSorted((a, b) => a - b)).toEqual(Array.from({ length: STEPS }, (_, i) => i + 1));
});

test("a run and its makers are one submission: the same bits as alone", async () => {
  const args = ["reward.yaml", ...stream(4, 0), ...words("--executor local --data-workers 1")];
  const refused = await statelab(root, "sweep", ...args, ...words("--max-workers 1 --out swept"));
  expect(refused.stderr).toBe(
    "statelab: --max-workers: expected at least 2, a run and its data workers, got 1. With fewer slots the run and its data workers deadlock\n",
  );
  await succeed(root, "sweep", ...args, ...words("--max-workers 2 --out swept"));
  const { runs } = JSON.parse(readFileSync(path("swept", "sweep.json"), "utf8"));
  expect(runs.length).toBe(1);
  expect(weightsOf(runs[0].folder)).toEqual(weightsOf("sync"));
});
