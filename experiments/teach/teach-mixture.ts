/**
 * @file What is drawn: does a mixture of objectives teach look-up better than the next token alone, and how little replay keeps what was learned?
 *
 *     look-up      a phone book of three names; scored: right numbers, and tokens until 95 % of them are right; all arms see as many tokens
 *                  next token | next token and selective copy | next token, copy, selective copy, infilling: uniform, bandit, birdie |
 *                  the question itself (reveals): the upper reference
 *     forgetting   a GRU learns words of Z_2, then of Z_3, then of S_3, with 0, 5 or 20 % of old programs
 *
 * Predicted before the run. Look-up: a mixture beats the next token alone, since one answer in sixteen words is little of a text's loss;
 * the bandit and birdie are not apart from uniform, as ten windows are few; the question itself is best. Refuted if the uniform mixture
 * is below the next token alone, or needs more tokens to 95 %. Forgetting: without replay Z_2 and Z_3 are lost (over 30 points), with 5 % under 5 points.
 * Source: Birdie, Blouir et al. 2024 (repository samblouir/birdie); replay at random, the baseline of continual learning.
 */

import { z } from "zod";
import { distinct } from "../../src/core/rng.ts";
import { mean } from "../../src/core/statistics.ts";
import { LEARNED } from "../../src/schemas/convergence.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import { defineTask, type Task } from "../../src/tasks/task.ts";
import {
  about,
  architectures,
  check,
  crossed,
  defineExperiment,
  defineMeasurement,
  described,
  haveLearned,
  type Measurements,
  type Measuring,
  type PlannedWork,
  type Scale,
  SLIGHT,
  type UnreadResult,
} from "../runner/index.ts";
import { openLesson } from "./shared.ts";

const GROUPS = ["Z_2", "Z_3", "S_3"] as const;

interface ForgettingSettings {
  readonly model: object;
  /** Of each stage, at most. */
  readonly steps: number;
  readonly batch: number;
  readonly learningRate: number;
  /** Of old programs; 0 is none. */
  readonly replays: readonly number[];
  readonly programs: number;
}

const rightOnGroup = defineMeasurement({
  id: "rightOnGroup",
  label: "accuracy on each group",
  at: { replay: "share of old programs", group: "group" },
  values: { learned: "when its stage ended", end: "at the end" },
});

function forgettingConfig(setup: ForgettingSettings, replay: number, seed: number): RunConfig {
  const { model, steps, batch, learningRate } = setup;
  const parts = [{ weight: 1 - replay }, ...(replay > 0 ? [{ weight: replay, replay: true }] : [])];
  return RunConfig.parse({
    seed,
    task: { name: "group-words", vocabulary: GROUPS, length: [2, 8] },
    model: { name: "gru", ...model },
    train: { steps: GROUPS.length * steps, batch, learningRate },
    curriculum: {
      stages: GROUPS.map((group) => [{ group }]),
      ...{ threshold: 0.98, averagingWindow: 2000, maxStepsPerStage: steps },
    },
    data: { mixture: { parts } },
  });
}

async function* measureForgetting({ seed, options }: PlannedWork): Measuring {
  const setup = options.forgetting as ForgettingSettings; // from the plan
  const { replays, programs, steps } = setup;
  const most = GROUPS.length * steps;
  const rows: Measurements[number][] = [];
  for (const [i, replay] of replays.entries()) {
    const lesson = openLesson(forgettingConfig(setup, replay, seed));
    const right = async (group: string) => (await lesson.ask({ group }, programs)).accuracy;
    try {
      const learned: number[] = [];
      let last = 0;
      for await (const { step } of lesson.steps()) {
        yield { done: i * most + step, of: replays.length * most };
        const { stage, stepsInStage } = lesson.trainer.state().progress;
        if (stage > last) learned.push(await right(GROUPS[last]));
        last = stage;
        // The last stage ends as the others do, though no stage follows.
        if (stage === GROUPS.length - 1 && stepsInStage >= steps) break;
      }
      learned.push(await right(GROUPS[last]));
      for (const [j, group] of GROUPS.slice(0, learned.length).entries())
        rows.push(
          rightOnGroup.row({
            model: "gru",
            at: { replay, group },
            values: { learned: learned[j], end: await right(group) },
          }),
        );
    } finally {
      await lesson.release();
    }
  }
  return rows;
}

