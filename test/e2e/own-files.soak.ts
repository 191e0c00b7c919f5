import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { statelab, succeed, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const root = tmpFolder("own");
const at = (...parts: string[]) => join(root, ...parts);
const run = (...args: string[]) => statelab(root, ...args);
const json = (...path: string[]) => JSON.parse(readFileSync(at(...path), "utf8"));

const example = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../examples/${name}`, import.meta.url)), "utf8");

/** With `lie` the other value is revealed: an edit that changes what is asked. */
const helper = (lie: boolean) =>
  `export const told = (value: number): number => ${lie ? "1 - value" : "value"};`;
const task = `
import { defineTask, z } from "statelab";
import { told } from "./helper.ts";
export default defineTask({
  name: "last-bit", summary: "the last bit", source: "made up", params: z.strictObject({ length: z.int().default(4) }),
  prepare: ({ length }) => ({
    words: ["0", "1", "="], maximumWords: length + 2, variables: ["bit"], values: ["0", "1"],
    write(rng, sink) {
      let bit = 0;
      for (let i = 0; i < length; i++) {
        bit = rng.below(2);
        sink.word(bit);
        sink.state([told(bit)]);
      }
      sink.word(2);
      sink.reveal(0, told(bit));
      sink.word(told(bit));
    },
  }),
});`;

const config = `
task: { name: ./tasks/mine.ts, length: 12 }
model: { name: ./model.ts, layers: 1, width: 16 }
train: { steps: 120, batch: 16, learningRate: 0.02 }
evaluate: { examples: 200 }
checkpointEvery: 60
`;

async function evaluated(folder: string, ...flags: string[]) {
  const { stdout, stderr } = await succeed(root, "evaluate", folder, "--json", ...flags);
  return { accuracy: JSON.parse(stdout).results[0].accuracy as number, stderr };
}

let before = 0;

beforeAll(async () => {
  mkdirSync(at("tasks"));
  writeFileSync(at("tasks", "mine.ts"), task);
  writeFileSync(at("tasks", "helper.ts"), helper(false));
  writeFileSync(at("model.ts"), example("my-model.ts"));
  writeFileSync(at("run.yaml"), config);
  await succeed(root, "train run.yaml --out mine");
  const first = await evaluated("mine");
  expect(first.stderr).not.toContain("has changed since");
  before = first.accuracy;
  expect(before).toBeGreaterThan(0.9);
  cpSync(at("mine"), at("half"), { recursive: true });
  rmSync(at("half", "checkpoints", "120"), { recursive: true });
}, 60_000);

test("a run keeps own files as they ran, and says what made it", () => {
  expect(readdirSync(at("mine", "own")).sort()).toEqual(["model.mjs", "task.mjs"]);
  expect(readFileSync(at("mine", "own", "task.mjs"), "utf8")).toContain("told");
  const { own, sessions } = json("mine", "origin.json");
  expect(own.task.path).toBe(at("tasks", "mine.ts"));
  expect(own.task.sources.map(({ path }: { path: string }) => path)).toEqual(
    ["helper.ts", "mine.ts"].map((name) => at("tasks", name)),
  );
  expect(sessions).toEqual([
    {
      from: 0,
      started: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      command: words("statelab train run.yaml --out mine"),
      statelab: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      onnxRuntime: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      processor: expect.any(String),
      cores: expect.any(Number),
      ...{ device: "cpu", threads: 1, set: [] },
    },
  ]);
});

test("what an own model hands out is analysed under the name that it has there, and what it declares is said of it", async () => {
  const { stdout } = await succeed(root, "analyze mine --only taps --json");
  const [tap] = JSON.parse(stdout).taps;
  expect(tap).toMatchObject({ layer: 0, name: "transition", kept: expect.any(Array) });
  expect(tap.channels).toBe(tap.kept.length);
  for (const { quantiles } of tap.classes)
    for (const value of quantiles) expect(Math.abs(value)).toBeLessThanOrEqual(1);
});

test("an edited file changes no number of a run that is there; that it was edited is said", async () => {
  writeFileSync(at("tasks", "helper.ts"), helper(true));
  const kept = await evaluated("mine", "--rerun");
  expect(kept.accuracy).toBe(before);
  expect(kept.stderr).toContain(
    `statelab: ${at("tasks", "mine.ts")} has changed since mine was made (helper.ts): the copy mine/own/task.mjs is used`,
  );
  const tested = readFileSync(at("mine", "tested.jsonl"), "utf8");
  const edited = await evaluated("mine", "--use-current-code");
  expect(edited.accuracy).toBeCloseTo(1 - before, 12);
  expect(readFileSync(at("mine", "tested.jsonl"), "utf8")).toBe(tested);
  expect((await evaluated("mine")).accuracy).toBe(before);
  writeFileSync(at("tasks", "helper.ts"), helper(false));
});

test("compare takes runs with different own files for different contenders", async () => {
  writeFileSync(at("tasks", "helper.ts"), helper(true));
  await succeed(root, "train run.yaml --seed 1 --set train.steps=2 --out two/seed-1");
  writeFileSync(at("tasks", "helper.ts"), helper(false));
  await run("train run.yaml --set train.steps=2 --out two/seed-0");
  for (const seed of [0, 1]) await evaluated(`two/seed-${seed}`);
  const { stderr } = await run("compare two");
  expect(stderr).toMatch(/expected a common seed/);
});

test("when the files are gone, a run is evaluated, gone on with and exported as before", async () => {
  for (const name of ["tasks", "model.ts"]) renameSync(at(name), at(`${name}.gone`));
  expect((await evaluated("mine", "--rerun")).accuracy).toBe(before);
  const resumed = await run("train --resume half");
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(resumed.stderr).toContain("from step 60");
  expect(json("half", "origin.json").sessions.map(({ from }: { from: number }) => from)).toEqual([0, 60]);
  const bytes = (folder: string) => readFileSync(at(folder, "checkpoints", "120", "model.safetensors"));
  expect(bytes("half").equals(bytes("mine"))).toBe(true);
  expect((await run("compare mine mine")).code).not.toBe(70);
  expect((await run("export mine --out exported")).code).toBe(0);
  expect(existsSync(at("exported", "model.onnx"))).toBe(true);
  for (const name of ["tasks", "model.ts"]) renameSync(at(`${name}.gone`), at(name));
});

test("a kept file that was changed is corrupt; a run of a version that kept none says so", async () => {
  cpSync(at("mine"), at("changed"), { recursive: true });
  writeFileSync(at("changed", "own", "task.mjs"), task);
  const { code, stderr } = await run("evaluate changed");
  expect([code, stderr]).toEqual([
    3,
    expect.stringMatching(/^statelab: changed\/own\/task\.mjs: expected the text that the run was made with/),
  ]);
  cpSync(at("mine"), at("old"), { recursive: true });
  rmSync(at("old", "own"), { recursive: true });
  rmSync(at("old", "origin.json"));
  expect((await evaluated("old")).stderr).toContain(
    `statelab: old keeps no copy of ${at("model.ts")}: it is used as it is now`,
  );
});
