/**
 * @file The page of `sweep --search`: the trial with the best score, the way to it, what each key explains, and every trial.
 *
 *     trial      score  programs  stage  learningRate  batch          trial      score  spacing 1  spacing 4
 *     7 chosen    99.1    20,000      5       0.00362      8          7 chosen    99.1      100.0       98.2
 *
 * An interrupted search has the same page.
 */

import {
  type Explained,
  explainedByChance,
  explainedByGroups,
  explainedByParabola,
} from "../core/explained-variance.ts";
import {
  duration,
  formatCount,
  formatList,
  integer,
  percent,
  percentSign,
  shellWord,
  shortened,
} from "../core/format.ts";
import { LEARNED } from "../schemas/convergence.ts";
import type { Check } from "../schemas/experiment-result.ts";
import { isRange, type SearchRecord, type Trial } from "../schemas/search-space.ts";
import { standAloneFigure } from "./figure-files.ts";
import { linesFigure } from "./figures/lines.ts";
import { AHEAD, bestFigure, choicesFigure, rangeFigure, roundScores } from "./figures/search.ts";
import { cards, caution, command, facts, list, paragraph, plainTable, reportPage, section } from "./html.ts";
import { checksSection, checkText } from "./sections.ts";
import { element, type Markup } from "./svg.ts";

export interface SearchWords {
  /** The architecture that was searched. */
  readonly name: string;
  /** Resumes the search, or draws the page again. */
  readonly command: string;
  /** The file with the chosen recipe. */
  readonly chosen: string;
}

/** Trials whose scores by rung are drawn. */
const MOST_LINES = 5;
/** The series of those other than the best. */
const OTHERS = [0, 2, 3, 4, 5];
/** False positives among the keys: one in so many searches. */
const RARELY = 20;

/** One HTML file, and its figures as SVG files by name. The record has a score, or there is nothing to report. */
export function searchReport(
  record: SearchRecord,
  words: SearchWords,
): { readonly page: string; readonly figures: Readonly<Record<string, string>> } {
  const progress = progressOf(record);
  const way = wayFigures(record, progress);
  const keys = keyFindings(record, progress);
  const check = learnedCheck(record);
  return {
    page: reportPage(
      {
        eyebrow: `search \u00B7 ${record.method === "random" ? "at random" : "successive halving"}`,
        title: words.name,
        lead: [
          facts(progressFacts(record, progress)),
          caution(
            "Every trial has the same seed, and the best of many is partly lucky. Run its configuration on other seeds.",
          ),
        ],
      },
      checksSection({ checks: check === undefined ? [] : [check] }),
      waySection(record, way),
      mattersSection(record, keys, progress),
      trialsSection(record, progress.there[0], progress.ended ? "chosen" : "leads"),
      againSection(progress, words),
    ),
    figures: Object.fromEntries(
      [...way, ...keys].map(({ file, figure }) => [`${file}.svg`, standAloneFigure(file, figure)]),
    ),
  };
}

/** How far a search has come. */
interface Progress {
  readonly rungs: number;
  /** The last that has ended for all its trials, from 0; else the first. Trials are ranked by this one. */
  readonly rung: number;
  /** Trials with a score at it, the best first. */
  readonly there: readonly Trial[];
  readonly ended: boolean;
  /** The last rung that has a score: how many trials have one, and how many will. */
  readonly begun: { readonly rung: number; readonly asked: number; readonly due: number };
}

function progressOf({ method, space, trials }: SearchRecord): Progress {
  const rungs = method === "random" ? 1 : space.rungs;
  const asked = (rung: number) => trials.filter(({ scores }) => scores.length > rung);
  const last = Math.max(...trials.map(({ scores }) => scores.length)) - 1;
  let [due, ended] = [trials.length, -1];
  for (let rung = 0; rung <= last; rung++) {
    if (rung > 0) due = Math.min(asked(rung - 1).length, Math.max(1, Math.floor(due / space.keep)));
    const failed = trials.filter(({ scores, failure }) => scores.length === rung && failure !== undefined);
    if (asked(rung).length + failed.length >= due) ended = rung;
  }
  const rung = Math.max(0, ended);
  return {
    ...{ rungs, rung, ended: ended === rungs - 1 },
    there: asked(rung).toSorted((a, b) => scoreAt(b, rung) - scoreAt(a, rung) || a.trial - b.trial),
    begun: { rung: last, asked: asked(last).length, due },
  };
}