const PhoneBookParams = z.strictObject({
  /** Lines of the book. */
  entries: z.int().min(1).default(8),
  /** How many names and numbers are words. */
  names: z.int().min(1).default(16),
  numbers: z.int().min(2).default(8),
});
type PhoneBookParams = z.infer<typeof PhoneBookParams>;

export const phoneBook = defineTask<PhoneBookParams>({
  name: "phone-book",
  summary: "names with their numbers, then a name, whose number is the answer",
  source: "the phone-book look-up of Jelassi et al. 2024, arXiv:2402.01032, reworded",
  params: PhoneBookParams,
  prepare({ entries, names, numbers }) {
    const values = Array.from({ length: numbers }, (_, i) => `${i}`);
    const [firstNumber, newline, question] = [names, names + numbers, names + numbers + 1];
    return {
      words: [...Array.from({ length: names }, (_, i) => `n${i} `), ...values, "\n", "? "],
      variables: ["number"],
      values,
      maximumWords: 3 * entries + 4,
      maximumStates: 1,
      write(rng, sink) {
        const listed = distinct(rng, entries, names);
        const own = listed.map(() => rng.below(numbers));
        for (const [i, name] of listed.entries()) {
          sink.word(name);
          sink.word(firstNumber + own[i]);
          sink.word(newline);
        }
        const asked = rng.below(entries);
        sink.state([own[asked]]);
        sink.word(question);
        sink.word(listed[asked]);
        sink.reveal(0, own[asked]);
        sink.word(firstNumber + own[asked]);
        sink.word(newline);
      },
      references: { exactBayes: ({ reveals }) => reveals.map(() => 1) },
    };
  },
});

interface Settings {
  readonly model: object;
  readonly compared: readonly Compared[];
  readonly entries: number;
  readonly batch: number;
  /** Of every arm. */
  readonly tokens: number;
  readonly every: number;
  /** Tokens after which it is asked, again and again until it has learned. */
  readonly asked: number;
  readonly learningRate: number;
  readonly programs: number;
  readonly forgetting: ForgettingSettings;
}

const both = ["deltanet[-1,1]", "transformer+convolution"] as const;
type Compared = (typeof both)[number];

const settings: Record<Scale, Settings> = {
  smoke: {
    model: { layers: 1, width: 16 },
    compared: ["deltanet[-1,1]"],
    ...{ entries: 3, batch: 8, tokens: 600, every: 2, asked: 300, learningRate: 5e-3, programs: 20 },
    forgetting: {
      model: { layers: 1, width: 8 },
      ...{ steps: 2, batch: 8, learningRate: 5e-3, replays: [0, 0.2], programs: 20 },
    },
  },
  laptop: {
    model: { layers: 2, width: 64 },
    compared: both,
    ...{
      entries: 3,
      batch: 16,
      tokens: 600_000,
      every: 64,
      asked: 25_000,
      learningRate: 3e-3,
      programs: 300,
    },
    forgetting: {
      model: { layers: 1, width: 32 },
      ...{ steps: 400, batch: 24, learningRate: 5e-3, replays: [0, 0.05, 0.2], programs: 200 },
    },
  },
  paper: {
    model: { layers: 4, width: 256 },
    compared: both,
    ...{
      entries: 64,
      batch: 64,
      tokens: 100_000_000,
      every: 512,
      asked: 1_000_000,
      learningRate: 1e-3,
      programs: 1000,
    },
    forgetting: {
      model: { layers: 1, width: 256 },
      ...{ steps: 10_000, batch: 64, learningRate: 1e-3, replays: [0, 0.05, 0.2], programs: 1000 },
    },
  },
};

const four = ["next-token", "copy", "selective-copy", "infill"].map((objective) => ({ objective }));
const arms = {
  "next-token": { label: "next token", mixture: { parts: four.slice(0, 1) } },
  "with-selective-copy": { label: "with selective copy", mixture: { parts: [four[0], four[2]] } },
  uniform: { label: "uniform", mixture: { parts: four, sampler: "uniform" } },
  bandit: { label: "bandit", mixture: { parts: four, sampler: "bandit" } },
  birdie: { label: "birdie", mixture: { parts: four, sampler: "birdie" } },
  reveals: { label: "the question itself", mixture: { parts: [{}] } },
} as const;
type Arm = keyof typeof arms;
const names = Object.keys(arms) as Arm[]; // its own keys

