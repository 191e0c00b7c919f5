import fc from "fast-check";
import { expect, test } from "vitest";
import { swapWalk } from "./filter.ts";
import { doublyStochastic, marginalFilter, marginalRules } from "./marginal.ts";
import { allOrders } from "./paths.test-helper.ts";

const [AB, BC] = [0, 2]; // the commands of three variables: a b, a c, b c

const after = (rule: (typeof marginalRules)[number], steps: readonly ([number] | [number, number])[]) => {
  const filter = marginalFilter(swapWalk(3, 0.5), rule);
  return {
    filter,
    belief: steps.reduce(
      (belief, [first, value]) =>
        value === undefined ? filter.act(belief, first) : filter.observe(belief, first, value),
      filter.start,
    ),
  };
};

test("after one maybe-swap of a and b, a = 1 tells b to all but the row rule, which still says half", () => {
  const told = (rule: (typeof marginalRules)[number]) => {
    const { filter, belief } = after(rule, [[AB], [0, 0]]);
    return [...filter.answers(belief, 1)];
  };
  expect(told("row")).toEqual([0.5, 0.5, 0]);
  expect(told("row+column")).toEqual([0, 1, 0]);
  expect(told("sinkhorn")).toEqual([0, 1, 0]);
});

test("the row rule is wrong by a factor of 2 more each time that a maybe-swap is shown not to have happened", () => {
  for (let times = 1; times <= 20; times++) {
    const { filter, belief } = after("row", new Array(times).fill([[AB], [0, 0]]).flat());
    expect(filter.answers(belief, 1)[1]).toBeCloseTo(2 ** -times, 15);
  }
});

test("row+column leaves a row of less than 1, read as shares: maybe-swaps of a b and of b c, then c = 3", () => {
  const { filter, belief } = after("row+column", [[AB], [BC], [2, 2]]);
  // b was (1/4, 1/4, 1/2) and loses its 3. True: the second swap did not happen, so b is 1 or 2 as before it.
  expect([...belief]).toEqual([0.5, 0.5, 0, 0.25, 0.25, 0, 0, 0, 1]);
  expect([...filter.answers(belief, 1)]).toEqual([0.5, 0.5, 0]);
});

test.each(marginalRules)("%s: when all variables are revealed they are known", (rule) => {
  const { belief } = after(rule, [[AB], [BC], [AB], [0, 1], [1, 0], [2, 2]]);
  expect([...belief]).toEqual([0, 1, 0, 1, 0, 0, 0, 0, 1]);
});

test("Sinkhorn's scaling of a 2 x 2 matrix is the root of its cross ratio", () => {
  // a b / c d scaled to x, 1 − x / 1 − x, x keeps (a d) / (b c) = x² / (1 − x)².
  const positive = fc.double({ min: 0.01, max: 1, noNaN: true });
  fc.assert(
    fc.property(positive, positive, positive, positive, (a, b, c, d) => {
      const odds = Math.sqrt((a * d) / (b * c));
      const scaled = doublyStochastic(Float64Array.of(a, b, c, d), 2);
      expect(scaled[0]).toBeCloseTo(odds / (1 + odds), 6);
      expect(scaled[3]).toBeCloseTo(odds / (1 + odds), 6);
    }),
    { seed: 1 },
  );
});

test("rows and columns sum to 1 after the scaling, and what is in no possible order is 0", () => {
  const entry = fc.oneof(fc.constant(0), fc.double({ min: 0.05, max: 1, noNaN: true }));
  const orders = allOrders([0, 1, 2, 3]);
  fc.assert(
    fc.property(fc.array(entry, { minLength: 16, maxLength: 16 }), (entries) => {
      const matrix = Float64Array.from(entries, (x, at) => (at % 5 === 0 ? Math.max(x, 0.3) : x));
      const scaled = doublyStochastic(matrix, 4);
      for (let i = 0; i < 4; i++) {
        expect([0, 1, 2, 3].reduce((sum, row) => sum + scaled[row * 4 + i], 0)).toBeCloseTo(1, 9);
        expect([0, 1, 2, 3].reduce((sum, column) => sum + scaled[i * 4 + column], 0)).toBeCloseTo(1, 8);
      }
      const possible = orders.filter((order) => order.every((column, row) => matrix[row * 4 + column] > 0));
      for (const [at, x] of scaled.entries()) {
        expect(x > 0).toBe(possible.some((order) => order[Math.floor(at / 4)] === at % 4));
      }
    }),
    { seed: 2 },
  );
});

test("the scaling keeps the cross ratios of a matrix in which every order is possible", () => {
  const entry = fc.double({ min: 0.05, max: 1, noNaN: true });
  const ratio = (m: ArrayLike<number>, at: number) => (m[0] * m[at]) / (m[at % 4] * m[at - (at % 4)]);
  fc.assert(
    fc.property(fc.array(entry, { minLength: 16, maxLength: 16 }), (entries) => {
      const scaled = doublyStochastic(Float64Array.from(entries), 4);
      for (const at of [5, 6, 7, 9, 10, 11, 13, 14, 15]) {
        expect(ratio(scaled, at) / ratio(entries, at)).toBeCloseTo(1, 9);
      }
    }),
    { seed: 3 },
  );
});
