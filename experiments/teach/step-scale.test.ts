import { expect, test } from "vitest";
import { rngFrom } from "../../src/core/rng.ts";
import {
  furthest,
  parameterData,
  randomTokens,
  runParallel,
  small,
  varied,
} from "../../src/models/conformance.test-helper.ts";
import { exampleFrom, exampleStream, prepareTask, taskNamed } from "../../src/tasks/index.ts";
import { withData } from "../../src/tensor/index.ts";
import { divideSteps, holdWords } from "./step-scale.ts";

test("each bit is written so often, and asked once", () => {
  const prepared = prepareTask(taskNamed("parity"), { length: 5, targets: "each" });
  const [plain, held] = [prepared, holdWords(prepared, 3)].map((each) =>
    exampleFrom(each, exampleStream(1, "test")(0)),
  );
  expect(held.text).toBe([...plain.text].map((bit) => bit.repeat(3)).join(""));
  expect(held.reveals.map(({ value }) => value)).toEqual(plain.reveals.map(({ value }) => value));
  expect(held.states.map(({ end }) => end)).toEqual(plain.states.map(({ end }) => 3 * end));
});

test.each(["s4d", "s5"] as const)(
  "one layer of %s with a step divided by k reads k of each token as one",
  async (name) => {
    const model = small(name, { layers: 1 });
    const tree = varied(model);
    const tokens = randomTokens(rngFrom(4), 2, 7);
    const held = tokens.map((row) => row.flatMap((token) => Array.from({ length: 4 }, () => token)));
    const scaled = withData(tree, divideSteps(parameterData(tree), 4));
    const ends = (logits: number[][][]) => logits.map((row) => row.filter((_, t) => t % 4 === 3));
    const { logits: plain } = await runParallel(model, tree, tokens);
    const far = async (weights: typeof tree) =>
      furthest(ends((await runParallel(model, weights, held)).logits), plain);
    expect(await far(scaled)).toBeLessThan(1e-4);
    expect(await far(tree)).toBeGreaterThan(1e-2);
  },
);
