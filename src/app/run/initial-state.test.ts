import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { decodeSafetensors } from "../../schemas/formats/safetensors.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { exportTo } from "../export/index.ts";
import { askRun, openTrainedRun } from "./open.ts";
import { resumeRun } from "./resume.ts";
import { trainRun, weightsHash } from "./train.ts";

const root = tmpFolder("initial-state");
const at = (...parts: string[]) => join(root, ...parts);
const { signal } = new AbortController();

const configWith = (change: { task?: object; model?: object; train?: object; init?: object }) =>
  RunConfig.parse({
    seed: 1,
    task: { name: "group-words", group: "Z_2", length: [4, 14], ...change.task },
    model: { name: "deltanet", layers: 1, width: 16, heads: 2, ...change.model },
    train: { steps: 200, batch: 24, learningRate: 0.02, schedule: "cosine", weightDecay: 0, ...change.train },
    evaluate: { examples: 100 },
    ...(change.init && { init: change.init }),
  });
/** Every word turns the other way round from an unknown start. */
const other = { start: 1 };
/** Only the initial state is trained, from the weights of another run. */
const startAlone = (change: Parameters<typeof configWith>[0] = {}, from = "base") =>
  configWith({
    init: { from: at(from) },
    ...change,
    train: { trainable: "initial-state", ...change.train },
  });

beforeAll(() => trainRun(at("base"), configWith({}), { signal }), 120_000); // seconds, on a machine that does much else

async function accuracyOf(name: string, change: Readonly<Record<string, unknown>> = {}): Promise<number> {
  const { evaluation } = await askRun(await openTrainedRun(at(name)), change, 100);
  return evaluation.accuracy;
}
const weightsOf = (name: string) => {
  const { tensors } = decodeSafetensors(readFileSync(at(name, "model.safetensors")), name);
  return Object.fromEntries(Object.entries(tensors).map(([path, { data }]) => [path, data as Float32Array]));
};

test("an unknown start is recovered by the start alone, and everything else keeps its bits", async () => {
  expect(await accuracyOf("base")).toBeGreaterThan(0.95);
  expect(await accuracyOf("base", other)).toBeLessThan(0.1); // of two states it tells the wrong one
  const said: string[] = [];
  const config = startAlone({ task: other, train: { steps: 80, learningRate: 0.3 } });
  const { frozen } = await trainRun(at("start"), config, {
    signal,
    onWarning: (sentence) => said.push(sentence),
  });
  expect(await accuracyOf("start")).toBeGreaterThan(0.9);
  const [base, start] = [weightsOf("base"), weightsOf("start")];
  const paths = Object.keys(base);
  expect(Object.keys(start).filter((path) => !paths.includes(path))).toEqual(["initialState.layers.0.S"]);
  expect(weightsHash(start, paths)).toBe(weightsHash(base, paths));
  expect(frozen).toEqual({
    numbers: expect.any(Number),
    trained: 2 * 8 * 8,
    sha256: weightsHash(base, paths),
  });
  expect(said).toEqual([
    expect.stringMatching(/^128 of [\d,]+ parameters are trained; .* SHA-256 [0-9a-f]{64}$/),
  ]);
  for (const path of paths) start[path] = base[path].slice();
  start[paths[0]][0] += 1e-6;
  expect(weightsHash(start, paths)).not.toBe(weightsHash(base, paths)); // the witness sees one number
});

test("stopped and resumed, without the run that it began with, it is the same to the bit", async () => {
  cpSync(at("base"), at("gone"), { recursive: true });
  const config = startAlone({ task: other, train: { steps: 12, learningRate: 0.3 } }, "gone");
  await trainRun(at("whole"), config, { signal });
  await trainRun(at("stopped"), config, { signal, until: 5 });
  rmSync(at("gone"), { recursive: true });
  await resumeRun(at("stopped"), { signal });
  const bytes = (name: string) => readFileSync(at(name, "model.safetensors"));
  expect(bytes("stopped").equals(bytes("whole"))).toBe(true);
});

test("all weights can go on from a run, too", async () => {
  const config = configWith({
    task: other,
    train: { steps: 1, learningRate: 1e-12 },
    init: { from: at("base") },
  });
  const { frozen } = await trainRun(at("on"), config, { signal });
  expect(frozen).toBeUndefined();
  const [base, on] = [weightsOf("base"), weightsOf("on")];
  const apart = Object.keys(base).map((path) =>
    Math.max(...base[path].map((x, i) => Math.abs(x - on[path][i]))),
  );
  expect(Math.max(...apart)).toBeLessThan(1e-9);
});

test("a Transformer's trained prefix goes into model.onnx; a step of one token is not written", async () => {
  const small = { model: { name: "transformer", width: 8 }, train: { steps: 2 } };
  await trainRun(at("attention"), configWith(small), { signal });
  await trainRun(at("prefix"), startAlone(small, "attention"), { signal });
  expect(Object.keys(weightsOf("prefix"))).toContain("initialState.prefix");
  expect([existsSync(at("prefix", "model.onnx")), existsSync(at("prefix", "step.onnx"))]).toEqual([
    true,
    false,
  ]);
  await expect(exportTo({ folder: at("prefix"), form: "hf" })).rejects.toThrow(
    'model.initialState: expected zeros, got "trained". Only model.onnx supports it',
  );
});

test.each([
  [
    configWith({ train: { trainable: "initial-state" } }),
    'init.from: expected the run with the frozen weights, got "none"',
  ],
  [startAlone({ model: { width: 32 } }), "model.width 32, got 16"],
  [startAlone({ model: { betaMax: 1 } }), "model.betaMax 1, got 2"],
  [startAlone({ task: { group: "Z_3" } }), "init.from: expected a run with the same vocabulary"],
  [configWith({ init: { from: at("nowhere") } }), "config.json"],
  [startAlone({ task: { start: 7 } }), "start to be identity or one of 0 1 ..., got 7"],
])("%j is refused in one sentence, and nothing is written", async (config, sentence) => {
  await expect(trainRun(at("refused"), config, { signal })).rejects.toThrow(sentence);
  expect(existsSync(at("refused"))).toBe(false);
});

test("a state head beside a start that is trained alone is refused", async () => {
  const config = RunConfig.parse({ ...startAlone(), stateSupervision: {} });
  await expect(trainRun(at("refused"), config, { signal })).rejects.toThrow(
    'train.trainable: expected "all" with stateSupervision, got "initial-state"',
  );
});
