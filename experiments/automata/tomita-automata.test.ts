import { expect, test } from "vitest";
import { tomitaAutomata } from "./tomita-automata.ts";

/** Of each model and language: accuracy on trained strings, and whether the language's automaton was read off. */
function resultOf(runs: Readonly<Record<string, Readonly<Record<number, readonly [number, 0 | 1]>>>>) {
  const all = Object.entries(runs).flatMap(([model, own]) =>
    Object.entries(own).map(([language, [accuracy, equivalent]]) => ({
      ...{ model, setting: `Tomita ${language}`, accuracy, equivalent, seed: 0 },
    })),
  );
  return {
    ...{ scale: "laptop", seeds: [0], training: [], date: "2026-01-01", claims: [], findings: [] },
    ...{ models: {}, labels: {} },
    measurements: all.map(({ model, setting, seed, equivalent }) => ({
      ...{ name: "readOff", model, setting, seed, at: {} },
      values: {
        ...{ equivalent, states: 4, trueStates: 4, consistency: 1, clusters: 4 },
        ...{ own: 0, agreeing: 1, collapse: 0.1 },
      },
    })),
    results: all.flatMap(({ model, setting, seed, accuracy }) =>
      [16, 64, 256].map((length) => ({
        ...{ setting, model, seed, references: {}, accuracy, accuracyLast: accuracy },
        tested: {
          ...{ name: `${length} symbols`, change: { length }, asTrained: length === 16 },
          ...{ chance: 1 / 2, programs: 1, reveals: 1 },
        },
        accuracyByReveal: [accuracy],
      })),
    ),
  } as never;
}

test("what is read off a run that has not learned its language does not count, and the run is named", () => {
  const result = resultOf({
    gru: { 4: [1, 1], 5: [0.99, 0] },
    lstm: { 4: [0.8, 1], 5: [1, 1] },
    "sr-gru": { 4: [0.7, 0], 5: [0.7, 0] },
  });
  const measured = tomitaAutomata.published.map(({ measure }) => measure!(result));
  expect(measured).toEqual([[0], [1], [1]]);
  const unmet = tomitaAutomata.checks(result).flatMap(({ name, met }) => (met ? [] : [name]));
  expect(unmet).toEqual([
    "Tomita 4, sr-gru as trained, 16 symbols",
    "Tomita 4, lstm as trained, 16 symbols",
    "Tomita 5, sr-gru as trained, 16 symbols",
    "GRU, Tomita 5: automaton extracted",
  ]);
});

test("a run is asked about strings as long as its longest, four and sixteen times that; the first alone are as trained", () => {
  const { runs } = tomitaAutomata.plan({ scale: "laptop" }, [0, 1]);
  expect(runs).toHaveLength(2 * 7 * 3);
  for (const { tests, config } of runs) {
    expect(tests.map(({ change }) => change.length)).toEqual([16, 64, 256]);
    expect(tests.map(({ asTrained }) => asTrained)).toEqual([true, false, false]);
    expect(config.curriculum.stages.at(-1)).toEqual([{ length: [1, 16] }]);
    expect(config.seed).toBeLessThan(1000); // no seed of the search
  }
});
