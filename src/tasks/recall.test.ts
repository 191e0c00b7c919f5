import { expect, test } from "vitest";
import { exampleFrom, exampleStream, prepareTask } from "./index.ts";
import { recall } from "./recall.ts";
import { stateRecall } from "./state-recall.ts";

const examples = (prepared: ReturnType<typeof prepareTask>, count: number) =>
  Array.from({ length: count }, (_, i) => exampleFrom(prepared, exampleStream(3, "train")(i)));

const bitsOf = (text: string) => JSON.parse(text.slice("bits = ".length, text.indexOf("\n"))) as number[];

test("whoever answers with the commoner bit is right as often as the reference says", () => {
  const prepared = prepareTask(recall, { length: [1, 9] });
  let expected = 0;
  let right = 0;
  for (const example of examples(prepared, 4000)) {
    const bits = bitsOf(example.text);
    const ones = bits.filter((bit) => bit === 1).length;
    const guess = 2 * ones > bits.length ? "1" : "0";
    right += Number(example.reveals[0].value === guess);
    expected += prepared.references?.majority(example)[0] ?? 0;
  }
  expect(Math.abs(right - expected)).toBeLessThan(5 * Math.sqrt(1000));
});

test("after many commands the commoner of the bits pointed at is right as often as the reference says", () => {
  const prepared = prepareTask(stateRecall, { variables: 3, length: 16, commands: 30 });
  let expected = 0;
  let right = 0;
  for (const example of examples(prepared, 3000)) {
    const pointedAt = Object.values(example.states[0].values);
    const guess = pointedAt.filter((bit) => bit === "1").length >= 2 ? "1" : "0";
    right += Number(example.reveals[0].value === guess);
    expected += prepared.references?.majority(example)[0] ?? 0;
  }
  expect(Math.abs(expected / 3000 - 3 / 4)).toBeLessThan(0.013); // all alike in 1/4 of the cases, else 2/3
  expect(Math.abs(right - expected)).toBeLessThan(5 * Math.sqrt(3000 * (3 / 16)));
});
