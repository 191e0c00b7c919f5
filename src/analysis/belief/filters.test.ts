import fc from "fast-check";
import { expect, test } from "vitest";
import type { Event } from "../../core/hidden-markov.ts";
import { permutationMachine } from "../../core/permutation-walk.ts";
import { rngFrom } from "../../core/rng.ts";
import { exactFilter, jointFilter, runFilter, surprises, totalMass, windowedFilter } from "./filter.ts";
import { marginalFilter, marginalRules } from "./marginal.ts";
import { massOfPaths, mixedWalk, pathsAfter, pathsThrough, sharesOfPaths } from "./paths.test-helper.ts";
import { drawEpisode } from "./sample-trajectory.ts";

/** A walk with every kind of hidden choice, and a short sequence that it made. */
const cases = fc
  .record({
    variables: fc.integer({ min: 2, max: 4 }),
    start: fc.constantFrom("known" as const, "uniform" as const),
    probability: fc.constantFrom(0.1, 0.5, 0.75),
    spacing: fc.integer({ min: 1, max: 3 }),
    seed: fc.nat(),
  })
  .map(({ variables, start, probability, spacing, seed }) => {
    const walk = mixedWalk(variables, start, probability);
    const plan = { reveals: Math.ceil(3 / spacing), spacing }; // more are too many paths
    return { walk, events: drawEpisode(permutationMachine(walk), plan, rngFrom(seed)) };
  });

/** For each reveal: the events before it. */
const prefixes = (events: readonly Event[]) =>
  events.flatMap((event, at) => (event.kind === "reveal" ? [events.slice(0, at)] : []));

const close = (got: ArrayLike<number>, wanted: readonly number[]) => {
  for (const [i, share] of wanted.entries()) expect(got[i]).toBeCloseTo(share, 10);
};

test("the exact filter states before each reveal what a count over all hidden choices gives", () => {
  fc.assert(
    fc.property(cases, ({ walk, events }) => {
      const told = [...runFilter(exactFilter(permutationMachine(walk)), events)];
      for (const [i, before] of prefixes(events).entries()) {
        close(told[i].shares, sharesOfPaths(pathsThrough(walk, before), told[i].question, walk.variables));
      }
    }),
    { numRuns: 150, seed: 1 },
  );
});

test("the joint filter's mass is the probability of all answers, and normalised it is the exact filter", () => {
  fc.assert(
    fc.property(cases, ({ walk, events }) => {
      const machine = permutationMachine(walk);
      const joint = [...runFilter(jointFilter(machine, "float64"), events)];
      const exact = [...runFilter(exactFilter(machine), events)];
      for (const [i, { shares, after }] of joint.entries()) {
        close(shares, [...exact[i].shares]);
        close(
          after.map((share) => share / totalMass(after)),
          [...exact[i].after],
        );
      }
      const last = joint[joint.length - 1];
      const paths = pathsThrough(walk, events);
      expect(totalMass(last.after)).toBeCloseTo(massOfPaths(paths), 12);
      const paid = surprises(exactFilter(machine), events).reduce((sum, nats) => sum + nats, 0);
      expect(Math.exp(-paid)).toBeCloseTo(massOfPaths(paths), 12);
    }),
    { numRuns: 100, seed: 2 },
  );
});

/** From the definition, on the text of the sequence: what is in the window of this reveal. */
function windowOf(before: readonly Event[], window: number): { seen: readonly Event[] } {
  const acts = before.flatMap((event, at) => (event.kind === "act" ? [at] : []));
  if (acts.length < window) return { seen: before };
  let from = acts[acts.length - window];
  while (from > 0 && before[from - 1].kind === "reveal") from--;
  return { seen: before.slice(from) };
}

test("the windowed filter counts what its window allows, after any actions that it did not see", () => {
  fc.assert(
    fc.property(cases, fc.integer({ min: 1, max: 6 }), ({ walk, events }, window) => {
      const { commands, variables } = walk;
      const told = [...runFilter(windowedFilter(permutationMachine(walk), window), events)];
      for (const [i, before] of prefixes(events).entries()) {
        const { seen } = windowOf(before, window);
        const unseen = before.slice(0, before.length - seen.length).filter(({ kind }) => kind === "act");
        // Whatever actions there may have been, each as likely: all of them are listed.
        let paths = pathsThrough(walk, []);
        for (const _ of unseen)
          paths = commands.flatMap((_, action) => pathsAfter(commands, paths, { kind: "act", action }));
        for (const event of seen) paths = pathsAfter(commands, paths, event);
        close(told[i].shares, sharesOfPaths(paths, told[i].question, variables));
      }
    }),
    { numRuns: 60, seed: 3 },
  );
});

test.each(marginalRules)("%s: without an answer the marginals are exact, whatever is hidden", (rule) => {
  fc.assert(
    fc.property(cases, ({ walk, events }) => {
      const filter = marginalFilter(walk, rule);
      const acts = events.filter(({ kind }) => kind === "act");
      const belief = acts.reduce(
        (marginals, event) => (event.kind === "act" ? filter.act(marginals, event.action) : marginals),
        filter.start,
      );
      const paths = pathsThrough(walk, acts);
      for (let i = 0; i < walk.variables; i++) {
        close(filter.answers(belief, i), sharesOfPaths(paths, i, walk.variables));
      }
    }),
    { numRuns: 40, seed: 4 },
  );
});

test("no filter pays less than the exact one on average, and one that sees everything pays the same", () => {
  const walk = mixedWalk(3, "known", 0.5);
  const machine = permutationMachine(walk);
  const events = drawEpisode(machine, { reveals: 4000, spacing: 2 }, rngFrom(6));
  const paid = (filter: Parameters<typeof surprises>[0]) =>
    surprises(filter, events).reduce((sum, nats) => sum + nats, 0) / 4000;
  const exact = paid(exactFilter(machine) as never);
  for (const rule of marginalRules) expect(paid(marginalFilter(walk, rule) as never)).toBeGreaterThan(exact);
  expect(paid(windowedFilter(machine, 3) as never)).toBeGreaterThan(exact);
  const short = events.slice(0, 90);
  const all = surprises(windowedFilter(machine, 1000), short);
  for (const [i, nats] of surprises(exactFilter(machine), short).entries())
    expect(all[i]).toBeCloseTo(nats, 10);
});
