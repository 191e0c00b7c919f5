/**
 * @file Is a model at each budget of one wsd-s run as good as one whose rate came down to that budget alone?
 *
 *     wsd-s     one run of the last budget, asked at each budget
 *     wsd       one run a budget: the rate is constant, and falls at its end by the same form
 *     cosine    one run a budget: the rate comes down all the way
 *     task      pfsa: three variables, maybe swapped unseen (p = 0.1), one printed after every 2nd of 8 commands
 *     scored    nats above the exact filter at the prints, a lower bound
 *
 * Each (schedule, budget) has the rate that is best on a seed that no result uses; wsd-s has one for all its budgets, as it is one run.
 *
 * Predicted before the run: at the last budget wsd-s is within two standard errors of wsd, as only the middle of its run differs; at
 * the earlier ones they are the same run up to the first decay, so equal at the first. A cosine may be better, as it
 * comes down longer. Refuted if wsd-s is worse than wsd by more than two standard errors at any budget.
 * Source: Wen et al. 2024, arXiv:2410.05192; wsd: Hu et al. 2024, arXiv:2404.06395. Task, sizes and score are our own.
 */

import { mean, standardError } from "../../src/core/statistics.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import { check } from "../runner/checks.ts";
import type { Measurements, Measuring, PlannedWork, Scale, UnreadResult } from "../runner/define.ts";
import { type ClaimOf, defineExperiment } from "../runner/define.ts";
import { defineMeasurement, measuredLine } from "../runner/views.ts";
import { openLesson } from "./shared.ts";

interface Settings {
  readonly model: object;
  readonly commands: number;
  readonly batch: number;
  /** Steps, ascending. */
  readonly budgets: readonly number[];
  readonly rates: readonly number[];
  readonly programs: number;
  readonly device: "cpu" | "cuda";
}

const settings: Record<Scale, Settings> = {
  smoke: {
    model: { layers: 1, width: 16, heads: 2 },
    ...{ commands: 8, batch: 8, budgets: [4, 8], rates: [1e-2], programs: 20, device: "cpu" },
  },
  laptop: {
    model: { layers: 1, width: 32, heads: 2 },
    ...{ commands: 8, batch: 16, budgets: [150, 300, 600], rates: [3e-3, 1e-2], programs: 400 },
    device: "cpu",
  },
  paper: {
    model: { layers: 4, width: 256, heads: 4 },
    ...{ commands: 64, batch: 64, budgets: [5000, 10_000, 20_000], rates: [3e-4, 1e-3, 3e-3] },
    ...{ programs: 1000, device: "cuda" },
  },
};

const schedules = ["wsd-s", "wsd", "cosine"] as const;
type Schedule = (typeof schedules)[number];
const models = {
  "wsd-s": { label: "WSD-S", summary: "one run: down before each budget, and at the full rate again" },
  wsd: { label: "WSD", summary: "a run a budget: the rate stands, then comes down over its last tenth" },
  cosine: { label: "cosine", summary: "a run a budget: the rate comes down all the way" },
} as const satisfies Record<Schedule, unknown>;

const natsAtBudget = defineMeasurement({
  id: "natsAtBudget",
  label: "nats above the exact filter",
  at: { part: "part", budget: "steps", rate: "learning rate" },
  values: { above: "nats" },
});

/** Which seed chooses the rates; results have others. */
const SEARCH_SEED = 1_000_000;
const [SEARCH, RESULT] = ["search", "result"] as const;
/** Of the rate at the end, and of the steps in which it comes down. */
const [FINAL, DECAY] = [0.1, 0.1];

interface Training {
  readonly schedule: Schedule;
  readonly budgets: readonly number[];
  readonly rate: number;
}

interface Options {
  readonly part: typeof SEARCH | typeof RESULT;
  readonly trainings: readonly Training[];
  readonly setup: Settings;
}

function configOf({ schedule, budgets, rate }: Training, setup: Settings, seed: number): RunConfig {
  const { model, commands, batch, device } = setup;
  const steps = budgets[budgets.length - 1];
  const own = {
    "wsd-s": { budgets, decayShare: DECAY },
    wsd: { decaySteps: Math.round(DECAY * steps), decayForm: "inverse" },
    cosine: {},
  }[schedule];
  return RunConfig.parse({
    ...{ seed, device },
    task: { name: "pfsa", variables: 3, probability: 0.1, commands, spacing: 2 },
    model: { name: "deltanet", betaMax: 2, ...model },
    train: { steps, batch, learningRate: rate, schedule, finalShare: FINAL, ...own },
  });
}

async function* measureWork({ seed, options }: PlannedWork): Measuring {
  const { part, trainings, setup } = options as unknown as Options; // from `plan` below
  const of = trainings.reduce((sum, { budgets }) => sum + budgets[budgets.length - 1], 0);
  const rows: Measurements[number][] = [];
  let before = 0;
  for (const training of trainings) {
    const { schedule, budgets, rate } = training;
    const lesson = openLesson(configOf(training, setup, seed));
    try {
      for (const budget of budgets) {
        for await (const { step } of lesson.steps(budget)) yield { done: before + step, of };
        const { above = Number.NaN } = await lesson.ask({}, setup.programs);
        rows.push(natsAtBudget.row({ model: schedule, at: { part, budget, rate }, values: { above } }));
      }
    } finally {
      await lesson.release();
    }
    before += budgets[budgets.length - 1];
  }
  return rows;
}

