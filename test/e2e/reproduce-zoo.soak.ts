import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ExperimentResult } from "../../src/schemas/experiment-result.ts";
import { statelab, succeed, words } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";

const root = tmpFolder("zoo");

const smoke = words("reproduce zoo --scale smoke --tasks parity --json");
const runs = join(root, "runs/zoo-smoke");

/** A cell that forgets everything but the last token. */
const mine = (factor: number) => `
import { defineModel, z } from "statelab";
import { linear, scale } from "statelab/tensor";
const map = (p, x) => scale(linear(x, p.out), ${factor});
export default defineModel({
  name: "mine", summary: "a map", source: "own", config: z.strictObject({}),
  init: (_config, width) => ({ out: { shape: [width, width], data: new Float32Array(width * width).fill(0.01) } }),
  apply: (p, x) => map(p, x),
  state: () => ({ none: [1] }),
  step: (p, x, state) => ({ y: map(p, x), state }),
});
`;

test("finished runs stay, an own architecture is one more row, and is trained again when it is edited", async () => {
  const first = await statelab(root, ...smoke, "--only", "deltanet");
  expect(first.code, first.stderr).toBe(0);
  expect(first.stderr).toContain(
    "The plan: 1 task (parity); runs per architecture and task, with those that choose a learning rate: 1",
  );
  const kept = join(runs, "parity-deltanet-seed-0", "kept");
  writeFileSync(kept, "");
  writeFileSync(join(root, "mine.mjs"), mine(1));
  const both = [...smoke, ...words("--only deltanet,mine --model ./mine.mjs")];
  const second = await statelab(root, ...both);
  expect(second.code, second.stderr).toBe(0);
  const result = ExperimentResult.parse(JSON.parse(second.stdout));
  expect(result.command).toBe(
    "statelab reproduce zoo --scale smoke --seeds 1 --only deltanet,mine --tasks parity --model ./mine.mjs",
  );
  expect(new Set(result.training.map(({ model }) => model))).toEqual(new Set(["deltanet", "mine"]));
  expect(existsSync(kept)).toBe(true);
  const hashes = ({ measurements }: ExperimentResult) =>
    new Map(measurements.filter(({ name }) => name === "cell").map(({ model, note }) => [model, note]));
  const own = join(runs, "parity-mine-seed-0", "own/model.mjs");
  const before = readFileSync(own, "utf8");
  writeFileSync(join(root, "mine.mjs"), mine(2));
  const third = await statelab(root, ...both);
  expect(third.code, third.stderr).toBe(0);
  expect(readFileSync(own, "utf8")).not.toBe(before);
  expect(existsSync(kept)).toBe(true);
  const edited = hashes(ExperimentResult.parse(JSON.parse(third.stdout)));
  expect(edited.get("deltanet")).toBe(hashes(result).get("deltanet"));
  expect(edited.get("mine")).not.toBe(hashes(result).get("mine"));
}, 180_000);

test("interrupted between runs it goes on, and asks nothing twice", async () => {
  rmSync(join(runs, "result.json"));
  rmSync(join(runs, "parity-deltanet-seed-0"), { recursive: true });
  const { stderr } = await succeed(root, ...smoke, "--only", "deltanet");
  expect(stderr.match(/trained and tested/g)).toHaveLength(1);
}, 60_000);
