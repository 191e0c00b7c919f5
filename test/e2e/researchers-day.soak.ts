import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { beforeAll, expect, test } from "vitest";
import { statelab, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

// One day of a researcher, command by command: each test continues from the one before.

const root = tmpFolder("day");
const at = (...parts: string[]) => join(root, ...parts);
const json = (...path: string[]) => JSON.parse(readFileSync(at(...path), "utf8"));

async function run(...args: string[]) {
  const { code, stdout, stderr } = await statelab(root, ...args);
  expect(code, `statelab ${args.join(" ")}\n${stdout}\n${stderr}`).toBe(0);
  return { stdout, stderr };
}

const own = ["my-task.ts", "my-model.ts"];
const train =
  "train: { steps: 6, batch: 4, evaluateEvery: 3, validationExamples: 10 }\nevaluate: { examples: 10, settings: [{ commands: 8 }] }\n";
const task = "task: { name: ./my-task.ts, commands: 6, spacing: 3 }\n";

beforeAll(() => {
  for (const name of own)
    copyFileSync(fileURLToPath(new URL(`../../examples/${name}`, import.meta.url)), at(name));
  writeFileSync(at("mine.yaml"), `${task}model: { name: ./my-model.ts, layers: 1, width: 8 }\n${train}`);
  writeFileSync(at("delta.yaml"), `${task}model: { name: deltanet, layers: 1, width: 8 }\n${train}`);
});

test("morning: own task and model are examined, trained with held-out programs, and trained further", async () => {
  const { stdout } = await run("check", ...own);
  expect(stdout).not.toContain("WRONG");
  const trained = await run("train mine.yaml");
  expect(trained.stdout).toMatch(
    /runs\/mine: 6 steps done\n[\s\S]*held-out programs after step 6: [\d.]+ %\n/,
  );
  await run("train --resume runs/mine --set train.steps=9");
  expect(json("runs", "mine", "config.json").changes).toMatchObject([
    { step: 6, set: { "train.steps": { from: 6, to: 9 } } },
  ]);
}, 120_000);

test("noon: two settings of each of two keys, side by side", async () => {
  await run("sweep delta.yaml --grid model.betaMax=1,2 --grid model.width=8,12 --out runs/four");
  expect(json("runs", "four", "sweep.json").runs.map(({ state }: { state: string }) => state)).toEqual(
    Array(4).fill("done"),
  );
}, 120_000);

const [one, other] = ["betaMax=1,width=8", "betaMax=2,width=8"].map((name) =>
  join("runs", "four", name, "seed-0"),
);

test("afternoon: the own files are gone, and a grid is asked, single runs are compared, pages are made", async () => {
  for (const name of own) rmSync(at(name));
  await run("evaluate runs/mine --grid commands=6,9 --grid spacing=2,3 --name grid");
  expect(json("runs", "mine", "evaluations", "grid@9.json").results).toHaveLength(4);
  const before = await run("compare", one, other, "--json");
  const [{ accuracy }] = JSON.parse(before.stdout).comparisons;
  expect(accuracy.uncertainty).toMatchObject({
    kind: "programs",
    programs: 10,
    interval: [expect.any(Number), expect.any(Number)],
  });
  await run("evaluate", one, "--set", "commands=10");
  expect((await run("compare", one, other, "--json")).stdout).toBe(before.stdout);
  for (const folder of ["runs/mine", "runs/four"]) {
    await run("report", folder);
    expect(readFileSync(at(folder, "report.html"), "utf8")).toMatch(/<svg/);
  }
}, 120_000);

test("evening: curves for TensorBoard, weights for fla, and back with equal logits", async () => {
  await run("export runs/mine --to tensorboard --out curves");
  await run("export", one, ...words("--to hf --out theirs"));
  // The task is the copy that the run has kept.
  writeFileSync(
    at("back.yaml"),
    `task: { name: "./${one}/own/task.mjs", commands: 6, spacing: 3 }\nmodel: { name: gru }\n`,
  );
  await run("import theirs --config back.yaml --out runs/back");
  expect(existsSync(at("my-task.ts"))).toBe(false);
  await run("export runs/back");
  const logitsOf = async (folder: string) => {
    const session = await InferenceSession.create(at(folder, "model.onnx"));
    const length = (session.inputMetadata[0] as { readonly shape: readonly number[] }).shape[1]; // a tensor, [1, T]
    const tokens = Int32Array.from({ length }, (_, i) => (i * i + i) % 6);
    return (await session.run({ tokens: new Tensor("int32", tokens, [1, length]) })).logits.data;
  };
  const logits = await logitsOf("runs/back");
  expect(logits.length).toBeGreaterThan(50);
  expect(logits).toEqual(await logitsOf(one));
  await run("evaluate runs/back --programs 5");
}, 120_000);
