/**
 * @file What of the history has to be shown, and what does it cost? Closed forms against scripted policies.
 *
 *     reading    a program of T lines, m a turn: notes with stubs for all that was read, or everything
 *                longest prompt P + m c + N + 2 s T/m, shortest at m* = sqrt(2 T s / c); all prompts together
 *     edits      k files to edit, W edits remembered, or a summary of them: sum over j < k of (k - min(W, j)) / (k - j) edits
 *
 * Nothing is trained. Expected: notes hold a small part of the text at once and process several times the whole; a summary needs k edits;
 * all numbers are the closed forms', with the words of one call a turn. Refuted by a difference of more than three standard errors,
 * or where nothing is drawn of more than 5 %.
 *
 * Source: StateLM, RefactorBench (docs/agents.md); the closed forms are our own.
 */

import { rngFrom } from "../../src/core/rng.ts";
import { mean, standardError } from "../../src/core/statistics.ts";
import { bestChunk, notesPeak, notesProcessed } from "../../src/eval/agents/context/notes.ts";
import { reading } from "../../src/eval/agents/environments/document-reading.ts";
import { expectedEdits } from "../../src/eval/agents/environments/refactor.ts";
import { tokensOf } from "../../src/eval/agents/history.ts";
import { atLeast, atMost } from "../runner/checks.ts";
import type { Measurements, Measuring, PlannedWork, Scale, UnreadResult } from "../runner/define.ts";
import { crossed, defineExperiment, MOST_ERRORS } from "../runner/define.ts";
import { defineMeasurement, measuredLine } from "../runner/views.ts";
import { episodeOf } from "./shared.ts";

interface Settings {
  /** T */
  readonly lines: number;
  /** m */
  readonly chunks: readonly number[];
  /** Of the edits. */
  readonly episodes: number;
}

const settings: Record<Scale, Settings> = {
  smoke: { lines: 100, chunks: [10, 50], episodes: 6 },
  laptop: { lines: 1000, chunks: [5, 10, 20, 25, 40, 50, 100, 200, 500], episodes: 400 },
  paper: { lines: 1000, chunks: [5, 10, 20, 25, 40, 50, 100, 200, 500], episodes: 4000 },
};

const models = {
  notes: { label: "notes", summary: "the last turn, the last note, stubs of everything before" },
  full: { label: "full", summary: "all turns" },
  window: { label: "window", summary: "the last W turns" },
  summary: { label: "summary", summary: "the last turn, and every different call before it once" },
};

const context = defineMeasurement({
  id: "context",
  label: "reading a long program, tokens",
  at: { chunk: "lines a turn" },
  values: {
    peak: "longest prompt",
    predictedPeak: "by the closed form",
    processed: "all prompts",
    predictedProcessed: "by the closed form",
    times: "times the whole text",
    right: "answer right",
  },
});

const edits = defineMeasurement({
  id: "edits",
  label: "edits of eight files",
  at: { remembered: "edits remembered" },
  values: {
    edits: "edits",
    standardError: "standard error",
    predicted: "by the closed form",
    peak: "longest prompt",
    processed: "all prompts",
  },
});

const stub = "Content has been deleted to save space.";
const note = "# note: a=1, b=0, c=2";
const tokens = 10; // of a line: "a, b = b, a", quoted, with a comma

/** All turns shown: before turn j the task, and j replies and what they gave. */
const fullPrompt = (prompt: number, turn: number, chunk: number) =>
  prompt + turn * (tokensOf(note) + tokensOf(`read(${chunk})`) + chunk * tokens + 1);

async function* readings({ lines, chunks }: Settings, seed: number): Measuring {
  const rows: Measurements[number][] = [];
  for (const [i, chunk] of chunks.entries()) {
    for (const view of ["notes", "full"] as const) {
      yield { done: i, of: chunks.length };
      const entries = { reading: { lines }, noting: { chunk }, notes: { keep: "last" } };
      const order = { world: "reading", policy: "noting", view, seed, index: 0 };
      const { end } = await episodeOf({ ...order, settings: entries });
      const prompt = tokensOf(reading.task(reading.draw({ values: 3, lines }, rngFrom(seed))));
      const form = { lines, tokens, chunk, prompt, notes: tokensOf(note), stub: tokensOf(stub) };
      const turns = lines / chunk;
      // Added to the closed form: a reply also contains the note and a call, and a list has one bracket more than commas.
      const words = form.notes + tokensOf(`read(${chunk})`) + 1;
      const all = Array.from({ length: turns + 1 }, (_, turn) => fullPrompt(prompt, turn, chunk));
      const predicted =
        view === "notes"
          ? {
              predictedPeak: notesPeak(form) + words - 2 * form.stub,
              predictedProcessed: notesProcessed(form, 1) + prompt + turns * words,
            }
          : { predictedPeak: all[turns], predictedProcessed: all.reduce((sum, each) => sum + each, 0) };
      const { peak, processed } = end.tokens;
      const values = { peak, processed, ...predicted, times: processed / (prompt + lines * tokens) };
      rows.push(context.row({ model: view, at: { chunk }, values: { ...values, right: end.score.share } }));
    }
  }
  return rows;
}

