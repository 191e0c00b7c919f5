import fc from "fast-check";
import { expect, test } from "vitest";
import { rngFrom } from "../../../core/rng.ts";
import { mean, standardError } from "../../../core/statistics.ts";
import {
  bestSubset,
  difficulties,
  knapsack,
  type Sack,
  scoreCeiling,
  totalValue,
  totalWeight,
} from "./knapsack.ts";

const items = fc.array(fc.record({ weight: fc.integer({ min: 1, max: 20 }), value: fc.nat(100) }), {
  maxLength: 10,
});

test("the best subset is worth as much as the best of all subsets, and fits", () => {
  fc.assert(
    fc.property(items, fc.nat(80), (all, capacity) => {
      let most = 0;
      for (let mask = 0; mask < 2 ** all.length; mask++) {
        const subset = all.filter((_, i) => (mask >> i) & 1);
        if (totalWeight(subset) <= capacity) most = Math.max(most, totalValue(subset));
      }
      const best = bestSubset(all, capacity);
      expect([totalValue(best), totalWeight(best) <= capacity, new Set(best).size]).toEqual([
        most,
        true,
        best.length,
      ]);
    }),
    { seed: 1, numRuns: 200 },
  );
});

/** What an earlier program of ours, by the published rules, came to: items, inspections per item, items of an optimum, the ceiling. */
const reproduced = {
  easy: { items: [33.7, 0.2], coverage: [0.815, 0.005], optimum: [4.27, 0.1], ceiling: [0.896, 0.005] },
  hard: { items: [98.9, 0.8], coverage: [0.779, 0.005], optimum: [11.9, 0.1], ceiling: [0.862, 0.011] },
} as const;

test.each(["easy", "hard"] as const)(
  "%s: sizes and ceilings of bounded inspection are those of the published rules",
  (difficulty) => {
    const sacks = Array.from({ length: 600 }, (_, i) => {
      const sack = knapsack.draw({ difficulty, ceilingDraws: 1 }, rngFrom(5).fork(i));
      const good = sack.items.filter((item) => sack.allowed.includes(item.class));
      const best = bestSubset(good, sack.capacity);
      expect(good.length).toBeGreaterThanOrEqual(5);
      expect(totalValue(best)).toBe(sack.optimum);
      return {
        ...{ items: sack.items.length, coverage: sack.budget / sack.items.length, optimum: best.length },
        ceiling: scoreCeiling(sack, 1, rngFrom(6).fork(i)) / sack.optimum,
      };
    });
    for (const [name, [value, error]] of Object.entries(reproduced[difficulty])) {
      const found = sacks.map((sack) => sack[name as keyof (typeof sacks)[number]]);
      expect(Math.abs(mean(found) - value), name).toBeLessThan(3 * Math.hypot(error, standardError(found)));
    }
  },
);

const call = (name: string, ...values: string[]) => ({ name, arguments: values });
const follow = (state: Sack, ...calls: ReturnType<typeof call>[]) =>
  calls.reduce(
    ({ state: before, answers }, each) => {
      const { state: after, answer } = knapsack.act(before, each);
      return { state: after, answers: [...answers, "error" in answer ? answer.error : answer.value] };
    },
    { state, answers: [] as unknown[] },
  );

test("only so many items can be inspected, looking again is free, and what is wrong changes nothing", () => {
  const sack = knapsack.draw({ difficulty: "easy", ceilingDraws: 1 }, rngFrom(3));
  const ids = sack.items.map(({ id }) => id);
  const looks = ids.flatMap((id) => [call("inspect", id), call("inspect", id)]);
  const { state, answers } = follow(sack, ...looks);
  expect(state.inspected).toEqual(ids.slice(0, sack.budget));
  expect(answers.filter((answer) => answer === "RuntimeError")).toHaveLength(2 * (ids.length - sack.budget));
  const wrong = follow(
    state,
    call("inspect"),
    call("inspect", "x"),
    call("steal", ids[0]),
    call("__proto__"),
  );
  expect(wrong.answers).toEqual(["TypeError", "KeyError", "LookupError", "LookupError"]);
  expect(wrong.state).toBe(state);
});

test("a class that is not allowed, an item twice and too much weight are refused; what is taken unseen is counted", () => {
  const sack = knapsack.draw({ difficulty: "easy", ceilingDraws: 1 }, rngFrom(4));
  const bad = sack.items.find((item) => !sack.allowed.includes(item.class))!;
  const best = bestSubset(
    sack.items.filter((item) => sack.allowed.includes(item.class)),
    sack.capacity,
  );
  const rest = sack.items.filter((item) => sack.allowed.includes(item.class) && !best.includes(item));
  const taking = follow(
    sack,
    call("inspect", best[0].id),
    call("take_item", bad.id),
    ...best.map(({ id }) => call("take_item", id)),
  );
  expect(taking.answers[1]).toBe("PermissionError");
  const heavy = rest.find(({ weight }) => weight > sack.capacity - totalWeight(best))!;
  const more = follow(
    taking.state,
    call("take_item", best[0].id),
    call("take_item", heavy.id),
    call("finish"),
    call("list_items"),
  );
  expect(more.answers).toEqual(["ValueError", "ValueError", "finished", "RuntimeError"]);
  expect(knapsack.score(more.state)).toMatchObject({
    share: 1,
    value: sack.optimum,
    takenUnseen: best.length - 1,
  });
});

test("the ranges of both difficulties are kept", () => {
  for (const [name, { items: count, weight, value, allowed }] of Object.entries(difficulties)) {
    const sack = knapsack.draw({ difficulty: name as "easy", ceilingDraws: 1 }, rngFrom(8));
    expect(sack.allowed).toHaveLength(allowed);
    expect(sack.items.length).toBeGreaterThanOrEqual(count[0]);
    expect(sack.items.length).toBeLessThanOrEqual(count[1]);
    for (const item of sack.items) {
      expect(item.weight >= weight[0] && item.weight <= weight[1]).toBe(true);
      expect(item.value >= value[0] && item.value <= value[1]).toBe(true);
    }
    expect(sack.budget).toBeGreaterThanOrEqual(5);
    expect(sack.budget).toBeLessThanOrEqual(sack.items.length);
  }
});
