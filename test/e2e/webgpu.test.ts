import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { StepRecord } from "../../src/schemas/run-config.ts";
import { readLog } from "../../src/storage/index.ts";
import { statelab } from "../kit/cli.ts";
import { hasSwiftShader, noAdapter, swiftShader } from "../kit/swiftshader.ts";
import { tmpFolder } from "../kit/tmp.ts";

const folder = tmpFolder("webgpu");
const onGpu = { folder, env: swiftShader };
writeFileSync(
  join(folder, "small.yaml"),
  `task: { name: parity, length: 6 }
model: { name: transformer, layers: 1, width: 8, heads: 1 }
train: { batch: 2, steps: 4 }
evaluate: { examples: 4 }
checkpointEvery: 2
`,
);

const losses = (run: string) =>
  readLog(join(folder, run, "metrics.jsonl"), StepRecord).map(({ loss }) => loss);

test("without an adapter a training ends in one sentence and exit code 2", async () => {
  const { code, stdout, stderr } = await statelab(
    { folder, env: noAdapter },
    "train small.yaml --device webgpu --out none",
  );
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^statelab: .*device: expected webgpu to run on this machine, got "[^\n]*\n$/);
});

test.skipIf(!hasSwiftShader)(
  "a training on WebGPU, resumed, is that of the CPU and is recorded",
  async () => {
    expect(await statelab(folder, "train small.yaml --out cpu")).toMatchObject({ code: 0 });
    const begun = await statelab(onGpu, "train small.yaml --set train.steps=3 --out gpu --device webgpu");
    expect(begun).toMatchObject({ code: 0 });
    const resumed = await statelab(onGpu, "train --resume gpu --set train.steps=4");
    expect(resumed).toMatchObject({ code: 0 });
    const [cpu, gpu] = ["cpu", "gpu"].map(losses);
    expect(gpu).toHaveLength(4);
    for (const [i, loss] of gpu.entries()) expect(Math.abs(loss / cpu[i] - 1)).toBeLessThan(1e-4);
    const { sessions } = JSON.parse(readFileSync(join(folder, "gpu", "origin.json"), "utf8"));
    expect(sessions).toMatchObject([
      { from: 0, device: "webgpu", onCpu: {} },
      { from: 3, device: "webgpu", onCpu: {} },
    ]);
    expect(sessions[0].transfers).toBeGreaterThan(10);
  },
  240_000, // SwiftShader compiles each shader on the processor
);