const scoreAt = ({ scores }: Trial, rung: number) => scores[rung].score;

const scoreNames: Record<SearchRecord["space"]["score"], string> = {
  accuracy: "mean accuracy over the tests",
  likelihood:
    "geometric mean probability of the true values relative to the exact filter, averaged over the tests",
};

function progressFacts(record: SearchRecord, { there, rung, rungs, begun, ended }: Progress) {
  const { trials, programs, seconds, space } = record;
  const best = scoreAt(there[0], rung);
  const equal = there.filter((trial) => scoreAt(trial, rung) === best).map(({ trial }) => String(trial));
  const next = there.find((trial) => scoreAt(trial, rung) < best);
  const failed = trials.filter(({ failure }) => failure !== undefined).length;
  return [
    [
      "Best",
      `${equal.length > MOST_LINES ? `${equal.length} trials` : formatList(equal)}: ${percentSign(best)}`,
    ],
    ...(next === undefined ? [] : [["Next", `${next.trial}: ${percentSign(scoreAt(next, rung))}`] as const]),
    ["Score", scoreNames[space.score]],
    [
      "Compared",
      `${there.length} of ${formatCount(trials.length, "trial")}, ${integer(there[0].scores[rung].programs)} programs each`,
    ],
    [
      "Finished",
      ended
        ? "yes"
        : `no: ${begun.asked} of ${formatCount(begun.due, "trial")} at rung ${begun.rung + 1} of ${rungs}`,
    ],
    ["All trials", `${formatCount(programs, "program")}, ${duration(seconds)} of one core`],
    ...(failed === 0 ? [] : [["Failed", String(failed)] as const]),
  ] as const;
}

interface Drawn {
  /** Its name as a file. */
  readonly file: string;
  readonly figure: Markup;
}

/** The best so far, and over several rungs the score of the best trials at each. */
function wayFigures({ trials }: SearchRecord, { there, begun: { rung } }: Progress): Drawn[] {
  const ahead = there[0].trial;
  let spent = 0;
  const asked = Array.from({ length: rung + 1 }, (_, r) =>
    trials.flatMap(({ trial, scores }) => {
      if (scores.length <= r) return [];
      spent += scores[r].programs - (scores[r - 1]?.programs ?? 0);
      return [{ trial, rung: r, spent, score: scores[r].score }];
    }),
  ).flat();
  const best = { file: "search-best", figure: bestFigure(asked, ahead) };
  if (rung === 0) return [best];
  // A trial ends its rung with the batch that fills it: the least is nearest to what all were given.
  const programs = Array.from({ length: rung + 1 }, (_, r) =>
    Math.min(...trials.flatMap(({ scores }) => scores[r]?.programs ?? [])),
  );
  const shown = ranked(trials)
    .filter(({ scores }) => scores.length > 1)
    .slice(0, MOST_LINES);
  const others = shown.map(({ trial }) => trial).filter((trial) => trial !== ahead);
  const figure = linesFigure({
    kind: "lines",
    title: "Score by rung, %",
    xLabel: "programs that a trial was trained on",
    scale: "log2",
    chance: 0,
    lines: shown.map(({ trial, scores }) => ({
      label: `trial ${trial}`,
      index: trial === ahead ? AHEAD : OTHERS[others.indexOf(trial)],
      seeds: [{ seed: trial, points: scores.map(({ score }, r) => [programs[r], score] as const) }],
    })),
  });
  return [best, { file: "search-rungs", figure }];
}

