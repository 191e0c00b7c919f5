/**
 * @file A memory that is kept at the end of every segment: does it answer questions about the moments at which it was kept, and fewer between?
 *
 *     a = 3   b = 4   c = 1   d = 5   e = 2            20 tokens
 *     1: c, e = e, c     2: a, b = b, a     ...        10 tokens a line, so that segments of 40 end after the lines 2, 6 and 10,
 *     at 6 c 2           what c held after line 6      and those of 60 after the lines 4 and 10
 *
 * DeltaNet [-1,1], alone and with its memories cached (src/models/cached.ts, gated, going on from segment to segment): two layers of width 64 with
 * short convolutions, which learn to tell the present first and then any line, a stage each. Twelve lines, and one question about each of
 * them, 0 being the values at first. Swaps can be undone: a model that knows the present and all lines since knows the past, too.
 *
 *     height   of line L: the share that is right of it, less the mean of the lines before and after it
 *     tooth    in every seed a height of more than three standard errors
 *
 * Expected: where a segment ends, a tooth, which is in other places with segments of another length; none without a cache. Our own
 * question, after arXiv:2602.24281, which caches memories to recall more, and asks nothing of this kind.
 */

import { mean } from "../../src/core/statistics.ts";
import type { ResultRow } from "../../src/schemas/experiment-result.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import { above, atLeast, atMost, notLearned } from "../runner/checks.ts";
import type { Scale, UnreadResult } from "../runner/define.ts";
import { crossed, defineExperiment, learned, MOST_ERRORS } from "../runner/define.ts";
import { lines, measurementRows, readAccuracy } from "../runner/views.ts";

interface Setup {
  readonly model: object;
  readonly train: { readonly steps: number } & object;
  /** Lines of each stage that asks for the present, before one of as many as there are when the past is asked for. */
  readonly stages: readonly number[];
  /** Drawn for each text, at most. */
  readonly questions: number;
  readonly programs: number;
}

const settings: Record<Scale, Setup> = {
  smoke: {
    model: { layers: 1, width: 16 },
    train: { ...{ batch: 8, warmupSteps: 2 }, steps: 8 },
    stages: [1],
    questions: 3,
    programs: 20,
  },
  laptop: {
    model: { layers: 2, width: 64 },
    train: {
      ...{ batch: 32, warmupSteps: 50, schedule: "wsd", decaySteps: 400, finalShare: 0.05 },
      steps: 5000,
    },
    stages: [1, 2, 4, 8],
    questions: 12,
    programs: 1000,
  },
  paper: {
    model: { layers: 2, width: 128 },
    train: {
      ...{ batch: 64, warmupSteps: 100, schedule: "wsd", decaySteps: 3000, finalShare: 0.05 },
      steps: 30_000,
    },
    stages: [1, 2, 4, 8],
    questions: 12,
    programs: 2000,
  },
};

const [VARIABLES, LINES] = [5, 12];
/** Tokens of the values at first, `a = 3` and the end of the line, and of a line of the program, `1: c, e = e, c`. */
const [FIRST, LINE] = [4 * VARIABLES, 10];

const base = { heads: 4, betaMax: 2, convolution: 4 };
const cachedBy = (segment: number) => ({
  ...{ name: "cached", base: "deltanet", segment, mode: "gated", writing: "checkpoint", longest: 512 },
  ...base,
});
const models = {
  deltanet: { label: "DeltaNet [-1,1]", summary: "the present memory alone" },
  "cached-40": { label: "segments of 40", summary: "cached: and those behind the lines 2, 6 and 10" },
  "cached-60": { label: "segments of 60", summary: "cached: and those behind the lines 4 and 10" },
} as const;
type Name = keyof typeof models;
const names = Object.keys(models) as Name[];
const segments: Readonly<Record<Name, number | undefined>> = {
  deltanet: undefined,
  "cached-40": 40,
  "cached-60": 60,
};
const mixerOf = (name: Name) => {
  const segment = segments[name];
  return segment === undefined ? { name: "deltanet", ...base } : cachedBy(segment);
};
const LEARNING_RATE = 5e-3;

/** The lines with a line before (line 0: the first values) and a line after. */
const between = Array.from({ length: LINES - 1 }, (_, i) => i + 1);

/** The lines at whose end a segment ends, without the last line, which is the present. */
export const segmentEnds = (segment: number | undefined) =>
  segment === undefined ? [] : between.filter((line) => (FIRST + LINE * line) % segment === 0);
const testName = (line: number) => `line ${line}`;

/** Share of right answers about a line, of one seed. */
function shareAt(result: UnreadResult, model: Name, seed: number, line: number): number {
  const [row] = measurementRows(result, { model, seed, test: testName(line) });
  return row === undefined ? Number.NaN : readAccuracy(row);
}

interface Height {
  readonly height: number;
  readonly standardError: number;
}

