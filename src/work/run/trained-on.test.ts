import { expect, test } from "vitest";
import { cameTo } from "./trained-on.ts";

const run = {
  task: { name: "arithmetic-program", length: 6, digits: 2 },
  curriculum: { stages: [[{ length: [1, 1] }], [{ length: [1, 3] }], [{ length: [1, 6] }]] },
} as unknown as Parameters<typeof cameTo>[0];
const at = (change: Readonly<Record<string, unknown>>, stage: number) =>
  cameTo(run, { change, asTrained: true }, stage).asTrained;

test("a length is as trained from the first stage on that draws it from its range", () => {
  expect([0, 1, 2].map((stage) => at({ length: 3 }, stage))).toEqual([false, true, true]);
  expect([0, 1, 2].map((stage) => at({ length: 1 }, stage))).toEqual([true, true, true]);
  expect([0, 1, 2].map((stage) => at({ length: [4, 6] }, stage))).toEqual([false, false, true]);
  expect([0, 1, 2].map((stage) => at({ length: [1, 6] }, stage))).toEqual([false, false, true]);
});

test("what no stage has stays as it was planned", () => {
  expect(at({ length: 3, digits: 1 }, 0)).toBe(true);
  expect(cameTo(run, { change: { length: 9 }, asTrained: false }, 2).asTrained).toBe(false);
});
