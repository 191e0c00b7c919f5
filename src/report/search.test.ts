import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { SearchRecord, type Trial } from "../schemas/search-space.ts";
import { valueTicks } from "./figures/search.ts";
import { all, type Node, readMarkup, textOf, withClass } from "./markup.test-helper.ts";
import { searchReport } from "./search.ts";

const words = { name: "lstm", command: "statelab sweep", chosen: "runs/lstm/chosen.yaml" };
const space = {
  "train.learningRate": { from: 0.001, to: 0.1, scale: "log" },
  "train.batch": [8, 16],
  "curriculum.stages": { "<b>full</b> first": [1], partial: [2] },
};

/** `scores[trial][rung]`; the score of a trial with full reveals first can be told by its stages, and by nothing else. */
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
const titleOf = (html: string) => textOf(all(readMarkup(html), "h1")[0]);
const leadOf = (html: string) => textOf(withClass(readMarkup(html), "lead")[0]);
const figures = (html: string): Node[] => withClass(readMarkup(html), "fig");

describe("the title says who is ahead, and of how many", () => {
  const title = (scores: readonly (readonly number[])[], more?: object) =>
    titleOf(searchReport(record(scores, more), words).page).replaceAll("\u00A0", " ");

  test("of a finished search, of those that came to the end", () => {
    expect(titleOf(searchReport(finished, words).page)).toContain(
      "trial 0, alone of 9 trained to the end, scores 92.0",
    );
    const many = Array.from({ length: 18 }, (_, i) =>
      i < 2 ? [0.5, 0.6, 0.7 + i / 10] : i < 6 ? [0.5, 0.6] : [0.4],
    );
    expect(title(many)).toBe("lstm: trial 1 scores most of the 2 of 18 trials that came to the end, 80.0 %.");
    expect(title([[0.5], [0.75], [0.2]], { method: "random" })).toBe(
      "lstm: trial 1 scores most of 3 trials, 75.0 %.",
    );
  });

  test("of equal ones all", () => {
    expect(title([[0.5], [0.75], [0.75]], { method: "random" })).toBe(
      "lstm: trials 1 and 2 score most of 3 trials, 75.0 %.",
    );
  });

  test("of a search that was interrupted only who leads, in a rung that ended or one that did not", () => {
    const one = [[0.5], [0.6], [0.7], [0.1], [0.1], [0.2]];
    const lead = (scores: readonly (readonly number[])[]) => leadOf(searchReport(record(scores), words).page);
    expect(title(one)).toBe("lstm: trial 2 leads after 100 programs each, 70.0 %.");
    expect(lead(one)).toContain("6 of 6 trials came through rung 1 of 3.");
    // Only one of two has come through the second rung: it is ahead of nobody there.
    const two = [[0.5], [0.6, 0.65], [0.7], [0.1], [0.1], [0.2]];
    expect(title(two)).toBe("lstm: trial 2 leads after 100 programs each, 70.0 %.");
    expect(lead(two)).toContain("1 of 2 trials came through rung 2 of 3.");
    // What is chosen so far is not said to be the choice before all that are due have come.
    const late = Array.from({ length: 18 }, (_, i) =>
      i < 1 ? [0.5, 0.6, 0.7] : i < 6 ? [0.5, 0.65] : [0.4],
    );
    expect(title(late, { chosen: 0 })).toBe(
      "lstm: trials 1, 2, 3, 4 and 5 lead after 300 programs each, 65.0 %.",
    );
  });

  test("a trial that failed is none to wait for", () => {
    const { trials, ...rest } = record([[0.5], [], [0.2]], { method: "random" });
    const failed = trials.map((trial) => (trial.trial === 1 ? { ...trial, failure: "<i>no</i>" } : trial));
    const { page } = searchReport({ ...rest, trials: failed }, words);
    expect(titleOf(page)).toContain("trial 0 scores most of the 2 of 3 trials that came to the end");
    expect(textOf(readMarkup(page))).toContain("Trial 1 failed: <i>no</i>");
  });
});

test("where no trial has learned anything that is asked, the lead says so; of likelihoods it cannot say it", () => {
  const lead = (scores: readonly (readonly number[])[], score = "accuracy") => {
    const some = record(scores, { method: "random" });
    const space = { ...some.space, score };
    return leadOf(searchReport(SearchRecord.parse({ ...some, space }), words).page).replaceAll("\u00A0", " ");
  };
  const said = "No trial is right in 95.0 % of any test (at most 94.0 %, spacing 1)";
  expect(lead([[0.3], [0.94], [0.5]])).toContain(said);
  expect(lead([[0.3], [0.95], [0.5]])).not.toContain("No trial is right");
  expect(lead([[0.3], [0.94], [0.5]], "likelihood")).not.toContain("No trial is right");
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

test("a key that decides the score stands in the heading and first, the others do not", () => {
  const page = readMarkup(searchReport(finished, words).page);
  const [heading] = all(page, "h2")
    .map(textOf)
    .filter((text) => text.startsWith("What mattered"));
  expect(heading).toMatch(/^What mattered at the first rung: curriculum\.stages \d\d\.\d.%$/);
  const panels = withClass(page, "fig")
    .slice(2)
    .map(({ attributes }) => attributes["aria-label"]);
  expect(panels[0]).toMatch(
    /^curriculum\.stages: explains .* <b>full<\/b> first: 75\.0.%, mean of 4\. partial: 27\.6.%, mean of 5\.$/,
  );
  expect(panels.map((label) => label.split(":")[0]).toSorted()).toEqual(Object.keys(space).toSorted());
});

test("where nothing can be said nothing stands out", () => {
  const page = readMarkup(searchReport(record([[0.5], [0.5], [0.5]]), words).page);
  expect(all(page, "h2").map(textOf)[1]).toBe(
    "What mattered at the first rung: nothing stands out from chance",
  );
  expect(textOf(page)).toContain("too few different trials to say what it explains");
});

test("every trial stands in the table with its tests, the best first and marked", () => {
  const [recipes, tests] = all(readMarkup(searchReport(finished, words).page), "table");
  const rows = (table: Node) =>
    all(table, "tr").map((row) => row.children.map((cell) => textOf(cell as Node)));
  expect(rows(recipes)[0]).toEqual([
    "trial",
    "score",
    "programs",
    "stage",
    "learningRate",
    "batch",
    "stages",
  ]);
  expect(rows(recipes)).toHaveLength(10);
  expect(rows(tests)[1]).toEqual(["0 chosen", "92.0", "92.0", "46.0"]);
  expect(
    rows(recipes)
      .slice(2, 4)
      .map(([trial]) => trial),
  ).toEqual(["2", "4"]);
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