function waySection({ trials, method }: SearchRecord, way: readonly Drawn[]): Markup {
  const order = method === "random" ? "" : ", whichever ended first";
  return section(
    "Score by programs",
    cards(
      way.map(({ figure }) => figure),
      `A point is one trial at the end of a rung, in the order of rungs and numbers${order}; the square is the best trial, the line the best score so far. By rung: at most ${MOST_LINES} of ${trials.length} trials.`,
    ),
  );
}

interface KeyFinding extends Drawn {
  readonly key: string;
  readonly explained: Explained | undefined;
  readonly chance: number;
}

/** The share of the variance of the scores at the first rung that each key explains alone; the largest first. */
function keyFindings({ space: { space }, trials }: SearchRecord, { there }: Progress): KeyFinding[] {
  const asked = trials.filter(({ scores }) => scores.length > 0);
  const values = asked.map((trial) => scoreAt(trial, 0));
  const scores = roundScores(values);
  const keys = Object.entries(space);
  return keys
    .map(([key, choices]) => {
      const drawn = asked.map((trial) => trial.drawn[key]);
      const explained = isRange(choices)
        ? explainedByParabola(values, drawn.map(choices.scale === "log" ? logarithm : Number))
        : explainedByGroups(values, drawn.map(drawnInWords));
      // Bonferroni: the chance is shared among the keys.
      const chance = explained === undefined ? 0 : explainedByChance(explained, 1 / RARELY / keys.length);
      const about =
        explained === undefined
          ? "too few different trials to say what it explains"
          : `explains ${percentSign(explained.share)} of the variance; by chance up to ${percentSign(chance)}`;
      const figure = { key, about, ahead: there[0].trial, scores };
      const points = asked.map(({ trial }, i) => ({ trial, score: values[i], drawn: drawn[i] }));
      return {
        key,
        explained,
        chance,
        file: `search-${key.replaceAll(/[^\w.-]/g, "_")}`,
        figure: isRange(choices)
          ? rangeFigure(
              figure,
              choices,
              points.map((point) => ({ ...point, value: Number(point.drawn) })),
            )
          : choicesFigure(
              figure,
              choiceNames(choices).map((name) => ({
                name,
                points: points.filter((point) => drawnInWords(point.drawn) === name),
              })),
            ),
      };
    })
    .toSorted((a, b) => (b.explained?.share ?? -1) - (a.explained?.share ?? -1));
}

const logarithm = (value: unknown) => Math.log(Number(value));

const choiceNames = (choices: readonly unknown[] | Readonly<Record<string, unknown>>) =>
  Array.isArray(choices) ? [...new Set(choices.map(drawnInWords))] : Object.keys(choices);

function mattersSection(
  { trials }: SearchRecord,
  keys: readonly KeyFinding[],
  { there, rungs }: Progress,
): Markup | null {
  if (keys.length === 0) return null;
  const where = rungs === 1 ? "in the end" : "at the first rung";
  const first = there[0].scores[0].programs;
  const asked = trials.filter(({ scores }) => scores.length > 0).length;
  const share = (value: number | undefined) => (value === undefined ? "\u2013" : percentSign(value));
  return section(
    "Variance explained by each key",
    paragraph(
      `Scores of ${formatCount(asked, "trial")} ${where}, after ${integer(first)} programs. Without any influence, one of ${formatCount(keys.length, "key")} exceeds its bound in one of ${RARELY} searches, if scores are normal.`,
    ),
    plainTable({
      columns: ["key", "explains", "bound of chance", "above it"],
      rows: keys.map(({ key, explained, chance }) => [
        ...[key, share(explained?.share), share(explained === undefined ? undefined : chance)],
        explained === undefined ? "\u2013" : explained.share > chance ? "yes" : "no",
      ]),
    }),
    cards(
      keys.map(({ figure }) => figure),
      "Each point is a trial, the square the best one. Choices: mean as a bar; the share is epsilon squared. Ranges: the share is the adjusted R\u00B2 of a parabola, over the logarithm where the scale is log. Both are corrected for the numbers fitted, and cut at 0. Interactions of two keys are in neither.",
    ),
  );
}

