/**
 * @file The page of `sweep --search`: which recipe was found, how the search came to it, what mattered, and every trial.
 *
 *     lstm: trial 7 scores most of the 6 of 18 trials that came to the end, 99.1 %.
 *
 * A search that was interrupted has the same page, which says how far it came.
 */

import { type Explained, explainedByChance, explainedByGroups, explainedByParabola } from "../core/explained-variance.ts";
import { counted, duration, integer, listed, percentSign, shellWord } from "../core/format.ts";
import { isRange, type SearchRecord, type Trial } from "../schemas/search-space.ts";
import { linesFigure } from "./figures/lines.ts";
import { AHEAD, bestFigure, choicesFigure, rangeFigure, roundScores } from "./figures/search.ts";
import { page, section } from "./html.ts";
import { drawnInWords, noneLearned, ranked, trialsSection } from "./search-trials.ts";
import { element, type Markup } from "./svg.ts";
import { standAloneFigure } from "./svg-export.ts";

export interface SearchWords {
  /** Of the architectures that were searched. */
  readonly name: string;
  /** What goes on with the search, and draws the page again. */
  readonly command: string;
  /** Where the choice is, as a file of its own. */
  readonly chosen: string;
}

/** Trials whose way over the rungs is drawn. */
const MOST_LINES = 5;
/** Their series beside that of the trial that is ahead. */
const OTHERS = [0, 2, 3, 4, 5];
/** Something that does not matter stands out in one of so many searches. */
const RARELY = 20;

/** One HTML file, and its figures as SVG files by name. The record has a score, or there is nothing to report. */
export function searchReport(
  record: SearchRecord,
  words: SearchWords,
): { readonly page: string; readonly figures: Readonly<Record<string, string>> } {
  const progress = progressOf(record);
  const title = titleOf(record, progress, words.name);
  const lead = leadOf(record, progress);
  const way = wayFigures(record, progress);
  const keys = keyFindings(record, progress);
  const body = element(
    "main",
    {},
    element(
      "header",
      {},
      element(
        "p",
        { class: "eyebrow" },
        `Statelab \u00B7 search \u00B7 ${record.method === "random" ? "at random" : "successive halving"}`,
      ),
      element("h1", {}, `${title}.`),
      element("p", { class: "lead" }, lead),
      element(
        "p",
        { class: "caution" },
        "Every trial has the same one seed, and the best of many is partly lucky: what the recipe is worth, other seeds say.",
      ),
    ),
    waySection(record, way),
    mattersSection(record, keys, progress),
    trialsSection(record, progress.there[0], progress.ended ? "chosen" : "leads"),
    againSection(progress, words),
  );
  return {
    page: page({ title: `${title} \u00B7 Statelab`, description: lead, body: [body] }),
    figures: Object.fromEntries(
      [...way, ...keys].map(({ file, figure }) => [`${file}.svg`, standAloneFigure(file, figure)]),
    ),
  };
}

