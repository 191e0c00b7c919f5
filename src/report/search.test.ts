import fc from "fast-check";
import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { SearchRecord, type Trial } from "../schemas/search-space.ts";
import { valueTicks } from "./figures/search.ts";
import { all, type Node, readMarkup, textOf, withClass } from "./markup.test-helper.ts";
import { noneLearned, searchReport } from "./search.ts";

const words = { name: "lstm", command: "statelab sweep", chosen: "runs/lstm/chosen.yaml" };
const space = {
  "train.learningRate": { from: 0.001, to: 0.1, scale: "log" },
  "train.batch": [8, 16],
  "curriculum.stages": { "<b>full</b> first": [1], partial: [2] },
};

/** `scores[trial][rung]`; the score of a trial with full reveals first follows from its stages, and from nothing else. */
function record(scores: readonly (readonly number[])[], more: object = {}): SearchRecord {
  const rungs = [100, 300, 900];
  const rng = rngFrom(3);
  const trials = scores.map((own, trial): Trial => {
    const stages = (own[0] ?? 0) > 0.5 ? "<b>full</b> first" : "partial";
    const learningRate = Number((0.001 * 100 ** rng.next()).toPrecision(3));
    return {
      trial,
      folder: `trial-${trial}`,
      drawn: {
        "train.learningRate": learningRate,
        "train.batch": trial % 2 ? 8 : 16,
        "curriculum.stages": stages,
      },
      scores: own.map((score, rung) => ({
        ...{ programs: rungs[rung], score, stage: rung, seconds: 10 },
        tests: { "spacing 1": score, "spacing 4": score / 2 },
      })),
    };
  });
  return SearchRecord.parse({
    ...{ version: 1, method: "halving", seed: 0, trials, chosen: null, seconds: 100 },
    space: { programs: 900, rungs: 3, keep: 3, space },
    programs: trials.reduce((sum, { scores: own }) => sum + (own.at(-1)?.programs ?? 0), 0),
    ...more,
  });
}

const finished = record(
  [[0.9, 0.91, 0.92], [0.2], [0.8, 0.95], [0.3], [0.7, 0.75], [0.25], [0.6], [0.35], [0.28]],
  { chosen: 0 },
);
const figures = (html: string): Node[] => withClass(readMarkup(html), "fig");
const shown = (text: string) => text.replaceAll("\u00A0", " ");
/** The facts of the header, by name. */
const factsOf = (record: SearchRecord) => {
  const header = all(readMarkup(searchReport(record, words).page), "header")[0];
  const [names, values] = ["dt", "dd"].map((tag) =>
    all(header, tag as "dt")
      .map(textOf)
      .map(shown),
  );
  return Object.fromEntries(names.map((name, i) => [name, values[i]]));
};

test("the header has the best trials, of how many, and how far the search is", () => {
  expect(factsOf(finished)).toMatchObject({
    ...{ Best: "0: 92.0 %", Compared: "1 of 9 trials, 900 programs each", Finished: "yes" },
  });
  const random = { method: "random" };
  expect(factsOf(record([[0.5], [0.75], [0.2]], random))).toMatchObject({
    Best: "1: 75.0 %",
    Next: "0: 50.0 %",
  });
  expect(factsOf(record([[0.5], [0.75], [0.75]], random)).Best).toBe("1 and 2: 75.0 %");
  const one = [[0.5], [0.6], [0.7], [0.1], [0.1], [0.2]];
  expect(factsOf(record(one))).toMatchObject({
    Best: "2: 70.0 %",
    Finished: "no: 6 of 6 trials at rung 1 of 3",
  });
  // One of two has finished the second rung: trials are ranked by the first.
  const two = [[0.5], [0.6, 0.65], [0.7], [0.1], [0.1], [0.2]];
  expect(factsOf(record(two))).toMatchObject({
    Best: "2: 70.0 %",
    Finished: "no: 1 of 2 trials at rung 2 of 3",
  });
});

test("a failed trial is not waited for", () => {
  const { trials, ...rest } = record([[0.5], [], [0.2]], { method: "random" });
  const failed = trials.map((trial) => (trial.trial === 1 ? { ...trial, failure: "<i>no</i>" } : trial));
  expect(factsOf({ ...rest, trials: failed })).toMatchObject({ Finished: "yes", Failed: "1" });
  expect(textOf(readMarkup(searchReport({ ...rest, trials: failed }, words).page))).toContain(
    "Trial 1 failed: <i>no</i>",
  );
});