const rightNumbers = defineMeasurement({
  id: "rightNumbers",
  label: "right numbers",
  at: { arm: "what is drawn" },
  values: { accuracy: "right", steps: "steps", learned: "tokens to 95 %" },
});

function configOf(setup: Settings, model: Compared, arm: Arm, seed: number): RunConfig {
  const { entries, batch, every, learningRate } = setup;
  // Steps are more than the tokens allow; by them only birdie's exploration falls.
  const steps = Math.ceil(setup.tokens / (batch * (3 * entries + 3)));
  return RunConfig.parse({
    seed,
    task: { name: "phone-book", entries, names: 2 * entries },
    model: { ...architectures[model].model(2), ...setup.model },
    train: { steps, batch, learningRate, padding: "longest" },
    data: { mixture: { window: every, examples: 32, ...arms[arm].mixture } },
  });
}

async function* measureWork(work: PlannedWork): Measuring {
  if (work.setting === "forgetting") return yield* measureForgetting(work);
  const setup = work.options.setup as Settings; // from `plan` below
  const rows: Measurements[number][] = [];
  for (const [i, arm] of names.entries()) {
    const model = work.model as Compared;
    const lesson = openLesson(configOf(setup, model, arm, work.seed), { task: phoneBook as Task });
    try {
      let tokens = 0;
      let steps = 0;
      let learned: number | undefined;
      const right = async () => (await lesson.ask({}, setup.programs)).accuracy;
      for await (const record of lesson.steps()) {
        const before = tokens;
        tokens += record.tokens;
        steps = record.step;
        yield { done: i * setup.tokens + tokens, of: names.length * setup.tokens };
        const due = Math.floor(tokens / setup.asked) > Math.floor(before / setup.asked);
        if (learned === undefined && due && (await right()) >= LEARNED) learned = tokens;
        if (tokens >= setup.tokens) break;
      }
      const values = { accuracy: await right(), steps, ...(learned !== undefined && { learned }) };
      rows.push(rightNumbers.row({ at: { arm }, values }));
    } finally {
      await lesson.release();
    }
  }
  return rows;
}

const rightOf = (result: UnreadResult, model: string, arm: Arm) =>
  rightNumbers.of(result, { model, at: { arm } }).map(({ values }) => values.accuracy);

/** By seed in which both have learned look-up. */
const more = (result: UnreadResult, model: string, arm: Arm, than: Arm, least = LEARNED) => {
  const theirs = rightOf(result, model, than);
  return rightOf(result, model, arm).flatMap((own, i) =>
    own >= least && theirs[i] >= least ? [own - theirs[i]] : [],
  );
};

/** A model by what it is taught with: one training a seed. */
const trainingOf = (model: string, arm: Arm) => `${model}, ${arm}`;

/** By seed in which both came to 95 %: tokens by an arm, as a share of those by another. */
const slower = (result: UnreadResult, model: string, arm: Arm, than: Arm) =>
  rightNumbers.of(result, { model, at: { arm } }).flatMap(({ seed, values: { learned } }) => {
    const [other] = rightNumbers.of(result, { model, at: { arm: than }, seed });
    return learned === undefined || other?.values.learned === undefined
      ? []
      : [learned / other.values.learned];
  });

/** Of the groups before the last that were learned, the mean, by seed. */
function forgotten(result: UnreadResult, replay: number): number[] {
  return result.seeds.flatMap((seed) => {
    const old = rightOnGroup
      .of(result, { seed, at: { replay } })
      .filter(({ at, values }) => at.group !== "S_3" && values.learned >= 0.95);
    return old.length === 0 ? [] : [mean(old.map(({ values }) => values.learned - values.end))];
  });
}

/** Of shares at the end: less is no difference. */
const A_POINT = 0.01;

const modelsIn = (result: UnreadResult) => [...new Set(rightNumbers.of(result).map(({ model }) => model))];
const label = (model: string) => architectures[model as Compared].label;