/** How far a search has come. */
interface Progress {
  readonly rungs: number;
  /** The last that has ended for all its trials, from 0; the first where none has. Who is ahead is said of this one. */
  readonly rung: number;
  /** Who has a score at it, the best first. */
  readonly there: readonly Trial[];
  readonly ended: boolean;
  /** The last rung that has a score, with how many and of how many that are due. */
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

function titleOf({ trials }: SearchRecord, { there, rung, ended }: Progress, name: string): string {
  const score = scoreAt(there[0], rung);
  const equal = there.filter((trial) => scoreAt(trial, rung) === score).map(({ trial }) => `${trial}`);
  const all = equal.length > MOST_LINES ? `${equal.length} trials` : `trials ${listed(equal)}`;
  const who = equal.length === 1 ? `trial ${equal[0]}` : all;
  const does = (one: string, many: string) => (equal.length === 1 ? one : many);
  const reached = percentSign(score);
  if (!ended) {
    const programs = integer(there[0].scores[rung].programs);
    return `${name}: ${who} ${does("leads", "lead")} after ${programs} programs each, ${reached}`;
  }
  if (there.length === trials.length)
    return `${name}: ${who} ${does("scores", "score")} most of ${counted(trials.length, "trial")}, ${reached}`;
  if (there.length === 1)
    return `${name}: ${who}, alone of ${trials.length} trained to the end, scores ${reached}`;
  return `${name}: ${who} ${does("scores", "score")} most of the ${there.length} of ${trials.length} trials that came to the end, ${reached}`;
}

const measured: Record<SearchRecord["space"]["score"], string> = {
  accuracy: "the mean accuracy",
  likelihood:
    "what is given to the true values beside what the exact filter gives them (the geometric mean), averaged",
};

function leadOf(record: SearchRecord, { there, rung, rungs, begun, ended }: Progress): string {
  const { trials, programs, seconds, space } = record;
  const tests = Object.keys(there[0].scores[rung].tests).length;
  const failed = trials.filter(({ failure }) => failure !== undefined).length;
  const best = scoreAt(there[0], rung);
  const next = there.find((trial) => scoreAt(trial, rung) < best);
  const unlearned = noneLearned(record);
  return [
    ...(ended
      ? []
      : [
          `The search is not finished: ${begun.asked} of ${counted(begun.due, "trial")} came through rung ${begun.rung + 1} of ${rungs}.`,
        ]),
    ...(unlearned === undefined ? [] : [unlearned]),
    `The score is ${measured[space.score]} over ${counted(tests, "test")}.`,
    ...(next === undefined ? [] : [`Next is trial ${next.trial} with ${percentSign(scoreAt(next, rung))}.`]),
    `${counted(trials.length, "trial")} together: ${counted(programs, "program")}, ${duration(seconds)} of one core.`,
    ...(failed === 0 ? [] : [`${counted(failed, "trial")} failed.`]),
  ].join(" ");
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
  const caption = [
    `A point is one trial at the end of a rung, in the order of rungs and numbers${method === "random" ? "" : ", whichever ended first"}; the square is the trial that is ahead. The line is the best score of all so far.`,
    ...(way.length === 1
      ? []
      : [`By rung: the best of those that came farthest, at most ${MOST_LINES} of ${trials.length} trials.`]),
  ].join(" ");
  return section("How it was found", figureOf(way, caption));
}

const figureOf = (drawn: readonly Drawn[], caption: string) =>
  element(
    "figure",
    {},
    element(
      "div",
      { class: "grid" },
      drawn.map(({ figure }) => element("div", { class: "card" }, figure)),
    ),
    element("figcaption", {}, caption),
  );

interface KeyFinding extends Drawn {
  readonly key: string;
  readonly explained: Explained | undefined;
  readonly chance: number;
}

/** What each key alone explains of the scores at the first rung; the most first. */
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
      // Shared among the keys: that any of them stands out by chance is as rare.
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
  const out = keys.filter(({ explained, chance }) => explained !== undefined && explained.share > chance);
  const heading =
    out.length === 0
      ? `What mattered ${where}: nothing stands out from chance`
      : `What mattered ${where}: ${listed(out.map(({ key, explained }) => `${key} ${percentSign(explained!.share)}`))}`; // filtered
  const first = there[0].scores[0].programs;
  const asked = trials.filter(({ scores }) => scores.length > 0).length;
  return section(
    heading,
    element(
      "p",
      {},
      `Scores ${where}, where all trials were asked after the same ${integer(first)} programs, up to a batch, and how much of their variance each key alone explains. Over ${counted(asked, "trial")} that is a rough number: of ${counted(keys.length, "key")} without any influence one comes above its bound, \u201Cby chance up to\u201D, in one of ${RARELY} searches, if scores are normal.`,
    ),
    figureOf(
      keys,
      "Each point is a trial, the square the one that is ahead. Choices: mean as a bar; the share is epsilon squared. Ranges: the share is the adjusted R\u00B2 of a parabola, over the logarithm where the scale is log. Both are corrected for the numbers fitted, and cut at 0. What two keys do only together is in neither.",
    ),
  );
}

function againSection({ ended }: Progress, { command, chosen }: SearchWords): Markup {
  const shown = (line: string) => element("pre", { class: "command" }, element("code", {}, line));
  return section(
    ended ? "Try it on other seeds" : "Go on",
    ended ? shown(`statelab sweep ${shellWord(chosen)} --seed 0 --seeds 5 --out DIR`) : null,
    element(
      "p",
      {},
      ended
        ? "With more --trials the search goes on; as it is, this page is drawn again:"
        : "The same command goes on where it was:",
    ),
    shown(command),
  );
}