const files = 8;
const arms = [
  ...[0, 2, 4, 7].map((remembered) => ({ view: "window" as const, remembered })),
  { view: "full" as const, remembered: 7 },
  { view: "summary" as const, remembered: 7 },
];

async function* editing({ episodes }: Settings, seed: number): Measuring {
  const rows: Measurements[number][] = [];
  for (const [i, { view, remembered }] of arms.entries()) {
    const ends = [];
    for (let index = 0; index < episodes; index++) {
      if (index % 20 === 0) yield { done: i * episodes + index, of: arms.length * episodes };
      const entries = { forgetful: { window: 7 }, window: { turns: remembered } };
      const { end } = await episodeOf({
        ...{ world: "refactor", policy: "forgetful", view, settings: entries, seed, index },
      });
      ends.push(end);
    }
    const made = ends.map(({ score }) => score.edits);
    rows.push(
      edits.row({
        model: view,
        at: { remembered },
        values: {
          ...{ edits: mean(made), standardError: standardError(made) },
          predicted: expectedEdits(files, remembered),
          peak: mean(ends.map(({ tokens: each }) => each.peak)),
          processed: mean(ends.map(({ tokens: each }) => each.processed)),
        },
      }),
    );
  }
  return rows;
}

const works = { reading: readings, edits: editing } as const;
type WorkName = keyof typeof works;

const notesAt = (result: UnreadResult) =>
  context.of(result, { model: "notes" }).toSorted((a, b) => a.values.peak - b.values.peak);

export const contextViews = defineExperiment<Settings>({
  name: "context-views",
  question:
    "An agent need not be shown all that has happened. What is held at once then, and what is processed in all?",
  about: "what does it cost to show less of the history (trains nothing)",
  publishedIn: "our own",
  models,
  settings,
  published: [
    {
      source: "by arithmetic: m* = sqrt(2 T s / c)",
      statement:
        "The longest prompt is shortest where 40 lines are read a turn (1,000 lines of 10 tokens, stubs of 8)",
      published: bestChunk({ ...{ lines: 1000, tokens, prompt: 0, notes: 0 }, stub: tokensOf(stub) }),
      here: "of the lines a turn that were tried the one with the shortest longest prompt",
      unit: "number",
      measure: (result) =>
        result.seeds.map((seed) => {
          const [best] = notesAt(result).filter((row) => row.seed === seed);
          return Number(best?.at.chunk ?? 0);
        }),
    },
    ...arms.map(({ view, remembered }) => ({
      source: "by arithmetic",
      statement: `Edits of eight files, ${models[view].label}, ${remembered} edits remembered`,
      published: expectedEdits(files, remembered),
      unit: "number" as const,
      measure: (result: UnreadResult) =>
        edits.of(result, { model: view, at: { remembered } }).map(({ values }) => values.edits),
      measureErrors: (result: UnreadResult) =>
        edits.of(result, { model: view, at: { remembered } }).map(({ values }) => values.standardError),
    })),
  ],
  measurements: [context, edits],
  measureWork: ({ setting, seed, options }: PlannedWork) =>
    works[setting as WorkName](options as unknown as Settings, seed), // from `plan` below

  plan: (options, seeds) => ({
    runs: [],
    work: crossed(seeds, Object.keys(works)).map(([seed, setting]) => ({
      ...{ setting, model: "notes", seed },
      options: { ...options },
    })),
  }),

  checks: (result) => [
    ...(["notes", "full"] as const).flatMap((model) => {
      const rows = context.of(result, { model }).map(({ values }) => values);
      const off = rows.map(({ peak, predictedPeak, processed, predictedProcessed }) =>
        Math.max(Math.abs(peak / predictedPeak - 1), Math.abs(processed / predictedProcessed - 1)),
      );
      return [
        ...atMost(`${models[model].label}: tokens off the closed form`, off, 0.05),
        ...atLeast(
          `${models[model].label}: answers that are right`,
          rows.map(({ right }) => right),
          1,
        ),
      ];
    }),
    ...arms.flatMap(({ view, remembered }) =>
      atMost(
        `${models[view].label}, ${remembered} remembered: standard errors of the edits from the closed form`,
        edits
          .of(result, { model: view, at: { remembered } })
          .map(({ values }) => Math.abs(values.edits - values.predicted) / (values.standardError || 1e-9)),
        MOST_ERRORS,
        "number",
      ),
    ),
  ],

  report: (result) => ({
    lead: "Numbers of the views, whatever the model: a model adds its own errors.",
    views: [
      {
        heading: "Longest prompt and all prompts",
        text: "The longer the parts that are read at once, the longer the longest prompt, but the fewer stubs stand in it, and the fewer prompts there are.",
        caption:
          "Tokens. The closed forms stand in the table below: with the words of one call a turn they are the same.",
        figures: [
          {
            kind: "numbers",
            title: "Longest prompt",
            yLabel: "tokens",
            xLabel: "lines a turn",
            lines: (["notes", "full"] as const).map((model, index) => ({
              ...{ label: models[model].label, index },
              seeds: measuredLine(context.of(result, { model }), "chunk", "peak"),
            })),
          },
        ],
      },
    ],
  }),
});
