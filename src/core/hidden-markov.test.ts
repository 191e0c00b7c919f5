import fc from "fast-check";
import { expect, test } from "vitest";
import {
  afterAction,
  afterAnswer,
  answerShares,
  drawMove,
  drawState,
  type Event,
  type Machine,
  samplePath,
  transitionMatrix,
} from "./hidden-markov.ts";
import { indexPairs, maybeSwap, permutationMachine, permutationStates } from "./permutation-walk.ts";
import { rngFrom } from "./rng.ts";

const lamp = transitionMatrix([
  [
    [1, 0.9],
    [0, 0.1],
  ],
  [[2, 1]],
  [
    [0, 0.25],
    [1, 0],
    [0, 0.5],
    [2, 0.25],
  ],
]);
const lit = { answers: 2, answer: Int32Array.of(0, 1, 1) };

test("an action moves the shares as a matrix would, and none is lost", () => {
  const matrix = [
    [0.1, 0.9, 0],
    [0, 0, 1],
    [0.75, 0, 0.25],
  ];
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }),
      (raw) => {
        const after = afterAction(Float64Array.from(raw), lamp);
        for (const to of [0, 1, 2]) {
          expect(after[to]).toBeCloseTo(
            raw.reduce((sum, share, from) => sum + share * matrix[from][to], 0),
            12,
          );
        }
      },
    ),
    { seed: 1 },
  );
});

test("moves to the same state are one, and impossible ones are none", () => {
  expect([...lamp.starts]).toEqual([0, 2, 3, 5]);
  expect([...lamp.to]).toEqual([1, 0, 2, 0, 2]);
});

test("an answer keeps the odds of the states that give it, and an impossible one leaves nothing", () => {
  const shares = Float64Array.of(0.5, 0.1, 0.4);
  expect([...answerShares(shares, lit)]).toEqual([0.5, 0.5]);
  const after = afterAnswer(shares, lit, 1);
  expect(after[0]).toBe(0);
  expect(after[1]).toBeCloseTo(0.2, 12);
  expect(after[2]).toBeCloseTo(0.8, 12);
  expect([...afterAnswer(Float64Array.of(1, 0, 0), lit, 1)]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
});

test("no answer is more probable than 1, however the shares round", () => {
  const shares = Float64Array.from([28, 18, 5], (weight) => weight / 51); // their sum rounds up
  expect(shares.reduce((sum, share) => sum + share, 0)).toBeGreaterThan(1);
  expect([...answerShares(shares, { answers: 1, answer: new Int32Array(3) })]).toEqual([1]);
});

test("states and moves are drawn as often as they are likely, and impossible ones never", () => {
  const rng = rngFrom(5);
  const count = 20_000;
  const cases: readonly (readonly [draw: () => number, shares: readonly number[]])[] = [
    [() => drawMove(lamp, 0, rng), [0.1, 0.9, 0]],
    [() => drawMove(lamp, 1, rng), [0, 0, 1]],
    [() => drawMove(lamp, 2, rng), [0.75, 0, 0.25]],
    [() => drawState(Float64Array.of(0.3, 0, 0.7), rng), [0.3, 0, 0.7]],
  ];
  for (const [draw, shares] of cases) {
    const tally = [0, 0, 0];
    for (let i = 0; i < count; i++) tally[draw()]++;
    for (const [i, share] of shares.entries()) {
      const expected = share * count;
      expect(Math.abs(tally[i] - expected)).toBeLessThanOrEqual(5 * Math.sqrt(expected * (1 - share)));
    }
  }
});

test("a maybe-swap of a and b leads from 1, 2, 3 to 2, 1, 3 with its probability, and c is never touched", () => {
  const { states, indexOf, transition, question } = permutationStates(3);
  const after = afterAction(Float64Array.of(1, 0, 0, 0, 0, 0), transition(maybeSwap(3, 0, 1, 0.3)));
  expect(states[0]).toEqual([0, 1, 2]);
  expect(after[indexOf([1, 0, 2])]).toBe(0.3);
  expect(after[0]).toBe(0.7);
  expect([...answerShares(after, question(2))]).toEqual([0, 0, 1]);
  expect([...answerShares(after, question(0))]).toEqual([0.7, 0.3, 0]);
});

test("swaps alone never leave the known start for an order of the other parity unless their number is odd", () => {
  const machine = permutationMachine({
    variables: 4,
    commands: indexPairs(4).map(([i, j]) => maybeSwap(4, i, j, 1)),
    start: "known",
  });
  expect(machine.states).toBe(24);
  expect(machine.actions).toHaveLength(6);
  const inversions = (values: readonly number[]) =>
    indexPairs(4).filter(([i, j]) => values[i] > values[j]).length;
  const { states } = permutationStates(4);
  let shares = machine.start;
  for (let step = 1; step <= 5; step++) {
    shares = afterAction(shares, machine.actions[(step * 3) % 6]);
    for (const [q, share] of shares.entries())
      if (share > 0) expect(inversions(states[q]) % 2).toBe(step % 2);
  }
});

/** Every path with its probability given the events, by going through all of them. */
function allPaths(
  { states, start, actions, questions }: Machine,
  events: readonly Event[],
): Map<string, number> {
  let open = Array.from({ length: states }, (_, q) => ({ path: [q], share: start[q] }));
  for (const event of events) {
    open = open.flatMap(({ path, share }) => {
      const now = path.at(-1)!;
      if (event.kind === "reveal")
        return questions[event.question].answer[now] === event.answer ? [{ path, share }] : [];
      const { starts, to, probability } = actions[event.action];
      return Array.from({ length: starts[now + 1] - starts[now] }, (_, i) => {
        const k = starts[now] + i;
        return { path: [...path, to[k]], share: share * probability[k] };
      });
    });
  }
  const possible = open.filter(({ share }) => share > 0);
  const total = possible.reduce((sum, { share }) => sum + share, 0);
  return new Map(possible.map(({ path, share }) => [path.join(), share / total]));
}

test.each([
  ["known", [0, 1, 0, 1]],
  ["uniform", [1, 1, 0]],
] as const)(
  "sampled paths have exactly the law that going through all paths finds, start %s",
  (start, actions) => {
    const commands = [maybeSwap(3, 0, 1, 0.25), maybeSwap(3, 1, 2, 0.6)];
    const machine = permutationMachine({ variables: 3, commands, start });
    const act = (action: number): Event => ({ kind: "act", action });
    const events: Event[] = [
      ...actions.slice(0, 2).map(act),
      { kind: "reveal", question: 2, answer: 2 },
      ...actions.slice(2).map(act),
      { kind: "reveal", question: 0, answer: 0 },
    ];
    const law = allPaths(machine, events);
    expect(law.size).toBeGreaterThan(2);
    const draws = 20_000;
    const rng = rngFrom(8);
    const counts = new Map<string, number>();
    for (let i = 0; i < draws; i++) {
      const path = samplePath(machine, events, rng).join();
      counts.set(path, (counts.get(path) ?? 0) + 1);
    }
    expect([...counts.keys()].filter((path) => !law.has(path))).toEqual([]);
    const square = [...law].reduce(
      (sum, [path, share]) => sum + ((counts.get(path) ?? 0) - draws * share) ** 2 / (draws * share),
      0,
    );
    const freedom = law.size - 1;
    expect(square).toBeLessThan(freedom + 5 * Math.sqrt(2 * freedom)); // chi-squared, five of its standard deviations
  },
);
