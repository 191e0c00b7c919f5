import { expect, test } from "vitest";
import type { Event } from "../../core/hidden-markov.ts";
import { permutationMachine } from "../../core/permutation-walk.ts";
import { marginalAdversary } from "./adversary.ts";
import type { Filter } from "./filter.ts";
import { exactFilter, swapWalk } from "./filter.ts";
import { marginalFilter, marginalRules } from "./marginal.ts";
import { type Path, pathsAfter, pathsThrough, sharesOfPaths } from "./paths.test-helper.ts";

const small = { variables: 3, probability: 0.5, beam: 40, seed: 0 };

test.each(marginalRules)(
  "%s: each mistake is one, by a count over all hidden choices and a fresh run of the filter",
  (rule) => {
    const walk = swapWalk(4, 0.5);
    const filter = marginalFilter(walk, rule);
    const { growth } = marginalAdversary({ ...small, variables: 4, rule, length: 13 });
    expect(growth.length).toBeGreaterThan(0);
    for (const { events, length, variable, value, share, error } of growth) {
      expect(events).toHaveLength(length);
      const paths = pathsThrough(walk, events);
      expect(paths.length).toBeGreaterThan(0);
      expect(sharesOfPaths(paths, variable, 4)[value]).toBe(1);
      const belief = events.reduce(
        (marginals, event) =>
          event.kind === "act"
            ? filter.act(marginals, event.action)
            : filter.observe(marginals, event.question, event.answer),
        filter.start,
      );
      expect(filter.answers(belief, variable)[value]).toBeCloseTo(share, 12);
      expect(error).toBeCloseTo(-Math.log(share), 12);
    }
    const errors = growth.map(({ error }) => error);
    expect(errors).toEqual(errors.toSorted((one, other) => one - other));
  },
);

/** The largest error after exactly so many events, over every possible sequence. */
function worstOfAll(rule: (typeof marginalRules)[number], length: number): number {
  const walk = swapWalk(3, 0.5);
  const filter = marginalFilter(walk, rule);
  let worst = 0;
  const extend = (left: number, paths: readonly Path[], marginals: Readonly<Float64Array>) => {
    if (paths.length === 0) return;
    for (const variable of [0, 1, 2]) {
      const certain = sharesOfPaths(paths, variable, 3).indexOf(1);
      if (certain >= 0) worst = Math.max(worst, -Math.log(filter.answers(marginals, variable)[certain]));
    }
    if (left === 0) return;
    const after = (event: Event) => pathsAfter(walk.commands, paths, event);
    for (const action of [0, 1, 2]) {
      extend(left - 1, after({ kind: "act", action }), filter.act(marginals, action));
      for (const answer of [0, 1, 2]) {
        const event = { kind: "reveal", question: action, answer } as const;
        extend(left - 1, after(event), filter.observe(marginals, action, answer));
      }
    }
  };
  extend(length, pathsThrough(walk, []), filter.start);
  return worst;
}

test.each(marginalRules)("%s: of up to five events nothing is worse than what the search finds", (rule) => {
  const { growth } = marginalAdversary({ ...small, rule, length: 5 });
  expect(growth.at(-1)?.error ?? 0).toBeCloseTo(worstOfAll(rule, 5), 12);
});

test("the errors of the linear rules grow with the length and no end: by ln 2 every two events, or nearly so", () => {
  const row = marginalAdversary({ ...small, rule: "row", length: 20 });
  // One pair, again and again: 2^-k after 2 k events.
  expect(row.growth.map(({ length }) => length)).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18, 20]);
  for (const { length, error } of row.growth) expect(error).toBeCloseTo((length / 2) * Math.LN2, 12);
  expect(row.nearSlope).toBeCloseTo(Math.LN2 / 2, 12);
  const column = marginalAdversary({ ...small, rule: "row+column", length: 20 });
  expect(column.growth.at(-1)?.error).toBeGreaterThan(4);
  expect(column.nearSlope).toBeGreaterThan(0.25);
});

test("Sinkhorn's scaling is right about all that is certain of three variables, and of four it is misled as well", () => {
  const three = marginalAdversary({ ...small, rule: "sinkhorn", length: 20 });
  expect(three.growth).toEqual([]);
  const four = marginalAdversary({ ...small, variables: 4, rule: "sinkhorn", length: 16 });
  expect(four.growth.at(-1)?.error).toBeGreaterThan(1.3);
  expect(four.nearSlope).toBeGreaterThan(0.04);
});

test("of four variables one cycle of three events takes Sinkhorn's scaling as far from the truth as one likes", () => {
  const filter = marginalFilter(swapWalk(4, 0.5), "sinkhorn");
  const exact = exactFilter(permutationMachine(swapWalk(4, 0.5)));
  const [ab, ac, ad, , bd, cd] = [0, 1, 2, 3, 4, 5];
  const d4 = [3, 3];
  const prefix = [cd, ab, bd, ac, d4, cd, [0, 1], ad, bd, d4, cd, ad, bd, d4];
  const errorAfter = (cycles: number) => {
    const steps = [...prefix, ...new Array(cycles).fill([cd, ad, d4]).flat(1)];
    const run = <Belief>(one: Filter<Belief>) =>
      steps.reduce<Belief>(
        (belief, step) =>
          typeof step === "number" ? one.act(belief, step) : one.observe(belief, step[0], step[1]),
        one.start,
      );
    expect(exact.answers(run(exact), 1)[0]).toBeCloseTo(1, 12);
    return -Math.log(filter.answers(run(filter), 1)[0]);
  };
  const errors = [4, 8, 16, 32].map(errorAfter);
  expect(errors[0]).toBeGreaterThan(2);
  for (const i of [1, 2, 3]) {
    // A fifth of a nat each cycle.
    expect((errors[i] - errors[i - 1]) / (4 * 2 ** (i - 1))).toBeCloseTo(0.2, 1);
  }
});

test("the search is a function of its seed", () => {
  const options = { ...small, rule: "row+column", length: 8 } as const;
  expect(marginalAdversary(options)).toEqual(marginalAdversary(options));
});
