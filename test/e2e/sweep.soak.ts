import { cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { SweepRecord } from "../../src/app/sweep/run.ts";
import { startStatelab, statelab, succeed, untilLonger, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const root = tmpFolder("sweep");
const at = (...parts: string[]) => join(root, ...parts);
const run = (...args: string[]) => statelab(root, ...args);

const small = `
seed: 5
task: { name: repl, variables: 3, commands: 4, spacing: 1 }
model: { name: deltanet, layers: 1, width: 16, heads: 2 }
train: { steps: 24, batch: 4, learningRate: 0.01, warmupSteps: 5 }
evaluate: { examples: 5, settings: [{}, { commands: 6, spacing: 3 }] }
checkpointEvery: 6
`;
const over = words("--grid train.learningRate=0.01,0.0001 --seeds 2");
const sweep = (out: string, ...args: string[]) => ["sweep", "small.yaml", ...over, "--out", out, ...args];
const folders = ["learningRate=0.01", "learningRate=0.0001"].flatMap((setting) =>
  ["seed-5", "seed-6"].map((seed) => join(setting, seed)),
);

let record: SweepRecord;
beforeAll(async () => {
  writeFileSync(at("small.yaml"), small);
  const { stdout } = await succeed(root, ...sweep("whole", "--json"));
  record = JSON.parse(stdout);
}, 60_000);

const weights = (...folder: string[]) =>
  readFileSync(at(...folder, "checkpoints", "24", "model.safetensors")).toString("hex");

test("a run of a sweep is, to the bit, what train and evaluate give for its configuration", async () => {
  await succeed(root, "train small.yaml --set train.learningRate=0.0001 --seed 6 --out single");
  expect(weights("single")).toBe(weights("whole", folders[3]));
  const { results } = JSON.parse((await run("evaluate single --json")).stdout);
  const swept = record.runs[3];
  if (swept.state !== "done") throw new Error("not done");
  expect(swept.results).toEqual(results);
  expect(swept.results.map(({ wanted }) => wanted)).toEqual([5, 5]);
});

test("called again, a finished sweep prints the same and touches no run", async () => {
  const states = () =>
    readdirSync(at("whole"), { recursive: true, encoding: "utf8" })
      .filter((name) => name !== "sweep.json" && statSync(at("whole", name)).isFile())
      .map((name) => [name, statSync(at("whole", name)).mtimeMs]);
  const before = states();
  const { code, stdout } = await run(...sweep("whole", "--json"));
  expect([code, JSON.parse(stdout)]).toEqual([0, record]);
  expect(states()).toEqual(before);
});

test("--dry-run says what would begin, go on and be left, and writes nothing", async () => {
  cpSync(at("whole"), at("part"), { recursive: true });
  rmSync(at("part", folders[1]), { recursive: true });
  rmSync(at("part", folders[2], "tested.jsonl"));
  rmSync(at("part", folders[2], "checkpoints", "24"), { recursive: true });
  const before = readdirSync(root, { recursive: true }).sort();
  const { code, stdout } = await run(...sweep("part", "--dry-run"));
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  expect(lines.slice(1).map((line) => line.split(/ {2,}/).at(-1))).toEqual([
    "finished",
    "new",
    "continues from step 18",
    "finished",
  ]);
  expect((await run(...sweep("new", "--dry-run"))).code).toBe(0);
  expect(readdirSync(root, { recursive: true }).sort()).toEqual(before);
});

test("the same command makes what is missing, to the bit, and leaves the rest", async () => {
  const { stdout } = await succeed(root, ...sweep("part", "--json"));
  expect(JSON.parse(stdout).table).toEqual(record.table);
  for (const folder of folders) expect(weights("part", folder)).toBe(weights("whole", folder));
});

test.skipIf(process.platform === "win32")(
  "stopped by Ctrl-C (130) and then killed, a sweep goes on by the same command, to the same bits",
  async () => {
    const long = ["--set", "train.steps=250", "--set", "train.learningRate=0.01"];
    const call = ["sweep", "small.yaml", ...long, "--seeds", "2", "--out", "stopped"];
    const metrics = (seed: number) => at("stopped", `seed-${seed}`, "metrics.jsonl");
    const first = startStatelab(root, ...call);
    await untilLonger(metrics(5), 10);
    first.process.kill("SIGINT");
    const { code, stderr } = await first.ended;
    expect(code).toBe(130);
    expect(stderr).toContain("statelab: interrupted and saved. Run the same command again to continue");
    const done = readFileSync(metrics(5), "utf8").trimEnd().split("\n").length;
    expect(done).toBeLessThan(250);
    const second = startStatelab(root, ...call);
    await untilLonger(metrics(5), done + 5);
    second.process.kill("SIGKILL");
    await second.ended;
    // At once: its workers may still be saving.
    const last = await run(...call, "--json");
    expect(last.code, last.stderr).toBe(0);
    await succeed(root, "train small.yaml", ...long, ...words("--seed 6 --out without-stop"));
    const file = join("checkpoints", "250", "model.safetensors");
    const [swept, alone] = [at("stopped", "seed-6", file), at("without-stop", file)].map((path) =>
      readFileSync(path),
    );
    expect(swept.equals(alone)).toBe(true);
  },
  120_000,
);
