import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { beforeAll, expect, test } from "vitest";
import { statelab, succeed } from "../kit/cli.ts";
import { tmpFolder } from "../kit/tmp.ts";
import { small } from "../kit/trainings.ts";

const root = tmpFolder("export");
const at = (...parts: string[]) => join(root, ...parts);
const run = (line = "", ...more: string[]) => statelab(root, `export ${line}`, ...more);
const bytes = (...parts: string[]) => readFileSync(at(...parts));

beforeAll(async () => {
  writeFileSync(at("small.yaml"), small);
  await succeed(root, "train small.yaml --out run");
}, 60_000);

const names = ["model.onnx", "step.onnx", "tokenizer.json", "tokenizer_config.json", "model.safetensors"];

test("the newest checkpoint is what the training itself wrote at its end", async () => {
  const { code, stdout, stderr } = await run("run --out new");
  const files = names.map((name) => join("new", name));
  expect([code, stdout, stderr]).toEqual([0, `run, after step 300: ${files.join(", ")}\n`, ""]);
  for (const name of names) expect(bytes("new", name).equals(bytes("run", name)), name).toBe(true);
});

test("a checkpoint of one step is another model, whose graphs say the same at the first token", async () => {
  const { code, stdout } = await run("run --checkpoint 200 --out older --json");
  const files = names.map((name) => join("older", name));
  expect([code, JSON.parse(stdout)]).toEqual([0, { run: "run", step: 200, files, remarks: [] }]);
  expect(bytes("older/model.safetensors").equals(bytes("run/checkpoints/200/model.safetensors"))).toBe(true);
  const [whole, one] = await Promise.all(
    ["model.onnx", "step.onnx"].map((name) => InferenceSession.create(at("older", name))),
  );
  const zeros = (session: InferenceSession) =>
    Object.fromEntries(
      session.inputMetadata.map((input) => {
        if (!input.isTensor) throw new Error(`${input.name} is no tensor`);
        const shape = input.shape.map(Number); // the dimensions of our graphs have no names
        const size = shape.reduce((a, b) => a * b, 1);
        const tokens = input.type === "int32";
        const tensor = tokens
          ? new Tensor("int32", new Int32Array(size), shape)
          : new Tensor("float32", new Float32Array(size), shape);
        return [input.name, tensor];
      }),
    );
  const [all, first] = [await whole.run(zeros(whole)), await one.run(zeros(one))].map(
    ({ logits }) => logits.data as Float32Array,
  );
  for (const [i, logit] of first.entries()) expect(all[i]).toBeCloseTo(logit, 4);
});

test("a damaged checkpoint is told; one that was named is not replaced by another, exit code 3", async () => {
  appendFileSync(at("run/checkpoints/300/state.json"), " ");
  const { code, stdout, stderr } = await run("run --out passed");
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^run, after step 200: /)]);
  expect(stderr).toMatch(/^run\/checkpoints\/300\/state\.json: .*The checkpoint is damaged\n$/);
  const named = await run("run --checkpoint 300 --out none");
  expect([named.code, existsSync(at("none"))]).toEqual([3, false]);
});