/** Which budgets one run serves. */
function runsOf(schedule: Schedule, { budgets }: Settings): (readonly number[])[] {
  return schedule === "wsd-s" ? [budgets] : budgets.map((budget) => [budget]);
}

/** The rate whose mean over these budgets is least on the seed that chooses. */
function bestRate(
  result: UnreadResult,
  schedule: Schedule,
  budgets: readonly number[],
  rates: readonly number[],
) {
  const paid = (rate: number) =>
    mean(
      budgets.flatMap((budget) =>
        natsAtBudget
          .of(result, { model: schedule, at: { part: SEARCH, budget, rate } })
          .map(({ values }) => values.above),
      ),
    );
  return rates.toSorted((a, b) => paid(a) - paid(b))[0];
}

const resultOf = (result: UnreadResult, model: Schedule, budget: number) =>
  natsAtBudget.of(result, { model, at: { part: RESULT, budget } });
const aboveOf = (result: UnreadResult, model: Schedule, budget: number) =>
  resultOf(result, model, budget).map(({ values }) => values.above);

/** By seed: what wsd-s pays more than another schedule. */
function moreThan(result: UnreadResult, other: Schedule, budget: number): number[] {
  const theirs = aboveOf(result, other, budget);
  return aboveOf(result, "wsd-s", budget).flatMap((own, i) => (i < theirs.length ? [own - theirs[i]] : []));
}

const claim = (other: Schedule, which: number, place: string): ClaimOf<Settings> => ({
  source: "arXiv:2410.05192",
  statement: `One run with WSD-S is at each budget as good as a run for that budget alone: beside ${models[other].label}, at the ${place} budget`,
  here: "nats at prints that WSD-S pays more; below 0 it is better",
  published: 0,
  unit: "nats",
  measure: (result, { budgets }) => moreThan(result, other, budgets[which < 0 ? budgets.length - 1 : which]),
});

export const schedulesExperiment = defineExperiment<Settings>({
  name: "schedules",
  question: "Is one wsd-s run at each of its budgets as good as a run for that budget alone?",
  about: "one run with WSD-S beside a run for each budget",
  publishedIn: "Wen et al. 2024",
  models,
  settings,
  published: [
    claim("wsd", 0, "first"),
    claim("wsd", -1, "last"),
    claim("cosine", 0, "first"),
    claim("cosine", -1, "last"),
  ],
  measurements: [natsAtBudget],
  measureWork,

  plan(setup, seeds) {
    const { rates } = setup;
    const all = schedules.flatMap((schedule) =>
      runsOf(schedule, setup).map((budgets) => ({ schedule, budgets })),
    );
    const workOf = (setting: string, seed: number, options: Omit<Options, "setup">): PlannedWork => ({
      ...{ setting, model: "", seed },
      options: { ...options, setup },
    });
    return {
      runs: [],
      work: rates.map((rate) =>
        workOf(`search, rate ${rate}`, SEARCH_SEED, {
          part: SEARCH,
          trainings: all.map((each) => ({ ...each, rate })),
        }),
      ),
      words: ["Each schedule and budget tries its rates on a seed that no result uses"],
      next(result) {
        const trainings = all.map((each) => ({
          ...each,
          rate: bestRate(result, each.schedule, each.budgets, rates),
        }));
        return {
          runs: [],
          work: seeds.map((seed) => workOf(RESULT, seed, { part: RESULT, trainings })),
          words: ["The rates are chosen; now the seeds that are told of"],
        };
      },
    };
  },

  checks: (result, { budgets }) =>
    budgets.flatMap((budget) => {
      const more = moreThan(result, "wsd", budget);
      const met = more.length < 2 || mean(more) <= 2 * standardError(more);
      return check(
        `WSD-S less WSD at ${budget} steps`,
        "mean at most 2 of its standard errors",
        more,
        met,
        "nats",
      );
    }),

  report: (result) => ({
    views: [
      {
        heading: "Nats above the exact filter, by budget",
        text: "The exact filter knows all that can be known, so nobody is below 0 in the long run. Each run has the rate that was best on another seed.",
        caption: "Strong line: mean over seeds; thin ones: seeds.",
        figures: [
          {
            kind: "numbers",
            title: "One run, and a run for each budget",
            yLabel: "nats above the exact filter",
            xLabel: "steps",
            lines: schedules.map((model, index) => ({
              ...{ label: models[model].label, index },
              seeds: measuredLine(
                natsAtBudget.of(result, { model, at: { part: RESULT } }),
                "budget",
                "above",
              ),
            })),
          },
        ],
      },
    ],
  }),
});
