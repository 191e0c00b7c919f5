import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startStatelab, statelab, untilLonger, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const root = tmpFolder("sweep-on");
const at = (...parts: string[]) => join(root, ...parts);
const small = `
seed: 5
task: { name: repl, variables: 3, commands: 4, spacing: 1 }
model: { name: deltanet, layers: 1, width: 16, heads: 2 }
train: { steps: 150, batch: 4, learningRate: 0.01, warmupSteps: 5 }
evaluate: { examples: 5, settings: [{}] }
checkpointEvery: 20
`;
writeFileSync(at("small.yaml"), small);
const sweep = (out: string, ...args: string[]) => [
  ...words("sweep small.yaml --seeds 2 --out"),
  out,
  ...args,
];
const onLocal = (out: string, ...args: string[]) =>
  sweep(out, "--executor", "local", "--max-workers", "2", ...args);

test("killed in the middle and called again, it ends as a sweep without an engine, to the bit", async () => {
  const killed = startStatelab(root, ...onLocal("on"));
  await untilLonger(at("on", "seed-5", "metrics.jsonl"), 30);
  const [name] = readdirSync(at("on", "submissions"));
  const seen = await statelab(root, "cluster status on --json");
  expect(JSON.parse(seen.stdout).submissions[0]).toMatchObject({
    engine: "local",
    tasks: 2,
    left: 0,
    failed: 0,
  });
  killed.process.kill("SIGKILL");
  await killed.ended;
  const [again, plain] = await Promise.all([
    statelab(root, ...onLocal("on", "--json")),
    statelab(root, ...sweep("plain", "--json")),
  ]);
  expect([again.code, plain.code], again.stderr + plain.stderr).toEqual([0, 0]);
  const results = (text: string) =>
    JSON.parse(text).runs.map((run: { state: string; results: unknown }) => [run.state, run.results]);
  expect(results(again.stdout)).toEqual(results(plain.stdout));
  for (const seed of ["seed-5", "seed-6"])
    expect(
      readFileSync(at("on", seed, "model.onnx")).equals(readFileSync(at("plain", seed, "model.onnx"))),
    ).toBe(true);
  expect(readdirSync(at("on", "submissions"))).toContain(name);
}, 120_000);
