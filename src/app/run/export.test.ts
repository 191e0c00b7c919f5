import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { stoppedRun, supervised } from "../../../test/kit/runs.ts";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { decodeSafetensors } from "../../schemas/formats/safetensors.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { flattenParameters } from "../../tensor/index.ts";
import { exportFolder } from "./export.ts";
import { openTrainedRun } from "./open.ts";
import { resumeRun } from "./resume.ts";
import { trainRun } from "./train.ts";

const root = tmpFolder("export");
const at = (...parts: string[]) => join(root, ...parts);
const bytes = (...parts: string[]) => readFileSync(at(...parts));

const products = ["model.onnx", "step.onnx", "tokenizer.json", "tokenizer_config.json", "model.safetensors"];
const config = RunConfig.parse({
  task: { name: "parity", length: [3, 8] },
  model: { name: "gru", layers: 1, width: 8 },
  train: { steps: 6, batch: 4 },
  checkpointEvery: 2,
});

/** A run that was stopped after its fourth step: it has checkpoints, and nothing else to read. */
beforeAll(async () => {
  const stop = new AbortController();
  const onStep = ({ step }: { step: number }) => step === 4 && stop.abort();
  const { finished } = await trainRun(at("run"), config, { signal: stop.signal, onStep });
  expect([finished, readdirSync(at("run")).toSorted()]).toEqual([
    false,
    ["checkpoints", "config.json", "metrics.jsonl", "origin.json"],
  ]);
});

test("a run that is not finished is exported as a training that ended there", async () => {
  const { step, files, remarks } = await exportFolder({ folder: at("run"), out: at("new/four") });
  expect([step, files.map((file) => basename(file)), remarks]).toEqual([4, products, []]);
  expect(readdirSync(at("new/four")).toSorted()).toEqual(products.toSorted());
  const shorter = { ...config, train: { ...config.train, steps: 4 } };
  await trainRun(at("four"), shorter, { signal: new AbortController().signal });
  for (const name of products) expect(bytes("new/four", name).equals(bytes("four", name)), name).toBe(true);
});

test("the weights alone are the bytes of the checkpoint, of whichever step is named", async () => {
  const weights = async (step?: number) => {
    const exported = await exportFolder({ folder: at("run"), out: at("one"), step });
    expect(
      bytes("one/model.safetensors").equals(bytes(`run/checkpoints/${exported.step}/model.safetensors`)),
    ).toBe(true);
    return bytes("one/model.safetensors");
  };
  expect((await weights(2)).equals(await weights())).toBe(false);
  const unknown = exportFolder({ folder: at("run"), step: 3 });
  await expect(unknown).rejects.toThrow(/expected a checkpoint of step 2 or 4, got 3$/);
});

test("without a folder the files stand in the run's own; a damaged checkpoint is passed over and told", async () => {
  appendFileSync(at("run/checkpoints/4/state.json"), " ");
  const { step, remarks } = await exportFolder({ folder: at("run") });
  expect([step, remarks.length]).toEqual([2, 1]);
  expect(remarks[0]).toContain(join("4", "state.json"));
  expect(bytes("run/model.safetensors").equals(bytes("run/checkpoints/2/model.safetensors"))).toBe(true);
  await resumeRun(at("run"), { signal: new AbortController().signal });
  expect(bytes("run/model.safetensors").equals(bytes("run/checkpoints/6/model.safetensors"))).toBe(true);
});

test("heads of state supervision stay in the checkpoint", async () => {
  const folder = at("with-heads");
  await stoppedRun(folder, supervised);
  await exportFolder({ folder, out: at("supervised") });
  const { tensors, metadata } = decodeSafetensors(bytes("supervised/model.safetensors"), "model.safetensors");
  expect(metadata).toEqual({ format: "pt" });
  const { tree } = await openTrainedRun(folder);
  expect(Object.keys(tensors).toSorted()).toEqual(
    flattenParameters(tree)
      .map(([path]) => path)
      .toSorted(),
  );
  const whole = readFileSync(join(folder, "checkpoints/6/model.safetensors"));
  const left = Object.keys(decodeSafetensors(whole, "").tensors).filter((path) => !(path in tensors));
  expect(left.length).toBeGreaterThan(0);
});