export const teachMixture = defineExperiment<Settings>({
  name: "teach-mixture",
  question: "Do mixtures of objectives teach look-up, and how much replay prevents forgetting?",
  about: "Do mixed objectives teach look-up, and does replay prevent forgetting?",
  publishedIn: "Birdie, 2024",
  models: described([...both, "gru"]),
  settings,
  published: [
    ...both.flatMap((model) =>
      (
        [
          [
            "uniform",
            "next-token",
            "A mixture of objectives teaches look-up better than the next token alone",
          ],
          ["birdie", "uniform", "Shares chosen by their gain are better than uniform ones"],
          ["bandit", "uniform", "Shares chosen by a bandit are better than uniform ones"],
        ] as const
      ).map(([arm, than, statement]) => ({
        source: "Birdie, 2024",
        statement: `${statement} (${architectures[model].label})`,
        here: `accuracy of ${arms[arm].label} minus ${arms[than].label}, at equal tokens; seeds in which both fit`,
        models: [model],
        unit: "number" as const,
        // Both are near 100 %, where neither can be better.
        agrees: (values: readonly number[]) =>
          Math.abs(mean(values)) <= SLIGHT ? "inconclusive" : mean(values) > 0,
        measure: (result: UnreadResult) => more(result, model, arm, than),
      })),
    ),
    ...both.flatMap((model) =>
      (["with-selective-copy", "uniform", "bandit", "birdie", "reveals"] as const).map((arm) => ({
        source: "own question",
        statement: `${architectures[model].label}, ${arms[arm].label}: tokens to 95 % accuracy`,
        here: "relative to the next token alone; seeds in which both reach it",
        models: [model],
        unit: "number" as const,
        measure: (result: UnreadResult) => slower(result, model, arm, "next-token"),
      })),
    ),
    ...[0, 0.05, 0.2].map((replay) => ({
      source: "own question",
      statement: `Forgetting of Z_2 and Z_3 after S_3, with ${100 * replay} % of old programs`,
      here: "accuracy at the end of its stage minus accuracy at the end, mean over fitted groups",
      models: ["gru"],
      unit: "number" as const,
      measure: (result: UnreadResult) => forgotten(result, replay),
    })),
  ],
  measurements: [rightNumbers, rightOnGroup],
  measureWork,

  plan: (setup, seeds) => ({
    runs: [],
    work: [
      ...crossed(seeds, setup.compared).map(([seed, model]) => ({
        ...{ setting: "look-up", model, seed, options: { setup } },
      })),
      ...seeds.map((seed) => ({
        ...{ setting: "forgetting", model: "gru", seed, options: { forgetting: setup.forgetting } },
      })),
    ],
  }),

  checks: (result) => [
    ...modelsIn(result).flatMap((model) => {
      const tokens = slower(result, model, "uniform", "next-token");
      const gained = more(result, model, "uniform", "next-token", 0);
      return [
        ...about(
          [trainingOf(model, "uniform"), trainingOf(model, "next-token")],
          [
            ...check(
              `${label(model)}: tokens by the uniform mixture over those by the next token alone`,
              "mean at most 1",
              tokens,
              mean(tokens) <= 1,
              "number",
            ),
            ...check(
              `${label(model)}: uniform mixture less next token alone`,
              "mean at least -1 %",
              gained,
              mean(gained) >= -A_POINT,
            ),
          ],
        ),
        ...names.flatMap((arm) =>
          haveLearned(
            `${label(model)}, ${arms[arm].label}: look-up`,
            rightNumbers.of(result, { model, at: { arm } }).map(({ values, ...run }) => ({
              ...{ ...run, model: trainingOf(model, arm), value: values.accuracy },
            })),
            LEARNED,
          ),
        ),
      ];
    }),
    ...about(
      ["gru"],
      [
        ...check(
          "forgotten without replay",
          "mean above 30 %",
          forgotten(result, 0),
          mean(forgotten(result, 0)) > 0.3,
        ),
        ...check(
          "forgotten with 5 % of old programs",
          "mean below 5 %",
          forgotten(result, 0.05),
          mean(forgotten(result, 0.05)) < 0.05,
        ),
      ],
    ),
  ],

  report: () => ({
    lead: "All arms see equally many tokens. The arm of the question itself trains on what is tested. Below 95 % a run does not fit look-up.",
    views: [],
  }),
});
