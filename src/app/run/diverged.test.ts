import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { RunConfig } from "../../schemas/run-config.ts";
import { latestCheckpoint, saveCheckpoint } from "../../storage/index.ts";
import { configOf } from "./config.ts";
import { evaluateRun } from "./evaluate.ts";
import { resumeRun } from "./resume.ts";
import { trainRun } from "./train.ts";

const root = tmpFolder("diverged");
const at = (...parts: string[]) => join(root, ...parts);
const { signal } = new AbortController();

const configWith = (train: object, model: object = { name: "deltanet", layers: 1, width: 16, heads: 2 }) =>
  RunConfig.parse({
    task: { name: "parity", length: 8 },
    model,
    train: { batch: 4, warmupSteps: 0, ...train },
    evaluate: { examples: 10, settings: [{ length: 12 }] },
    checkpointEvery: 2,
  });

beforeAll(() => trainRun(at("good"), configWith({ steps: 4 }), { signal }));

function copied(name: string): string {
  cpSync(at("good"), at(name), { recursive: true });
  return at(name);
}

/** What resume says, and where it began. */
async function resumed(folder: string, settings: readonly string[] = []) {
  const said: string[] = [];
  let from = -1;
  const result = await resumeRun(folder, {
    ...{ signal, settings },
    onWarning: (sentence) => said.push(sentence),
    onStart: (about) => {
      from = about.from;
    },
  });
  return { ...result, from, said };
}

const hybrid = { name: "hybrid", pattern: ["mamba", "transformer"], width: 16 };

test.each([
  ["DeltaNet, a rate of 1e38", { steps: 1, learningRate: 1e38 }, undefined],
  ["a hybrid, a rate of 1e6", { steps: 1, learningRate: 1e6 }, hybrid],
])(
  "a training that diverges in its last step ends as a failure and keeps nothing: %s",
  async (name, train, model) => {
    const folder = at(name);
    await expect(trainRun(folder, configWith(train, model), { signal })).rejects.toMatchObject({
      kind: "diverged",
      message: expect.stringMatching(/^train, step 1: expected a finite .*, got .*\. Training diverged/),
    });
    expect(readdirSync(folder).sort()).toEqual(["config.json", "metrics.jsonl", "origin.json"]);
  },
);

test("a range test that diverges names the rate of the fastest fall", async () => {
  const said: string[] = [];
  const rates = { schedule: "range", learningRate: 1e16, minLearningRateRatio: 1e-20 };
  const config = configWith({ steps: 200, ...rates }, hybrid);
  const training = trainRun(at("range"), config, { signal, onWarning: (words) => said.push(words) });
  await expect(training).rejects.toThrow(/Training diverged/);
  expect(said).toEqual([
    expect.stringMatching(/^learning rates: the loss fell fastest at \S+ before the training diverged$/),
  ]);
});

test("after a training diverged, resume goes on from the last good checkpoint by a lower rate, which is recorded", async () => {
  const folder = copied("lowered");
  await expect(resumed(folder, ["train.steps=8", "train.learningRate=1e38"])).rejects.toThrow(/diverged/);
  expect(readdirSync(join(folder, "checkpoints")).sort()).toEqual(["2", "4"]);
  await expect(resumed(folder)).rejects.toThrow(/diverged/); // for ever, by the same rate
  const { from, step, finished } = await resumed(folder, [
    "train.learningRate=0.001",
    "train.maxGradNorm=0.5",
  ]);
  expect([from, step, finished]).toEqual([4, 8, true]);
  const { train } = await configOf(folder);
  expect([train.steps, train.learningRate, train.maxGradNorm]).toEqual([8, 0.001, 0.5]);
  const { changes } = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
  expect(changes).toEqual([
    { step: 4, set: { "train.steps": { from: 4, to: 8 }, "train.learningRate": { from: 0.003, to: 1e38 } } },
    {
      step: 4,
      set: { "train.learningRate": { from: 1e38, to: 0.001 }, "train.maxGradNorm": { from: 1, to: 0.5 } },
    },
  ]);
  const { sessions } = JSON.parse(readFileSync(join(folder, "origin.json"), "utf8"));
  expect(sessions.at(-1)).toMatchObject({
    from: 4,
    set: ["train.learningRate=0.001", "train.maxGradNorm=0.5"],
  });
});

