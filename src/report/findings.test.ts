/** @file Sentences against the rows they are about: no claim without its numbers. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ExperimentResult, ResultRow } from "../schemas/experiment-result.ts";
import { summarize } from "./aggregate.ts";
import { standing, standingShort, verdict } from "./findings.ts";
import { fixture, MODELS } from "./fixture.test-helper.ts";

const LABELS = ["DeltaNet [-1,1]", "DeltaNet [0,1]", "Transformer", "LSTM"];
const titleOf = (result: ExperimentResult) => verdict(summarize(result)).title;
/** Every row of a model gets its number, but at the densest reveals, which all have learned. */
const level = (accuracies: readonly number[], seeds: readonly number[] = [0], densest = 1) =>
  fixture({
    seeds,
    accuracy: (model, _commands, spacing) =>
      spacing === 1 ? densest : accuracies[MODELS.indexOf(model as (typeof MODELS)[number])]!,
  });

const withReference = (row: ResultRow, name: string, accuracy: number): ResultRow => ({
  ...row,
  references: { ...row.references, [name]: { ...row.references[name]!, accuracy } },
});

const ALL = "48 commands with a reveal every 24";

describe("the title", () => {
  test.each([
    [
      [1, 0.4, 0.4, 0.4],
      `DeltaNet [-1,1] holds to ${ALL}; DeltaNet [0,1], Transformer and LSTM to a reveal after every command`,
    ],
    [
      [1, 0.4, 0.4, 0.98],
      `DeltaNet [-1,1] and LSTM hold to ${ALL}; DeltaNet [0,1] and Transformer to a reveal after every command`,
    ],
    [
      [1, 1, 0.4, 0.98],
      `DeltaNet [-1,1], DeltaNet [0,1] and LSTM hold to ${ALL}; Transformer to a reveal after every command`,
    ],
    [[1, 1, 1, 1], `All 4 models hold to ${ALL}`],
    [[0.4, 0.4, 0.4, 0.4], "All 4 models hold to a reveal after every command"],
    [
      [0.94, 0.4, 1, 0.4],
      `Transformer holds to ${ALL}; DeltaNet [-1,1], DeltaNet [0,1] and LSTM to a reveal after every command`,
    ],
  ])("of accuracies %j is %s", (accuracies, expected) => {
    expect(titleOf(level(accuracies))).toBe(expected);
  });

  test("of a model that had not learned the densest reveals of its training nothing else is said", () => {
    const unlearned = (...which: string[]) =>
      titleOf(
        fixture({
          accuracy: (model, _commands, spacing) =>
            model === "deltanet[-1,1]" ? 1 : spacing === 1 && !which.includes(model) ? 1 : 0.34,
        }),
      );
    expect(unlearned("transformer", "lstm")).toBe(
      `DeltaNet [-1,1] holds to ${ALL}; DeltaNet [0,1] to a reveal after every command; Transformer and LSTM had not learned the densest reveals in this budget`,
    );
    expect(titleOf(level([0.34, 0.34, 0.34, 0.34], [0], 0.34))).toBe(
      "No model had learned the densest reveals in this budget",
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(0.34, 0.94, 0.95, 1), fc.constantFrom(0.34, 1)), {
          minLength: 4,
          maxLength: 4,
        }),
        (accuracies) => {
          const result = fixture({
            accuracy: (model, _commands, spacing) =>
              accuracies[MODELS.indexOf(model as (typeof MODELS)[number])]![spacing === 1 ? 0 : 1],
          });
          const summary = summarize(result);
          const said = [verdict(summary).title, ...summary.models.map((model) => standing(model, summary))];
          for (const [i, [densest]] of accuracies.entries()) {
            if (densest >= 0.95) continue;
            const clause = said[0]!.split("; ").find((part) => part.includes(LABELS[i]!));
            if (clause === undefined)
              expect(said[0]).toBe("No model had learned the densest reveals in this budget");
            else expect(clause).toMatch(/^[^;]* had not learned the densest reveals in this budget$/);
            expect(said[1 + i]).toContain("not learned");
          }
        },
      ),
      { seed: 3, numRuns: 200 },
    );
  });

  test("the densest reveals are those of the model's own training, of all variables or of one, whichever it knows better", () => {
    const base = fixture();
    const full = base.results
      .filter(({ tested }) => tested.name === "12/1")
      .map((row) => ({
        ...row,
        accuracy: row.model === "lstm" || row.model === "deltanet[0,1]" ? 0.5 : 1,
        tested: {
          ...row.tested,
          ...{ name: "12/1 full", change: { ...row.tested.change, reveal: "full" } },
          asTrained: row.model !== "transformer",
        },
      }));
    const partial = base.results.map((row) => ({
      ...row,
      accuracy:
        ["transformer", "deltanet[0,1]"].includes(row.model) && row.tested.change.spacing === 1 ? 0.2 : 1,
    }));
    const summary = summarize({ ...base, results: [...partial, ...full] });
    expect(summary.conditions.map(({ key }) => key).slice(0, 2)).toEqual(["12/1 full", "12/1"]);
    expect(summary.models.map(({ name, learned }) => [name, learned])).toEqual([
      ["deltanet[-1,1]", true],
      ["deltanet[0,1]", false],
      ["transformer", false],
      ["lstm", true],
    ]);
    // The LSTM forgot full reveals, which left its training: it is followed from partial ones on.
    const reached = summary.models.map(({ reach: [furthest] }) => furthest?.key);
    expect(reached).toEqual(["48/24", undefined, undefined, "48/24"]);
  });

  test("says as far as most seeds come, and of how many that is true", () => {
    const result = fixture({
      seeds: [3, 4, 5],
      accuracy: (model, _c, spacing, seed) =>
        spacing === 1 ||
        model === "lstm" ||
        (model === "transformer" && seed !== 4) ||
        (model === "deltanet[0,1]" && seed === 4)
          ? 1
          : 0.5,
    });
    expect(titleOf(result)).toBe(
      `LSTM holds to ${ALL}; Transformer to ${ALL} in 2 of 3 seeds; DeltaNet [-1,1] and DeltaNet [0,1] to a reveal after every command`,
    );
  });

  test("of two seeds as far as both come", () => {
    const accuracy = (_model: string, _c: number, spacing: number, seed: number) =>
      spacing === 1 || seed === 3 ? 1 : 0.5;
    expect(titleOf(fixture({ seeds: [3, 4], accuracy }))).toBe(
      "All 4 models hold to a reveal after every command",
    );
  });

  test("a model holds as far as its first loss, whatever it holds beyond", () => {
    const result = fixture({
      accuracy: (_model, commands, spacing) => (commands === 12 && spacing === 4 ? 0.9 : 1),
    });
    expect(titleOf(result)).toBe("All 4 models hold to a reveal every 2 commands");
  });

  test("a model that was not tested in a condition is not said to hold it", () => {
    const result = level([1, 1, 1, 1]);
    const results = result.results.filter(({ model, tested }) => model !== "lstm" || tested.name !== "48/24");
    expect(titleOf({ ...result, results })).toBe(
      `DeltaNet [-1,1], DeltaNet [0,1] and Transformer hold to ${ALL}; LSTM to 48 commands with a reveal every 8`,
    );
  });

  test("names as holding all exactly the models whose every row is within 5 points of the exact filter", () => {
    const accuracies = fc.array(fc.constantFrom(0.3, 0.9499, 0.95, 0.97, 1), {
      minLength: 28,
      maxLength: 28,
    });
    fc.assert(
      fc.property(accuracies, fc.constantFrom(0.97, 1), fc.boolean(), (values, exact, lucky) => {
        const base = fixture();
        const results = base.results.map((row, i) => ({
          ...row,
          accuracy: lucky && row.model !== "lstm" ? 1 : values[i]!,
          references: withReference(row, "exactBayes", exact).references,
        }));
        const lost = MODELS.map((model) =>
          results.filter((row) => row.model === model).some((row) => exact - row.accuracy > 0.05 + 1e-12),
        );
        const unlearned = MODELS.map((model) =>
          results.some(
            (row) => row.model === model && row.tested.name === "12/1" && row.accuracy < 0.95 * exact,
          ),
        );
        const held = LABELS.filter((_, i) => !lost[i] && !unlearned[i]);
        const [claim] = titleOf({ ...base, results }).split(` to ${ALL}`);
        if (held.length === 4) expect(claim).toBe("All 4 models hold");
        else if (held.length > 0)
          expect(claim!.replace(/ holds?$/, "").split(/, (?=[A-Z])| and /)).toEqual(held);
        else expect(titleOf({ ...base, results })).not.toContain(ALL);
      }),
      { seed: 5, numRuns: 300 },
    );
  });
});