const againSection = ({ ended }: Progress, words: SearchWords): Markup =>
  section(
    ended ? "Try it on other seeds" : "Resume",
    ended ? command(`statelab sweep ${shellWord(words.chosen)} --seed 0 --seeds 5 --out DIR`) : null,
    paragraph(ended ? "Draw this page again, or continue with more --trials:" : "The same command resumes:"),
    command(words.command),
  );

/** By the number of rungs, then by score. */
export function ranked(trials: readonly Trial[]): Trial[] {
  const last = ({ scores }: Trial) => scores.at(-1)?.score ?? -1;
  return trials.toSorted(
    (a, b) => b.scores.length - a.scores.length || last(b) - last(a) || a.trial - b.trial,
  );
}

/** Whether the best answer of any trial to any test counts as learned; undefined for scores other than accuracy. */
function learnedCheck({ space, trials }: SearchRecord): Check | undefined {
  if (space.score !== "accuracy") return undefined;
  const shares = trials.flatMap(({ scores }) => scores.flatMap(({ tests }) => Object.entries(tests)));
  const [best] = shares.toSorted(([, a], [, b]) => b - a);
  if (best === undefined) return undefined;
  const [test, share] = best;
  return {
    ...{
      name: `best accuracy of any trial in any test (${test})`,
      expected: `at least ${percentSign(LEARNED)}`,
    },
    ...{ values: [share], met: share >= LEARNED, unit: "share" },
  };
}

/** The unmet check of `learnedCheck` as text. */
export function noneLearned(record: SearchRecord): string | undefined {
  const check = learnedCheck(record);
  return check === undefined || check.met ? undefined : checkText(check);
}

/** A drawn value as text. */
export const drawnInWords = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value) ?? "");

/** `learningRate` of `train.learningRate`, where no other key ends so. */
function shortNames(keys: readonly string[]): string[] {
  const last = keys.map((key) => key.slice(key.lastIndexOf(".") + 1));
  return last.map((name, i) => (last.filter((each) => each === name).length === 1 ? name : keys[i]));
}

/** `ahead` has a score. */
function trialsSection({ trials, space }: SearchRecord, ahead: Trial, marked: "chosen" | "leads"): Markup {
  const share = (value: number | undefined) =>
    value === undefined ? "\u2013" : element("data", { value: String(value) }, percent(value));
  const whole = (count: number | undefined) => (count === undefined ? "\u2013" : integer(count));
  const keys = Object.keys(space.space);
  const tests = Object.keys(ahead.scores[0].tests);
  const name = ({ trial }: Trial) =>
    trial === ahead.trial ? element("strong", {}, `${trial} ${marked}`) : trial;
  const score = ({ scores }: Trial) => share(scores.at(-1)?.score);
  const drawn = (value: unknown) =>
    element("span", { title: drawnInWords(value) }, shortened(drawnInWords(value), 40));
  const failed = trials.filter(({ failure }) => failure !== undefined);
  return section(
    "All trials",
    paragraph(
      "Percent, at the last rung of each; only trials with equal programs can be compared. Stage: of the curriculum, in the end.",
    ),
    plainTable({
      columns: ["trial", "score", "programs", "stage", ...shortNames(keys)],
      rows: ranked(trials).map((trial) => {
        const last = trial.scores.at(-1);
        const numbers = [score(trial), whole(last?.programs), whole(last && last.stage + 1)];
        return [name(trial), ...numbers, ...keys.map((key) => drawn(trial.drawn[key]))];
      }),
    }),
    plainTable({
      columns: ["trial", "score", ...tests],
      rows: ranked(trials).map((trial) => [
        ...[name(trial), score(trial)],
        ...tests.map((test) => share(trial.scores.at(-1)?.tests[test])),
      ]),
    }),
    list(failed.map(({ trial, failure }) => `Trial ${trial} failed: ${failure}`)),
  );
}
