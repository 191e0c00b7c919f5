import { expect, test } from "vitest";
import { madeResult, madeRow } from "../runner/made.test-helper.ts";
import { replExtrapolation } from "./repl-extrapolation.ts";
import { replSpacing } from "./repl-spacing.ts";
import { curricula } from "./shared.ts";

test("every curriculum ends at all spacings, the widest as often as all others twice over, and widens one by one", () => {
  const full = { spacing: 1, reveal: "full" };
  const one = { spacing: 1 };
  const [two, four, twelve] = [2, 4, 12].map((spacing) => ({ spacing }));
  const last = [one, two, four, twelve, twelve, twelve];
  const short = { commands: 3, ...full };
  const kept = [
    [full, one, two],
    [full, one, two, four],
    [full, ...last],
  ];
  expect(curricula([1, 2, 4, 12])).toEqual({
    "full reveals first": [[full], [full, one], [one, two], [one, two, four], last],
    "full reveals first and kept": [[full], [full, one], ...kept],
    "full reveals of short sessions first": [
      ...[[short], [short, full], [full, one]],
      ...[[one, two], [one, two, four], last],
    ],
    "full reveals of short sessions first, and kept": [[short], [short, full], [full, one], ...kept],
  });
});

/** A result in which each model has this share of the dense reveals, of the widest that were trained, and beyond. */
function resultOf(shares: Readonly<Record<string, readonly [number, number, number]>>) {
  const tests = [
    ["12/1 full", 12, 1, true],
    ["12/12", 12, 12, true],
    ["96/48", 96, 48, false],
  ] as const;
  return madeResult(
    replExtrapolation,
    Object.entries(shares).flatMap(([model, own]) =>
      tests.map(([name, commands, spacing, asTrained], i) =>
        madeRow({ model }, { name, change: { commands, spacing }, asTrained, chance: 1 / 3 }, own[i]),
      ),
    ),
  );
}

test("the tracker is held to the criterion only where it has learned its training; others to the windowed filter", () => {
  const checksOf = (shares: Parameters<typeof resultOf>[0]) =>
    replExtrapolation.checks(resultOf(shares)).map(({ name, met }) => [name, met]);
  const named = expect.stringContaining("DeltaNet [-1,1] at 96/48");
  expect(checksOf({ "deltanet[-1,1]": [1, 1, 0.96] })).toContainEqual([named, true]);
  expect(checksOf({ "deltanet[-1,1]": [1, 1, 0.5] })).toContainEqual([named, false]);
  expect(checksOf({ "deltanet[-1,1]": [0.6, 0.6, 0.5] })).toContainEqual([named, "inconclusive"]);
});

/** By model, the share that each has with a reveal every 1, 2, 4 and 12 of 12 commands. */
function spacingResult(shares: Readonly<Record<string, readonly number[]>>) {
  return madeResult(
    replSpacing,
    Object.entries(shares).flatMap(([model, own]) =>
      own.map((accuracy, i) => {
        const spacing = [1, 2, 4, 12][i];
        const test = { name: `12/${spacing}`, change: { commands: 12, spacing }, chance: 1 / 3 };
        return madeRow({ setting: "", model }, test, accuracy);
      }),
    ),
  );
}

test("a Transformer that has not learned full permutations does not show that it fails at them", () => {
  const metIn = (transformer: readonly number[]) =>
    replSpacing
      .checks(spacingResult({ "deltanet[-1,1]": [1, 1, 1, 0.96], lstm: [1, 1, 0.8, 0.7], transformer }))
      .find(({ name }) => name.startsWith("Transformer at spacing 2"))?.met;
  expect(metIn([0.6, 0.6, 0.6, 0.6])).toBe("inconclusive");
  expect(metIn([1, 1, 1, 1])).toBe(false);
});
