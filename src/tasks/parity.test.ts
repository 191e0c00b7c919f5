import { expect, test } from "vitest";
import { exampleFrom, exampleStream, prepareTask } from "./index.ts";
import { parity } from "./parity.ts";

const drawn = (params: object, count: number) => {
  const prepared = prepareTask(parity, params);
  return Array.from({ length: count }, (_, i) => exampleFrom(prepared, exampleStream(3, "train")(i)));
};

test("all strings of a length are equally likely, and half of them are odd", () => {
  const counts = new Map<string, number>();
  let odd = 0;
  for (const { text, reveals } of drawn({ length: 3 }, 4000)) {
    counts.set(text, (counts.get(text) ?? 0) + 1);
    odd += Number(reveals[0].value);
  }
  expect(counts.size).toBe(8);
  for (const count of counts.values()) expect(Math.abs(count - 500)).toBeLessThan(5 * Math.sqrt(500));
  expect(Math.abs(odd - 2000)).toBeLessThan(5 * Math.sqrt(1000));
});

test("the parity is asked after the last bit, or after each", () => {
  const parityOf = (text: string) => String(text.replaceAll("0", "").length % 2);
  for (const { text, reveals } of drawn({ length: [1, 9] }, 100)) {
    expect(reveals).toEqual([
      {
        start: text.length,
        end: text.length,
        variable: "parity",
        value: parityOf(text),
        commands: text.length,
      },
    ]);
  }
  for (const { text, reveals } of drawn({ length: [1, 9], targets: "each" }, 100)) {
    expect(reveals.map(({ value }) => value)).toEqual(
      Array.from(text, (_, i) => parityOf(text.slice(0, i + 1))),
    );
  }
});

test("who sees the last W bits is right as often as the commoner parity among all beginnings", () => {
  const { references } = prepareTask(parity, { length: [2, 5] }); // W = 5
  for (const example of drawn({ length: 8, targets: "each" }, 10)) {
    const wanted = Array.from({ length: 8 }, (_, at) => {
      const hidden = Math.max(0, at + 1 - 5);
      const beginnings = Array.from(
        { length: 2 ** hidden },
        (_, code) => code.toString(2).replaceAll("0", "").length,
      );
      const odd = beginnings.filter((ones) => ones % 2 === 1).length / beginnings.length;
      return Math.max(odd, 1 - odd);
    });
    expect(references?.windowedBayes(example)).toEqual(wanted);
  }
});
