import { expect, test } from "vitest";
import { exampleFrom, exampleStream, prepareTask, taskNamed } from "../../src/tasks/index.ts";
import { limited } from "./execution-labels.ts";

test("a corpus has so many functions, the same in each stream, and others with another seed", () => {
  const textsOf = (seed: number, split: string) => {
    const prepared = prepareTask(limited(taskNamed("branches"), seed, 7), { conditions: 2 });
    const stream = exampleStream(seed, split);
    return new Set(Array.from({ length: 200 }, (_, i) => exampleFrom(prepared, stream(i)).text));
  };
  const train = textsOf(1, "train");
  expect(train.size).toBe(7);
  expect(textsOf(1, "test")).toEqual(train);
  expect([...textsOf(2, "train")].filter((text) => train.has(text))).toEqual([]);
});
