import { expect, test } from "vitest";
import { roundedTo } from "../../core/half-precision.ts";
import { permutationMachine, permutationStates } from "../../core/permutation-walk.ts";
import { rngFrom } from "../../core/rng.ts";
import { mean } from "../../core/statistics.ts";
import { exactFilter, jointFilter, runFilter, surprises, swapWalk, totalMass } from "./filter.ts";
import { measureUnderflow, normalizationLife, predictedHorizon } from "./normalization-loss.ts";
import { drawEpisode } from "./sample-trajectory.ts";

/** Two variables, a fair maybe-swap, one of them revealed: the mass is halved at every reveal, in one state. */
const coin = permutationMachine(swapWalk(2, 0.5));
const tosses = drawEpisode(coin, { reveals: 1200, spacing: 1 }, rngFrom(1));

test.each([
  ["float64", 1022, 1074],
  ["float32", 126, 149],
  ["bfloat16", 126, 133],
  ["float16", 14, 24],
] as const)(
  "a mass that is halved at each reveal is normal in %s for %d reveals and lives for %d",
  (name, normal, alive) => {
    expect(normalizationLife(coin, tosses, name)).toEqual({
      normal,
      everyState: alive,
      alive,
      aboveExact: 0,
    });
    expect(predictedHorizon(name, Math.LN2)).toEqual({ normal, alive });
  },
);

test("at a factor of 1/5 a reveal, float32 is normal for 54 reveals and alive for 64", () => {
  expect(predictedHorizon("float32", Math.log(5))).toEqual({ normal: 54, alive: 64 });
});

test.each(["float32", "bfloat16", "float16"] as const)(
  "%s: every product and every sum is rounded, as in a twin with a matrix",
  (name) => {
    const round = roundedTo(name);
    const machine = permutationMachine(swapWalk(3, 0.1));
    const { states } = permutationStates(3);
    const [p, rest] = [round(0.1), round(0.9)];
    const pairs = [
      [0, 1],
      [0, 2],
      [1, 2],
    ];
    const twin = new Map(states.map((values, q) => [values.join(), q === 0 ? 1 : 0]));
    const events = drawEpisode(machine, { reveals: 8, spacing: 2 }, rngFrom(4));
    const told = runFilter(jointFilter(machine, name), events);
    for (const event of events) {
      if (event.kind === "act") {
        const [i, j] = pairs[event.action];
        const before = new Map(twin);
        for (const values of states) {
          const swapped = [...values];
          [swapped[i], swapped[j]] = [values[j], values[i]];
          // Each state is reached from two: itself, kept, and its mirror, swapped; the order of a sum of two is no matter.
          const kept = round((before.get(values.join()) ?? 0) * rest);
          twin.set(values.join(), round(kept + round((before.get(swapped.join()) ?? 0) * p)));
        }
      } else {
        for (const values of states) if (values[event.question] !== event.answer) twin.set(values.join(), 0);
        expect([...(told.next().value as { after: Float64Array }).after]).toEqual([...twin.values()]);
      }
    }
  },
);

test("where the mass is lost all answers are equally likely", () => {
  const machine = permutationMachine(swapWalk(3, 0.5));
  const events = drawEpisode(machine, { reveals: 60, spacing: 1 }, rngFrom(2));
  const told = [...runFilter(jointFilter(machine, "float16"), events)];
  const last = told[told.length - 1];
  expect(totalMass(last.after)).toBe(0);
  expect([...last.shares]).toEqual([1 / 3, 1 / 3, 1 / 3]);
});

test("few digits lose states first, then the mass, and about where the entropy rate says", () => {
  const machine = permutationMachine(swapWalk(4, 0.5));
  const other = drawEpisode(machine, { reveals: 2000, spacing: 4 }, rngFrom(9));
  const rate = mean(surprises(exactFilter(machine), other));
  for (const precision of ["float32", "bfloat16", "float16"] as const) {
    const { measured, predicted } = measureUnderflow(
      machine,
      precision,
      rate,
      { spacing: 4, episodes: 24 },
      rngFrom(3),
    );
    const { normal, everyState, alive } = measured!;
    expect(everyState.mean).toBeLessThanOrEqual(alive.mean);
    expect(Math.abs(normal.mean - predicted.normal)).toBeLessThan(3 + 3 * normal.standardError);
    expect(alive.mean).toBeLessThan(predicted.alive + 3 * alive.standardError);
    expect(alive.mean).toBeGreaterThan(predicted.alive - 6);
  }
});

test("an underflow that is too far away is predicted and not measured", () => {
  const { measured, predicted } = measureUnderflow(
    coin,
    "float64",
    0.01,
    { spacing: 1, episodes: 2 },
    rngFrom(1),
  );
  expect(measured).toBeUndefined();
  expect(predicted.alive).toBe(74513); // 1075 ln 2 / 0.01
});
