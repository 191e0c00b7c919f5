/**
 * @file Is it the checker or the retry that helps? A policy with errors enters a code; a checker that errs too rejects replies.
 *
 *     settings   error e of the policy, steps T; checkers: detection d, false alarms f, retries R
 *     work       one checker: episodes by the control check-retry, and by a state machine with the same check
 *
 * Nothing is trained. Expected, for errors that do not depend on each other (src/eval/agents/controllers/check-retry.ts): a step is right with
 * (1-e)(1-f)(1-q^R)/(1-q) + q^R(1-e), q = 1 - (1-e)(1-f) - e(1-d); a checker that knows nothing (d = f) gains nothing whatever it costs, one
 * that is worse does harm. Refuted if a measured share is more than three standard errors from that.
 *
 * Source: the arithmetic of Aggregate-Intellect/sherpa; numbers by an earlier program of ours.
 */

import { mean, standardError } from "../../src/core/statistics.ts";
import { checkedStep } from "../../src/eval/agents/controllers/check-retry.ts";
import { atMost } from "../runner/checks.ts";
import type { Measurements, Measuring, PlannedWork, Scale, UnreadResult } from "../runner/define.ts";
import { type ClaimOf, crossed, defineExperiment, MOST_ERRORS } from "../runner/define.ts";
import { defineMeasurement } from "../runner/views.ts";
import { episodeOf } from "./shared.ts";

interface Checker {
  readonly falseAlarm: number;
  readonly detection: number;
  readonly retries: number;
}

interface Settings {
  readonly error: number;
  readonly steps: number;
  readonly episodes: number;
}

const checkers: Readonly<Record<string, Checker>> = {
  none: { falseAlarm: 0, detection: 0, retries: 0 },
  uninformative: { falseAlarm: 0.3, detection: 0.3, retries: 2 },
  good: { falseAlarm: 0, detection: 0.9, retries: 1 },
  "with alarms": { falseAlarm: 0.1, detection: 0.9, retries: 2 },
  bad: { falseAlarm: 0.5, detection: 0.2, retries: 2 },
};

/** Of whole episodes, e = 0.05 and 20 steps, by an earlier program. */
const earlier: Readonly<Record<string, number>> = {
  none: 0.3585,
  uninformative: 0.3585,
  good: 0.8646,
  "with alarms": 0.8745,
  bad: 0.2285,
};

const settings: Record<Scale, Settings> = {
  smoke: { error: 0.05, steps: 20, episodes: 6 },
  laptop: { error: 0.05, steps: 20, episodes: 600 },
  paper: { error: 0.05, steps: 20, episodes: 10_000 },
};

const models = {
  "check-retry": { label: "check and retry", summary: "the control check-retry" },
  machine: { label: "state machine", summary: "a machine of one state with the same check" },
};
type ModelName = keyof typeof models;

const wholeRight = defineMeasurement({
  id: "wholeRight",
  label: "episodes that are right to the end",
  at: {},
  values: {
    share: "share",
    standardError: "standard error",
    predicted: "by the closed form",
    errors: "difference in errors",
    replies: "replies a step",
    predictedReplies: "by the closed form",
  },
});

async function* measureWork({ setting, seed, options }: PlannedWork): Measuring {
  const { error, steps, episodes } = options as unknown as Settings; // from `plan` below
  const { retries, ...check } = checkers[setting];
  const enter = { on: { enter: "enter" }, check, retry: retries };
  const arms = {
    "check-retry": { "check-retry": checkers[setting] },
    machine: { machine: { style: "direct", machine: { start: "enter", states: { enter } } } },
  } as const;
  const step = checkedStep(error, checkers[setting]);
  const predicted = step.right ** steps;
  const chance = Math.sqrt((predicted * (1 - predicted)) / episodes);
  const rows: Measurements[number][] = [];
  for (const [i, [control, own]] of Object.entries(arms).entries()) {
    const [right, replies]: [number[], number[]] = [[], []];
    for (let index = 0; index < episodes; index++) {
      if (index % 20 === 0) yield { done: i * episodes + index, of: 2 * episodes };
      const entries = { tracking: { error }, lock: { length: steps }, window: { turns: 0 }, ...own };
      const { turns, end } = await episodeOf({
        ...{ world: "lock", policy: "tracking", view: "window", control, settings: entries },
        ...{ seed: seed + 1000 * i, index },
      });
      right.push(end.score.share);
      replies.push(mean(turns.map((turn) => turn.replies.length)));
    }
    const share = mean(right);
    rows.push(
      wholeRight.row({
        model: control,
        values: {
          ...{ share, standardError: standardError(right), predicted, errors: (share - predicted) / chance },
          ...{ replies: mean(replies), predictedReplies: step.replies },
        },
      }),
    );
  }
  return rows;
}

const shares = (result: UnreadResult, setting: string, model: ModelName) =>
  wholeRight.of(result, { setting, model }).map(({ values }) => values.share);

export const checkRetryExperiment = defineExperiment<Settings>({
  name: "check-retry",
  question: "A policy errs now and then, a checker sends replies back. What is right in the end?",
  about: "is it the checker or the retry that helps (trains nothing)",
  publishedIn: "our own",
  models,
  settings,
  published: Object.keys(checkers).flatMap((setting) =>
    (Object.keys(models) as ModelName[]).map(
      (model): ClaimOf<Settings> => ({
        source: "by arithmetic, and by an earlier program of our own",
        statement: `Episodes of 20 steps that are right to the end, e = 0.05, checker: ${setting} (${models[model].label})`,
        published: earlier[setting],
        unit: "number",
        setting,
        measure: (result) => shares(result, setting, model),
        measureErrors: (result) =>
          wholeRight.of(result, { setting, model }).map(({ values }) => values.standardError),
      }),
    ),
  ),
  measurements: [wholeRight],
  measureWork,

  plan: (options, seeds) => ({
    runs: [],
    work: crossed(seeds, Object.keys(checkers)).map(([seed, setting]) => ({
      ...{ setting, model: "check-retry", seed },
      options: { ...options },
    })),
  }),

  checks: (result) =>
    Object.keys(checkers).flatMap((setting) =>
      (Object.keys(models) as ModelName[]).flatMap((model) =>
        atMost(
          `${setting} checker, ${models[model].label}: standard errors from the closed form`,
          wholeRight.of(result, { setting, model }).map(({ values }) => Math.abs(values.errors)),
          MOST_ERRORS,
          "number",
        ),
      ),
    ),

  report: () => ({
    lead: "The same retries help, do nothing or do harm, by what the checker knows. All this for errors that do not depend on each other; a model's may.",
    views: [],
  }),
});