/** Accuracy of a line less the mean of its two neighbours, one a seed. */
export function readHeights(result: UnreadResult, model: Name, line: number, programs: number): Height[] {
  const seeds = [...new Set(measurementRows(result, { model }).map(({ seed }) => seed))];
  return seeds.map((seed) => {
    const [before, own, behind] = [line - 1, line, line + 1].map((at) => shareAt(result, model, seed, at));
    const variance = (share: number) => (share * (1 - share)) / programs;
    return {
      height: own - mean([before, behind]),
      standardError: Math.sqrt(variance(own) + (variance(before) + variance(behind)) / 4),
    };
  });
}

const isTooth = (heights: readonly Height[]) =>
  heights.length > 0 && heights.every(({ height, standardError }) => height > MOST_ERRORS * standardError);
/** Where a segment of any of the models ends. */
const endsOfAny = between.filter((line) => names.some((name) => segmentEnds(segments[name]).includes(line)));

export const cachingSawtooth = defineExperiment<Setup>({
  name: "caching-sawtooth",
  question: "Does a model that caches its memories at the ends of segments know the past best there?",
  about: "questions about the past, by where segments end",
  publishedIn: "own question",
  models,
  settings,
  published: names.flatMap((name) =>
    (segmentEnds(segments[name]).length > 0 ? segmentEnds(segments[name]) : endsOfAny).map((line) => ({
      source: "own expectation",
      statement: `${segmentEnds(segments[name]).includes(line) ? "A segment ends" : "No segment ends"} at line ${line}: ${models[name].label}`,
      models: [name],
      here: "points above the mean of the lines beside it",
      unit: "number" as const,
      measure: (result: UnreadResult, { programs }: Setup) =>
        readHeights(result, name, line, programs).map(({ height }) => 100 * height),
    })),
  ),

  plan(setup, seeds) {
    const { model, train, stages, questions, programs } = setup;
    const drawn = [1, questions];
    const last = { commands: LINES, distance: [0, LINES], questions: drawn };
    const own = [
      ...[...stages, LINES].map((commands) => ({ commands, distance: 0, questions: drawn })),
      last,
    ];
    return {
      runs: crossed(seeds, names).map(([seed, name]) => ({
        setting: "",
        model: name,
        config: RunConfig.parse({
          seed,
          task: { name: "time-travel", variables: VARIABLES, named: "at", numbers: 40, ...last },
          model: { ...mixerOf(name), ...model },
          train: { ...train, learningRate: LEARNING_RATE },
          curriculum: {
            stages: own.map((stage) => [stage]),
            memory: 100,
            maximumSteps: Math.ceil(train.steps / own.length),
          },
          evaluate: { programs },
        }),
        tests: [0, ...between, LINES].map((line) => ({
          name: testName(line),
          change: { distance: LINES - line, questions: 1 },
          asTrained: true,
          chance: 1 / VARIABLES,
        })),
      })),
      sample: { commands: 6, distance: [0, 6], questions: 2 },
    };
  },

  checks(result, { programs }) {
    const not = notLearned(result, names);
    return names
      .filter((name) => !not.includes(name))
      .flatMap((name) => {
        const { label } = models[name];
        const ends = segmentEnds(segments[name]);
        const errors = (line: number) =>
          readHeights(result, name, line, programs).map(
            ({ height, standardError }) => height / (standardError || 1 / programs),
          );
        const others = between.filter((line) => !ends.includes(line));
        const teeth = others.filter((line) => isTooth(readHeights(result, name, line, programs)));
        const seeds = [...new Set(measurementRows(result, { model: name }).map(({ seed }) => seed))];
        return [
          ...atLeast(
            `${label}: all lines, as trained`,
            seeds.map((seed) => mean(measurementRows(result, { model: name, seed }).map(readAccuracy))),
            learned.least,
          ),
          ...ends.flatMap((line) =>
            above(
              `${label}: standard errors of line ${line}, the end of a segment, above its neighbours`,
              errors(line),
              MOST_ERRORS,
              "number",
            ),
          ),
          ...atMost(
            `${label}: lines above their neighbours where no segment ends`,
            seeds.length === 0 ? [] : [teeth.length],
            0,
            "number",
          ),
        ];
      });
  },

  report: (result, setup) => ({
    views: [
      {
        heading: "The past, line by line",
        text: `Fresh texts of ${LINES} lines and one question each, ${setup.programs} for each line; line ${LINES} is the present, line 0 the values at first. Segments of 40 tokens end behind the lines 2, 6 and 10, those of 60 behind the lines 4 and 10.`,
        caption: "Percent of answers that are right. Thin lines: seeds.",
        figures: [
          lines(result, {
            title: "what a variable held after a line",
            xLabel: "line",
            scale: "linear",
            chance: 1 / VARIABLES,
            setting: "",
            points: (rows: readonly ResultRow[]) =>
              rows
                .map((row) => [LINES - Number(row.tested.change.distance), readAccuracy(row)] as const)
                .toSorted(([a], [b]) => a - b),
            reference: "now",
            referenceLabel: "knows the present alone",
          }),
        ],
      },
    ],
  }),
});
