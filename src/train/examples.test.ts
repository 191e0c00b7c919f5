import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import myModel from "../../examples/my-model.ts";
import myTask from "../../examples/my-task.ts";
import { rngFrom } from "../core/rng.ts";
import { parseWith, parseYaml } from "../core/settings.ts";
import {
  furthest,
  randomTokens,
  runParallel,
  runSteps,
  varied,
  vocabulary,
} from "../models/conformance.test-helper.ts";
import { configureModel } from "../models/index.ts";
import type { AnyMixer } from "../models/model.ts";
import { RunConfig } from "../schemas/run-config.ts";
import { wordsFrom } from "../tasks/example.ts";
import { exampleFrom, exampleStream, prepareTask } from "../tasks/index.ts";
import type { Task } from "../tasks/task.ts";
import { wordTokenizer } from "../tasks/tokenizer.ts";
import { withTrainer } from "./fixture.test-helper.ts";

// The examples import the package; here it is these sources, not a build of them.
vi.mock("statelab", () => import("../index.ts"));

test("the model of docs/how-to/add-a-model.md gives the same step by step as over a whole sequence", async () => {
  for (const least of [-1, 0]) {
    const mixer = myModel as unknown as AnyMixer; // its types are those of the build
    const model = configureModel(mixer, { name: "diagonal", width: 8, least }, vocabulary, "model");
    const tree = varied(model);
    const tokens = randomTokens(rngFrom(1), 2, 20);
    const whole = await runParallel(model, tree, tokens, { taps: true });
    const steps = await runSteps(model, tree, tokens, 20);
    expect(furthest(steps.logits, whole.logits)).toBeLessThan(1e-4);
    const transitions = whole.taps["layers.0.transition"].data;
    expect(Math.min(...transitions) < 0).toBe(least === -1);
  }
});

test("the task of docs/how-to/add-a-task.md reveals the parity of the flips", () => {
  const prepared = prepareTask(myTask, { commands: 20, spacing: [1, 5, 20] });
  const tokenizer = wordTokenizer(prepared.words);
  for (let i = 0; i < 100; i++) {
    const { text, reveals } = exampleFrom(prepared, exampleStream(1, "test")(i));
    expect([1, 4, 20]).toContain(reveals.length);
    for (const { start, end, value } of reveals) {
      const flips = text.slice(0, start).split("flip\n").length - 1;
      expect(value).toBe(flips % 2 === 1 ? "on" : "off");
      expect(text.slice(end)).toMatch(/^\n/);
    }
    const words = wordsFrom(prepared, exampleStream(1, "test")(i));
    expect(tokenizer.encode(text)).toEqual(words);
    expect(words.length).toBeLessThanOrEqual(prepared.maximumWords);
  }
});

test.each([
  [-1, 0.97, 1],
  [0, 0, 0.65],
])(
  "examples/mine.yaml with transitions above %d ends with an accuracy from %d to %d",
  async (least, low, high) => {
    const file = new URL("../../examples/mine.yaml", import.meta.url);
    const config = parseWith(RunConfig, parseYaml(readFileSync(file, "utf8"), "mine.yaml"), "mine.yaml");
    const parts = { architecture: myModel as unknown as AnyMixer, task: myTask as unknown as Task }; // types of the build
    const own = { ...config, model: { ...config.model, least } };
    const last = await withTrainer(
      own,
      async (trainer) => {
        let accuracy = 0;
        for await (const { runningAccuracy } of trainer.steps()) accuracy = runningAccuracy;
        return { accuracy, stage: trainer.state().progress.stage };
      },
      undefined,
      parts,
    );
    expect(last.accuracy).toBeGreaterThanOrEqual(low);
    expect(last.accuracy).toBeLessThanOrEqual(high);
    expect(last.stage).toBe(2); // short spans between reveals can be learned either way
  },
);
