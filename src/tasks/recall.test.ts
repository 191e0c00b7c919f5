import { expect, test } from "vitest";
import { exampleFrom, exampleStream, prepareTask } from "./index.ts";
import { recall } from "./recall.ts";
import { stateRecall } from "./state-recall.ts";

const examples = (prepared: ReturnType<typeof prepareTask>, count: number) =>
  Array.from({ length: count }, (_, i) => exampleFrom(prepared, exampleStream(3, "train")(i)));

const bitsOf = (text: string) => JSON.parse(text.slice("bits = ".length, text.indexOf("\n"))) as number[];

test("addresses are uniform over the list, and its bits are fair", () => {
  const counts = new Array<number>(20).fill(0);
  let ones = 0;
  for (const { text } of examples(prepareTask(recall, { length: 20 }), 2000)) {
    counts[Number(/a = (\d+)/.exec(text)?.[1])]++;
    ones += bitsOf(text).filter((bit) => bit === 1).length;
  }
  for (const count of counts) expect(Math.abs(count - 100)).toBeLessThan(5 * Math.sqrt(100));
  expect(Math.abs(ones - 20_000)).toBeLessThan(5 * Math.sqrt(10_000));
});

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

test("the variables of state-based recall hold distinct addresses, and all of them are asked about", () => {
  const asked = new Map<string, number>();
  const prepared = prepareTask(stateRecall, { length: 9, commands: 40 });
  for (const { text, reveals } of examples(prepared, 1000)) {
    const [, addresses] = text.split("\n")[1].split(" = ");
    expect(new Set(addresses.split(", ")).size).toBe(5);
    asked.set(reveals[0].variable, (asked.get(reveals[0].variable) ?? 0) + 1);
  }
  expect(asked.size).toBe(5);
  for (const count of asked.values()) expect(Math.abs(count - 200)).toBeLessThan(5 * Math.sqrt(160));
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

test("with the same addresses the vocabulary is the same for every length", () => {
  const words = (length: number) => prepareTask(recall, { length, addresses: 300 }).words;
  expect(words(8)).toEqual(words(300));
});

test.each([
  [recall, { length: 200 }, "recall: expected a length of at most 128, the number of addresses, got 200"],
  [
    stateRecall,
    { length: [4, 9] },
    "state-recall: expected a length of at least 5, one bit a variable, got 4",
  ],
] as const)("a list that does not fit is refused: %o %j", (task, params, message) => {
  expect(() => prepareTask<never>(task as never, params)).toThrow(message);
});
