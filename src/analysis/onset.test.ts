import fc from "fast-check";
import { expect, test } from "vitest";
import { findOnset, type Word } from "./onset.ts";

const word = fc.record({
  step: fc.nat(12),
  name: fc.constantFrom("x", "y", "z"),
  right: fc.boolean(),
  madeOf: fc.constant([] as string[]),
});
const words = fc.array(word, { maxLength: 25 }).map((all) => {
  const sorted = all.toSorted((a, b) => a.step - b.step);
  return [...new Map(sorted.map((each) => [`${each.step} ${each.name}`, each])).values()];
});

/** The definition, word by word: the last word on every name, at each step by itself. */
function isRightAt(all: readonly Word[], step: number): boolean {
  return ["x", "y", "z"].every(
    (name) => all.findLast((each) => each.name === name && each.step <= step)?.right ?? true,
  );
}

test("the onset is the first step after which the state is never right again, and behind the last step at which it was", () => {
  fc.assert(
    fc.property(words, (all) => {
      const steps = [...new Set(all.map(({ step }) => step))];
      const lost = steps.find((step) => steps.every((later) => later < step || !isRightAt(all, later)));
      const { onset, firstError, lastError } = findOnset(all);
      expect(onset?.step).toBe(lost);
      if (onset !== null) expect(onset.after ?? undefined).toBe(steps.findLast((step) => step < onset.step));
      const wrong = all.filter(({ right }) => !right).map(({ step }) => step);
      expect([firstError ?? undefined, lastError ?? undefined]).toEqual([wrong[0], wrong.at(-1)]);
    }),
  );
});

test("an error that is mended is recovered, and what is made of a wrong value follows from it", () => {
  const said = (step: number, name: string, right: boolean, ...madeOf: string[]) => ({
    step,
    name,
    right,
    madeOf,
  });
  const found = findOnset([
    said(1, "x", false),
    said(2, "x", true),
    said(3, "x", false),
    said(4, "y", false, "x", "z"),
    said(5, "z", false),
  ]);
  expect(found.recovered).toEqual([2]);
  expect(found.onset).toEqual({ step: 3, after: 2, names: ["x"] });
  expect(found.chain.map(({ step, from }) => [step, from])).toEqual([
    [3, []],
    [4, ["x"]],
    [5, []],
  ]);
});