describe("the caution", () => {
  test("is absent where the windowed filter is far below the exact one in the hardest condition", () => {
    expect(verdict(summarize(fixture())).caution).toBeUndefined();
  });

  test("says that nothing is proven where the windowed filter keeps up everywhere", () => {
    const trained = fixture({
      conditions: [
        [12, 1],
        [12, 12],
      ],
    });
    expect(verdict(summarize(trained)).caution).toContain(
      "No condition tested here tells tracking from remembering the last 24 commands",
    );
  });

  test("names the conditions that do decide where the hardest does not", () => {
    const base = fixture();
    const results = base.results.map((row) =>
      row.tested.name === "48/24" ? withReference(row, "windowedBayes", 0.99) : row,
    );
    expect(verdict(summarize({ ...base, results })).caution).toMatch(
      /^At 48\/24 alone .* at 48\/8 it can\.$/,
    );
  });
});

test("the lead states the hardest condition's numbers", () => {
  const { lead } = verdict(summarize(level([0.991, 0.402, 0.25, 0.8])));
  expect(lead.replaceAll("\u00A0", " ")).toBe(
    "Over 48 commands with a reveal every 24 commands, a shape that was never trained, accuracy is 99.1 % for DeltaNet [-1,1], " +
      "40.2 % for DeltaNet [0,1], 25.0 % for Transformer and 80.0 % for LSTM. The exact Bayes filter reaches 100.0 %, " +
      "a filter that sees only the last 24 commands 83.4 %, guessing 33.3 %.",
  );
});

test("a model's standing names its first lost condition and its distance to the windowed filter", () => {
  const summary = summarize(
    fixture({ accuracy: (_model, commands, spacing) => (commands === 48 && spacing > 4 ? 0.734 : 1) }),
  );
  const model = summary.models[0]!;
  expect(standingShort(model, summary.conditions)).toBe("holds until 48/8: 73.4\u00A0%");
  expect(standing(model, summary)).toContain(
    "Holds 12/1, 12/2, 12/4, 12/12 and 48/4; breaks first at 48/8: 73.4\u00A0%",
  );
  expect(standing(model, summary)).toContain("At 48/24 it is 10.0 points below the windowed filter.");
});

test("a model that tracks in some seeds is described by seed, not by a mean that is true of none", () => {
  const result = fixture({
    seeds: [0, 1, 2],
    accuracy: (_model, commands, _spacing, seed) => (seed === 1 && commands === 48 ? 0.45 : 1),
  });
  const summary = summarize(result);
  const text = standing(summary.models[0]!, summary);
  expect(text).toContain("2 of 3 seeds hold every condition; seed 1 breaks first at 48/4 (45.0\u00A0%).");
  expect(text).not.toContain("Holds no condition");
});
