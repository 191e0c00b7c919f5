import { expect, test } from "vitest";
import { madeResult, madeRow } from "../runner/made.test-helper.ts";
import { tomitaAutomata } from "./tomita-automata.ts";

/** Of each model and language: accuracy on trained strings, and whether the language's automaton was read off. */
function resultOf(runs: Readonly<Record<string, Readonly<Record<number, readonly [number, 0 | 1]>>>>) {
  const all = Object.entries(runs).flatMap(([model, own]) =>
    Object.entries(own).map(([language, [accuracy, equivalent]]) => ({
      ...{ model, setting: `Tomita ${language}`, accuracy, equivalent, seed: 0 },
    })),
  );
  return madeResult(
    tomitaAutomata,
    all.flatMap(({ accuracy, equivalent: _, ...run }) =>
      [16, 64, 256].map((length) =>
        madeRow(run, { name: `${length} symbols`, change: { length }, asTrained: length === 16 }, accuracy),
      ),
    ),
    all.map(({ equivalent, accuracy: _, ...run }) => ({
      ...{ name: "readOff", ...run, at: {} },
      values: {
        ...{ equivalent, states: 4, trueStates: 4, consistency: 1, clusters: 4 },
        ...{ own: 0, agreeing: 1, collapse: 0.1 },
      },
    })),
  );
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
    "Tomita 4, SR-GRU as trained, 16 symbols",
    "Tomita 4, LSTM as trained, 16 symbols",
    "Tomita 5, SR-GRU as trained, 16 symbols",
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
