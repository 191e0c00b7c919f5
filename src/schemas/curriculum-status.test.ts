import { expect, test } from "vitest";
import { stalledAt, stalledWords } from "./curriculum-status.ts";

const stages = [
  [{ spacing: 1 }],
  [{ spacing: 1 }, { spacing: 4 }],
  [{ spacing: 4 }, { commands: 24, spacing: 12 }],
];
const curriculum = { stages, accuracy: 0.95, memory: 100 };

test("the stages behind the last that was trained are named by their hardest change", () => {
  expect(stalledAt({ curriculum }, 2)).toBeUndefined();
  expect(stalledAt({ curriculum }, 1)).toEqual({ reached: 2, of: 3, never: ["commands 24, spacing 12"] });
  expect(stalledWords(stalledAt({ curriculum }, 0)!)).toBe(
    "trained in 1 of 3 stages of its curriculum; never on spacing 4, nor commands 24, spacing 12",
  );
  expect(stalledAt({ curriculum: { ...curriculum, stages: [[{}]] } }, 0)).toBeUndefined();
});