test("whether any trial has learned is a check; likelihoods have none", () => {
  const unmet = (scores: readonly (readonly number[])[], score = "accuracy") => {
    const some = record(scores, { method: "random" });
    return noneLearned(SearchRecord.parse({ ...some, space: { ...some.space, score } }));
  };
  expect(shown(unmet([[0.3], [0.94], [0.5]])!)).toBe(
    "best accuracy of any trial in any test (spacing 1): 94.0 %; expected at least 95.0 %",
  );
  expect(unmet([[0.3], [0.95], [0.5]])).toBeUndefined();
  expect(unmet([[0.3], [0.94], [0.5]], "likelihood")).toBeUndefined();
});

test("the best so far is over what all trials were trained on, rung after rung", () => {
  const [best] = figures(searchReport(finished, words).page);
  const label = best.attributes["aria-label"];
  // 6 · 100 + 2 · 300 + 900, and at the second rung one came to more than the chosen one at the last
  expect(label).toBe("Best so far: 95.0\u00A0% after 2,100 programs of all trials.");
  const titles = all(best, "title").map(textOf);
  expect(titles).toHaveLength(9 + 3 + 1);
  expect(titles.at(-1)).toBe("trial 0, rung 3: 92.0\u00A0%");
  const steps = withClass(best, "line")[0]
    .attributes.d.match(/[ML][^ML]+/g)!
    .map((each) => each.slice(1).split(" "));
  const heights = steps.map(([, y]) => Number(y));
  expect(heights).toEqual(heights.toSorted((a, b) => b - a)); // the best never falls
  expect(withClass(best, "guess")).toHaveLength(2); // where rungs 2 and 3 begin
});

const tablesOf = (record: SearchRecord) => all(readMarkup(searchReport(record, words).page), "table");
const rows = (table: Node) => all(table, "tr").map((row) => row.children.map((cell) => textOf(cell as Node)));

/** Rows of the table of keys. */
const keyRows = (record: SearchRecord) =>
  rows(tablesOf(record).find((table) => textOf(table).trim().startsWith("key"))!).slice(1);

test("a key that decides the score is first, and the only one above its bound", () => {
  const rows = keyRows(finished);
  expect(rows.map(([, , , above]) => above)).toEqual(["yes", "no", "no"]);
  expect(rows[0][0]).toBe("curriculum.stages");
  const panels = withClass(readMarkup(searchReport(finished, words).page), "fig")
    .slice(2)
    .map(({ attributes }) => attributes["aria-label"]);
  expect(panels[0]).toMatch(
    /^curriculum\.stages: explains .* <b>full<\/b> first: 75\.0.%, mean of 4\. partial: 27\.6.%, mean of 5\.$/,
  );
  expect(panels.map((label) => label.split(":")[0]).toSorted()).toEqual(Object.keys(space).toSorted());
});

test("equal scores explain nothing", () => {
  const rows = keyRows(record([[0.5], [0.5], [0.5]]));
  for (const [, ...cells] of rows) expect(cells).toEqual(["\u2013", "\u2013", "\u2013"]);
});

test("every trial is in the table with its tests, the best first and marked", () => {
  const [recipes, tests] = tablesOf(finished).slice(-2);
  expect(rows(recipes)[0].join(" ")).toBe("trial score programs stage learningRate batch stages");
  expect(rows(recipes)).toHaveLength(10);
  expect(rows(tests)[1]).toEqual(["0 chosen", "92.0", "92.0", "46.0"]);
  const [, , second, third] = rows(recipes);
  expect([second[0], third[0]]).toEqual(["2", "4"]);
});

test("any record with a score is a page of sound markup, and figures that are files", () => {
  const score = fc.double({ min: 0, max: 1, noNaN: true });
  const trials = fc.array(fc.array(score, { maxLength: 3 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(trials, fc.constantFrom("random", "halving"), (scores, method) => {
      fc.pre(scores.some((own) => own.length > 0));
      const own = method === "random" ? scores.map((each) => each.slice(0, 1)) : scores;
      const { page, figures: files } = searchReport(record(own, { method }), words);
      expect(page).not.toContain("NaN");
      expect(page).not.toContain("<script");
      expect(figures(page)).toHaveLength(Object.keys(files).length);
      for (const svg of Object.values(files)) expect(readMarkup(svg).tag).toBe("svg");
    }),
    { seed: 4, numRuns: 60 },
  );
});

test.each([
  [0.0005, 0.02, "log", [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02]],
  [1e-6, 1, "log", [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1]],
  [0.0003, 0.0004, "log", [0.0003, 0.0004]],
  [0, 1, "linear", [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [3, 3, "linear", [3]],
] as const)("an axis from %d to %d, %s, has round numbers or its ends", (from, to, scale, expected) => {
  expect(valueTicks(from, to, scale)).toEqual(expected);
});
