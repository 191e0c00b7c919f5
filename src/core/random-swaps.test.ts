import fc from "fast-check";
import { expect, test } from "vitest";
import { allPermutations } from "./permutations.ts";
import { randomSwaps } from "./random-swaps.ts";

/** Every order of n things with its probability after m swaps, by doing each of them to each order. */
function listed(n: number, m: number): Map<string, number> {
  let shares = new Map([[Array.from({ length: n }, (_, i) => i).join(), 1]]);
  for (let swap = 0; swap < m; swap++) {
    const after = new Map<string, number>();
    for (const [name, share] of shares) {
      for (let i = 0; i < n; i++) {
        for (let j = 0; j < i; j++) {
          const order = name.split(",");
          [order[i], order[j]] = [order[j], order[i]];
          after.set(order.join(), (after.get(order.join()) ?? 0) + (2 * share) / (n * (n - 1)));
        }
      }
    }
    shares = after;
  }
  return shares;
}

test("what is known in part has the probability of all orders that agree with it", () => {
  const chance = [1, 2, 3, 4, 5].map((n) => randomSwaps(n));
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 5 }),
      fc.nat({ max: 7 }),
      fc.nat(),
      fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
      (n, m, which, shown) => {
        const orders = allPermutations(n);
        const known = orders[which % orders.length].map((thing, i) => (shown[i] ? thing : -1));
        let sum = 0;
        for (const [name, share] of listed(n, m)) {
          const order = name.split(",").map(Number);
          if (known.every((thing, i) => thing < 0 || thing === order[i])) sum += share;
        }
        expect(chance[n - 1](m, known)).toBeCloseTo(sum, 12);
      },
    ),
    { seed: 1, numRuns: 300 },
  );
});

test("after many swaps of eight things every order of the right parity is equally likely", () => {
  const chance = randomSwaps(8);
  const even = [1, 2, 0, 3, 4, 5, 6, 7]; // a cycle of three
  const odd = [1, 0, 2, 3, 4, 5, 6, 7];
  expect(chance(200, even)).toBeCloseTo(2 / 40320, 12);
  expect(chance(200, odd)).toBe(0);
  expect(chance(201, odd)).toBeCloseTo(2 / 40320, 12);
  expect(chance(200, new Array(8).fill(-1))).toBeCloseTo(1, 12);
});
