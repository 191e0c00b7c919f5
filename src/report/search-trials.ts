/**
 * @file Every trial of a search as two tables: what was drawn for it, and what it came to in each test.
 *
 *     trial      score  programs  stage  learningRate  batch          trial      score  spacing 1  spacing 4
 *     7 chosen    99.1    20,000      5       0.00362      8          7 chosen    99.1      100.0       98.2
 */

import { integer, percent, percentSign, shortened } from "../core/format.ts";
import { LEARNED } from "../schemas/convergence.ts";
import type { SearchRecord, Trial } from "../schemas/search-space.ts";
import { section } from "./html.ts";
import { type Child, element, type Markup } from "./svg.ts";

/** The best first: those that came farthest, and of these the better. */
export function ranked(trials: readonly Trial[]): Trial[] {
  const last = ({ scores }: Trial) => scores.at(-1)?.score ?? -1;
  return trials.toSorted(
    (a, b) => b.scores.length - a.scores.length || last(b) - last(a) || a.trial - b.trial,
  );
}

/** Said of a search in which no trial named so many answers in any of its tests as who has learned does; undefined of another. */
export function noneLearned({ space, trials }: SearchRecord): string | undefined {
  if (space.score !== "accuracy") return undefined;
  const shares = trials.flatMap(({ scores }) => scores.flatMap(({ tests }) => Object.entries(tests)));
  const [best] = shares.toSorted(([, a], [, b]) => b - a);
  if (best === undefined || best[1] >= LEARNED) return undefined;
  return `No trial is right in ${percentSign(LEARNED)} of any test (at most ${percentSign(best[1])}, ${best[0]}): none is known to have learned, and the best is the best of those.`;
}

/** What was drawn, for people. */
export const drawnInWords = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** `learningRate` of `train.learningRate`, where no other key ends so. */
function shortNames(keys: readonly string[]): string[] {
  const last = keys.map((key) => key.slice(key.lastIndexOf(".") + 1));
  return last.map((name, i) => (last.filter((each) => each === name).length === 1 ? name : keys[i]));
}

interface Column {
  readonly name: string;
  /** Words stand left, numbers right. */
  readonly words?: boolean;
  readonly cell: (trial: Trial) => Child;
}

/** `ahead` has a score. */
export function trialsSection(
  { trials, space }: SearchRecord,
  ahead: Trial,
  marked: "chosen" | "leads",
): Markup {
  const number = (share: number | undefined) =>
    share === undefined ? "\u2013" : element("data", { value: String(share) }, percent(share));
  const whole = (count: number | undefined) => (count === undefined ? "\u2013" : integer(count));
  const keys = Object.keys(space.space);
  const score: Column = { name: "score", cell: ({ scores }) => number(scores.at(-1)?.score) };
  const recipes: Column[] = [
    score,
    { name: "programs", cell: ({ scores }) => whole(scores.at(-1)?.programs) },
    { name: "stage", cell: ({ scores }) => whole(scores.map(({ stage }) => stage + 1).at(-1)) },
    ...shortNames(keys).map(
      (name, i): Column => ({ name, words: true, cell: ({ drawn }) => inCell(drawnInWords(drawn[keys[i]])) }),
    ),
  ];
  const tests = Object.keys(ahead.scores[0].tests).map(
    (name): Column => ({ name, cell: ({ scores }) => number(scores.at(-1)?.tests[name]) }),
  );
  const mark = ({ trial }: Trial) =>
    trial === ahead.trial ? element("strong", {}, `${trial} ${marked}`) : trial;
  const failed = trials.filter(({ failure }) => failure !== undefined);
  return section(
    "All trials",
    element(
      "p",
      {},
      "Percent, at the last rung that each came to; only trials with as many programs can be compared. Stage: of the curriculum, in the end.",
    ),
    [recipes, [score, ...tests]].map((columns) => trialsTable(ranked(trials), mark, columns)),
    element(
      "ul",
      {},
      failed.map(({ trial, failure }) => element("li", {}, `Trial ${trial} failed: ${failure}`)),
    ),
  );
}

const inCell = (words: string) => element("span", { title: words }, shortened(words, 40));

function trialsTable(
  trials: readonly Trial[],
  mark: (trial: Trial) => Child,
  columns: readonly Column[],
): Markup {
  const place = (words: boolean) => (words ? { class: "word" } : {});
  const head = ({ name, words = false }: Column) => element("th", { scope: "col", ...place(words) }, name);
  const row = (trial: Trial) =>
    element(
      "tr",
      {},
      element("th", { scope: "row", class: "word" }, mark(trial)),
      columns.map(({ words = false, cell }) => element("td", place(words), cell(trial))),
    );
  return element(
    "div",
    { class: "card flow" },
    element(
      "table",
      { class: "all" },
      element(
        "thead",
        {},
        element("tr", {}, head({ name: "trial", words: true, cell: mark }), columns.map(head)),
      ),
      element("tbody", {}, trials.map(row)),
    ),
  );
}
