import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { decodeSafetensors } from "../records/safetensors.ts";
import { statelab } from "./built.test-helper.ts";

/** Runs that version 0.1 made (golden/version-0.1/README.md), as they lay in a user's folder. */
const root = mkdtempSync(join(tmpdir(), "statelab-version-"));
afterAll(() => rmSync(root, { recursive: true }));
cpSync(fileURLToPath(new URL("../../golden/version-0.1", import.meta.url)), join(root, "runs"), {
  recursive: true,
});
const json = (...path: string[]) => JSON.parse(readFileSync(join(root, ...path), "utf8"));
const bytes = (...path: string[]) => readFileSync(join(root, ...path));

/** Version 0.1 had Student's points to three digits. */
function nearly(value: unknown): unknown {
  if (typeof value === "number" && !Number.isInteger(value)) return expect.closeTo(value, 3);
  if (Array.isArray(value)) return value.map(nearly);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, nearly(inner)]));
}

async function run(...args: string[]) {
  const { code, stdout, stderr } = await statelab(root, ...args, "--json");
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

/** The largest difference between two files of tensors, which have the same names and shapes. */
function apart(one: string, other: string): number {
  const [a, b] = [one, other].map((path) => decodeSafetensors(bytes(path), path).tensors);
  expect(Object.keys(a).sort()).toEqual(Object.keys(b).sort());
  return Math.max(
    ...Object.keys(a).map((name) => {
      expect(a[name].shape, name).toEqual(b[name].shape);
      const [left, right] = [a[name].data, b[name].data] as Float32Array[]; // all are F32
      return left.reduce((most, value, i) => Math.max(most, Math.abs(value - right[i])), 0);
    }),
  );
}

test.each(["deltanet", "supervised"])(
  "%s goes on, and comes to the weights to which it came then",
  async (name) => {
    expect(await run("resume", `runs/${name}`)).toMatchObject({ step: 12, finished: true });
    // Another processor rounds otherwise; six steps at 0.005 leave little room for that.
    const model = apart(
      `runs/${name}/checkpoints/12/model.safetensors`,
      `runs/finished/${name}/model.safetensors`,
    );
    expect(model).toBeLessThan(1e-3);
    const moments = apart(
      `runs/${name}/checkpoints/12/optimizer.safetensors`,
      `runs/finished/${name}/optimizer.safetensors`,
    );
    expect(moments).toBeLessThan(1e-2);
    const { results } = await run("evaluate", `runs/${name}`);
    expect(results[0].programs).toBe(12);
  },
);

test("a sweep is known as finished, and its settings are compared as they were", async () => {
  const before = json("runs", "sweep", "sweep.json");
  const weights = bytes("runs", "sweep", "betaMax=2", "seed-1", "checkpoints", "12", "model.safetensors");
  const sweep = ["sweep", "runs/deltanet.yaml", "--over", "model.betaMax=1,2", "--seeds", "2"];
  expect(await run(...sweep, "--out", "runs/sweep")).toEqual(nearly(before));
  expect(bytes("runs", "sweep", "betaMax=2", "seed-1", "checkpoints", "12", "model.safetensors")).toEqual(
    weights,
  );
  const compared = await run("compare", "runs/sweep/betaMax=1", "runs/sweep/betaMax=2");
  expect(compared).toEqual(nearly(json("runs", "compare-sweep.json")));
});

test("an experiment goes on with what it had trained and asked", async () => {
  const before = json("runs", "state-loss-smoke", "result.json");
  rmSync(join(root, "runs", "state-loss-smoke", "result.json"));
  const metrics = bytes("runs", "state-loss-smoke", "linear-seed-0", "metrics.jsonl");
  const after = await run("reproduce", "state-loss", "--scale", "smoke", "--out", "runs");
  // What version 0.1 did not tell: the batch and the stages of a training, and which models a claim is about.
  const numbers = ({ results, training, claims }: typeof before) => ({
    results,
    training: training.map(({ batch: _, stages: __, ...curve }: Record<string, unknown>) => curve),
    claims: claims.map(({ models: _, setting: __, ...claim }: Record<string, unknown>) => claim),
  });
  expect(numbers(after)).toEqual(numbers(before));
  expect(bytes("runs", "state-loss-smoke", "linear-seed-0", "metrics.jsonl")).toEqual(metrics);
});