test.each([
  ["no logit", 1e18, /^evaluate: expected finite logits, got "NaN"/],
  ["not even their squares", 1e38, /^.*4, embedding: expected finite logits, got "9/],
])(
  "a checkpoint with finite weights of which %s is finite is passed over, and scores nothing",
  async (name, value, sentence) => {
    const folder = copied(`spoilt ${name}`);
    const { model, optimizer, state, config } = (await latestCheckpoint(folder))!; // it has two
    const huge = Object.fromEntries(
      Object.entries(model).map(([path, tensor]) => [
        path,
        { ...tensor, data: tensor.data.map(() => value as never) },
      ]),
    ) as typeof model;
    await saveCheckpoint(folder, 4, { model: huge, optimizer: optimizer!, state, config });
    await expect(evaluateRun({ folder, signal })).rejects.toThrow(sentence);
    expect(existsSync(join(folder, "evaluation.json"))).toBe(false);
    const { from, said, finished } = await resumed(folder);
    expect([from, finished]).toEqual([2, true]);
    expect(said).toEqual([`skipped checkpoint ${join(folder, "checkpoints", "4")}: its loss is not finite`]);
    const weights = (run: string) => readFileSync(join(run, "model.safetensors"));
    expect(weights(folder).equals(weights(at("good")))).toBe(true);
  },
);

test.each<[string, (config: { seed: number; train: Record<string, unknown> }) => void, RegExp]>([
  [
    "seed",
    (config) => {
      config.seed = 5;
    },
    /seed to be 0, as the checkpoint of step 4 was trained, got 5/,
  ],
  [
    "steps",
    (config) => {
      config.train.steps = 9;
    },
    /train\.steps to be 4, .*, got 9\. .* --set KEY=VALUE/,
  ],
  [
    "schedule",
    (config) => {
      config.train.schedule = "cosine";
    },
    /train\.schedule to be "constant", .*, got "cosine"/,
  ],
])("config.json whose %s is not the checkpoint's is refused by its name", async (name, change, sentence) => {
  const folder = copied(`other-${name}`);
  const config = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
  change(config);
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
  await expect(resumed(folder)).rejects.toThrow(sentence);
});

test.each([
  ["task.length=9", /--set task\.length=9: expected one of train\.learningRate, .*, got "task\.length"/],
  ["train.steps=3", /--set train\.steps: expected at least 4, the steps already trained, got 3/],
  ["train.learningRate=-1", /--set: expected train\.learningRate to be more than 0, got -1/],
])("resume --set %s is refused, and nothing is written", async (setting, sentence) => {
  const before = readFileSync(at("good", "config.json"), "utf8");
  await expect(resumed(at("good"), [setting])).rejects.toThrow(sentence);
  expect(readFileSync(at("good", "config.json"), "utf8")).toBe(before);
});

test("a finished run goes on with more steps to the bits of one that had them from the start", async () => {
  await trainRun(at("longer"), configWith({ steps: 7 }), { signal });
  const folder = copied("extended");
  const { from, step, said } = await resumed(folder, ["train.steps=7"]);
  expect([from, step, said]).toEqual([4, 7, []]);
  for (const file of ["model.safetensors", "model.onnx"]) {
    expect(readFileSync(join(folder, file)).equals(readFileSync(at("longer", file))), file).toBe(true);
  }
  const cosine = at("cosine");
  await trainRun(cosine, configWith({ steps: 4, schedule: "cosine", learningRate: 0.01 }), { signal });
  expect((await resumed(cosine, ["train.steps=8"])).said).toEqual([
    expect.stringMatching(/^the learning rate \(cosine\) at step 5 is 0\.00\d+; it would have been 0\.001$/),
  ]);
});

test.each<[string, (lines: string[]) => string[] | undefined, string]>([
  ["whole", (lines) => lines, ""],
  ["two lines taken out", ([a, , , d]) => [a, d], "the lines of steps 2 to 3 are missing"],
  ["one line taken out", ([a, , c, d]) => [a, c, d], "the lines of step 2 are missing"],
  ["in another order", ([a, b, c, d]) => [a, c, b, d], "are not one a step in their order"],
  ["a line twice", ([a, b, c, d]) => [a, b, b, c, d], "are not one a step in their order"],
  ["deleted", () => undefined, "the lines of steps 1 to 4 are missing"],
])("a metrics log is noticed: %s", async (name, change, sentence) => {
  const folder = copied(`log-${name}`);
  const path = join(folder, "metrics.jsonl");
  const lines = change(readFileSync(path, "utf8").trimEnd().split("\n"));
  if (lines === undefined) rmSync(path);
  else writeFileSync(path, lines.map((line) => `${line}\n`).join(""));
  const { said } = await resumed(folder, ["train.steps=5"]);
  expect(said.map((each) => each.replace(`${path}: `, ""))).toEqual(
    sentence === "" ? [] : [expect.stringContaining(sentence)],
  );
});
