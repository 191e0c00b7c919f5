import { expect, test } from "vitest";
import { rngFrom } from "../../src/core/rng.ts";
import { drawnLines, followed, machineLines } from "./belief-trace.ts";

test("the adversary of docs/concepts/belief.md: the exact filter knows, marginals by rows are wrong by a half more each time", () => {
  const lines = ["ab", "a1", "ab", "a1", "ab", "a1"];
  const { moments } = followed({ variables: 3, probability: 0.5, lines });
  const { by, mass } = moments.at(-1)!;
  expect(by.exact.shares[1]).toEqual([0, 1, 0]);
  expect(by.row.shares[1][1]).toBeCloseTo(1 / 8, 10);
  expect(by["row+column"].shares[1][1]).toBeCloseTo(1, 10);
  expect(by.exact.paid.map((nats) => nats / Math.LN2)).toEqual([1, 1, 1]);
  expect(mass).toBeCloseTo(Math.log10(1 / 8), 10);
});

test("the exact filter's shares are those of all outcomes, listed", () => {
  const rng = rngFrom(5);
  const setting = { variables: 3, probability: 0.3 };
  const lines = drawnLines(setting, 2, 3, () => rng.next());
  const { moments, lines: kept } = followed({ ...setting, lines });
  expect(kept).toEqual(lines); // what a program printed can happen
  // Every choice of which swaps happened, with its probability.
  let paths = [{ held: [1, 2, 3], share: 1 }];
  for (const line of lines) {
    const [i, j] = [...line].map((each) => "abc".indexOf(each));
    paths =
      j === -1
        ? paths.filter(({ held }) => held[i] === Number(line[1]))
        : paths.flatMap(({ held, share }) => [
            { held: held.with(i, held[j]).with(j, held[i]), share: 0.3 * share },
            { held, share: 0.7 * share },
          ]);
  }
  const total = paths.reduce((sum, { share }) => sum + share, 0);
  const wanted = [0, 1, 2].map((i) =>
    [1, 2, 3].map(
      (value) =>
        paths.filter(({ held }) => held[i] === value).reduce((sum, { share }) => sum + share, 0) / total,
    ),
  );
  const { by, mass } = moments.at(-1)!;
  for (const [i, row] of wanted.entries())
    for (const [j, share] of row.entries()) expect(by.exact.shares[i][j]).toBeCloseTo(share, 10);
  expect(mass).toBeCloseTo(Math.log10(total), 10);
});

test("what is no line, and what cannot be printed, is left out", () => {
  const { lines, moments } = followed({
    variables: 3,
    probability: 0.5,
    lines: ["ba", "a2", "__proto__", "ab", "a3", "a2", "d1"],
  });
  expect(lines).toEqual(["ab", "a2"]);
  expect(moments).toHaveLength(3);
  expect(machineLines(3)).toEqual({
    swaps: ["ab", "ac", "bc"],
    reveals: ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"],
  });
  expect(followed({ variables: 3, probability: 0, lines: ["ab", "b1"] }).lines).toEqual(["ab"]);
});
