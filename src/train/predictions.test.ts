import { expect, test } from "vitest";
import { varied } from "../models/conformance.test-helper.ts";
import { configureModel, modelNamed } from "../models/index.ts";
import { exampleFrom, exampleStream, prepareTask, taskNamed, tokenizerNamed } from "../tasks/index.ts";
import { flattenParameters } from "../tensor/index.ts";
import { evaluate, freshExamples, type Test } from "./evaluate.ts";
import { runtime } from "./fixture.test-helper.ts";
import { type Answer, predictAnswers } from "./predictions.ts";

const cases = [
  ["repl", "word", { variables: 3, commands: 6, spacing: [1, 3] }],
  ["repl", "character", { variables: 3, commands: 6, spacing: 2 }],
  ["group-words", "word", { group: "S_3", length: 6 }],
  ["asserts", "word", {}],
  ["arithmetic-program", "word", {}],
] as const;

test.each(cases)("%s by %s: an answer is right where evaluate counts a hit", async (name, kind, params) => {
  const prepared = prepareTask(taskNamed(name), params);
  const tokenizer = tokenizerNamed(kind, prepared.words);
  const asked: Test = { prepared, tokenizer, stream: exampleStream(2, "test"), programs: 20 };
  const config = { name: "lstm", layers: 1, width: 16 };
  const model = configureModel(modelNamed("lstm"), config, tokenizer.tokens.length, "model");
  const tree = varied(model);
  const data = Object.fromEntries(
    flattenParameters(tree).map(([path, { data: numbers }]) => [path, numbers]),
  );
  const { hits } = await evaluate(model, { tree, data }, asked, runtime);
  const got: Answer[][] = [];
  for await (const answers of predictAnswers(model, { tree, data }, asked, runtime)) got.push(answers);
  expect(got.map((program) => program.map(({ answer, expected }) => Number(answer === expected)))).toEqual(
    hits,
  );
  const examples = freshExamples(asked).map((place) => exampleFrom(prepared, asked.stream(place)));
  for (const [i, { text, reveals }] of examples.entries()) {
    expect(got[i].map(({ prompt }) => prompt)).toEqual(reveals.map(({ start }) => text.slice(0, start)));
    expect(got[i].map(({ expected }) => expected)).toEqual(reveals.map(({ value }) => value));
  }
  for (const { margin, tokens } of got.flat()) {
    expect(margin).toBeGreaterThanOrEqual(0);
    expect(tokens).toBeGreaterThanOrEqual(1);
  }
  // Untrained, it is now right and now wrong: neither side is empty.
  expect(new Set(got.flat().map(({ answer }) => answer)).size).toBeGreaterThan(1);
});
