/**
 * @file Does a mixture of objectives teach a state-space model to look up in a phone book?
 *
 *     book          k4 v1 k7 v0 k2 v6   k7 [v0] k2 [v6] k4 [v1]      one to four names with numbers, then each name again
 *     next token    each word of a book is predicted, and nothing in the book determines its first half
 *     equal         next token, copy, selective copy and infill of books, each for a quarter of the examples
 *     birdie        the same four; a regression on past losses chooses the shares of each window (samplers/birdie.ts)
 *     bandit        the same four; EXP3 chooses the shares (samplers/exp3.ts)
 *
 * All read the same number of tokens. The words in brackets are asked, in new books of four names. The learning
 * rates are chosen on a seed that is not reported. Predicted before the trials: equal shares are as accurate as the next token alone, and
 * birdie is within 2 points of equal shares.
 *
 * Source: Birdie, Blouir et al. 2024; a regression replaces its network, and no prefix is read in both directions.
 */

import { mean } from "../../src/core/statistics.ts";
import { LEARNED } from "../../src/schemas/convergence.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import { type Task, taskNamed } from "../../src/tasks/index.ts";
import {
  aboutTraining,
  atLeast,
  type ClaimOf,
  defineExperiment,
  defineMeasurement,
  type Measurements,
  type Measuring,
  OWN_QUESTION,
  type PlannedWork,
  type UnreadResult,
  workOf,
} from "../runner/index.ts";
import { openLesson } from "../teach/shared.ts";

const settings = {
  smoke: { width: 8, tokens: 1500, batch: 8, window: 4, programs: 20, device: "cpu" },
  laptop: { width: 32, tokens: 500_000, batch: 16, window: 32, programs: 400, device: "cpu" },
  paper: { width: 128, tokens: 10_000_000, batch: 64, window: 512, programs: 1000, device: "cuda" },
};
type Settings = (typeof settings)["laptop"];

const parts = ["next-token", "copy", "selective-copy", "infill"] as const;
const models = {
  next: { label: "next token", summary: "the next token alone" },
  equal: { label: "equal shares", summary: "four objectives in equal shares" },
  birdie: { label: "Birdie", summary: "four objectives, shares by Birdie" },
  bandit: { label: "EXP3", summary: "four objectives, shares by a bandit" },
} as const;
type Arm = keyof typeof models;
const names = Object.keys(models) as Arm[];
/** Best of those tried on seed 100 (evidence/objective-mixture/log.md). */
const rates = { next: 2e-3, equal: 1e-3, birdie: 2e-3, bandit: 2e-3 } as const;
const samplers = { next: "fixed", equal: "uniform", birdie: "birdie", bandit: "bandit" } as const;

const MOST = 4;
const [KEYS, VALUES] = [32, 16];
/** Fewer words than a mean example has. */
const FEW = { next: 8, equal: 12, birdie: 12, bandit: 12 } as const;
const POINTS = 20;

const lookedUp = defineMeasurement({
  id: "lookedUp",
  label: "Accuracy on new books",
  at: { tokens: "tokens" },
  values: { accuracy: "right" },
});
const endShares = defineMeasurement({
  id: "endShares",
  label: "Shares, mean of the last ten windows",
  at: { part: "objective" },
  values: { share: "share" },
});

/** mqar with its answers in the text, and without fillers. */
const phoneBook: Task = {
  ...taskNamed("mqar"),
  prepare(params) {
    const { asks: _, ...book } = taskNamed("mqar").prepare(params);
    return {
      ...book,
      maximumWords: 4 * MOST,
      write: (rng, sink) =>
        book.write(rng, {
          ...{ reveal: () => {}, state: (values) => sink.state(values) },
          word: (index) => void (index < KEYS + VALUES && sink.word(index)),
          target(variable, value) {
            sink.reveal(variable, value);
            sink.word(KEYS + value);
          },
        }),
    };
  },
};

async function* measureWork({ seed, model, options }: PlannedWork<Settings, Arm>): Measuring {
  const { width, tokens, batch, window, programs, device } = options;
  const arm = model;
  const given = (model === "next" ? parts.slice(0, 1) : parts).map((objective) => ({ objective }));
  const lesson = openLesson(
    RunConfig.parse({
      ...{ seed, device },
      data: { mixture: { parts: given, sampler: samplers[arm], window, examples: 32 } },
      task: { name: "mqar", pairs: [1, MOST], length: 4 * MOST, keys: KEYS, values: VALUES },
      model: { name: "deltanet", layers: 2, width, heads: 2, convolution: 4 },
      train: { steps: Math.ceil(tokens / (batch * FEW[arm])), batch, learningRate: rates[arm] },
    }),
    { task: phoneBook },
  );
  // Nearly no book of four occurs twice.
  const { exclude: _, ...test } = lesson.test({ pairs: MOST }, programs);
  const rows: Measurements[number][] = [];
  let read = 0;
  try {
    for await (const record of lesson.steps()) {
      read += record.tokens;
      yield { done: Math.min(read, tokens), of: tokens };
      const due = ((rows.length + 1) * tokens) / POINTS;
      if (read < due) continue;
      const { accuracy } = await lesson.evaluate(test);
      rows.push(lookedUp.row({ at: { tokens: due }, values: { accuracy } }));
      if (rows.length === POINTS) break;
    }
    if (model === "next") return rows;
    const last = (lesson.trainer.state().windows ?? []).slice(-10);
    const shares = parts.map((part, i) =>
      endShares.row({ at: { part }, values: { share: mean(last.map((each) => each.shares[i])) } }),
    );
    return [...rows, ...shares];
  } finally {
    await lesson.release();
  }
}

const accuracies = (result: UnreadResult, setup: Settings, model: Arm): number[] =>
  lookedUp.of(result, { model, at: { tokens: setup.tokens } }).map(({ values }) => values.accuracy!);

/** Tokens after which it has learned, by seed in which it has. */
const tokensUntil = (result: UnreadResult, model: Arm): number[] =>
  result.seeds.flatMap((seed) => {
    const first = lookedUp.of(result, { model, seed }).find(({ values }) => values.accuracy! >= LEARNED);
    return first === undefined ? [] : [Number(first.at.tokens)];
  });

/** Accuracy of an arm less that of another, by seed. */
const gained = (result: UnreadResult, setup: Settings, arm: Arm, other: Arm): number[] =>
  accuracies(result, setup, arm).map((accuracy, i) => accuracy - accuracies(result, setup, other)[i]);

const own = (model: Arm, words: string, rest: Partial<ClaimOf<Settings>>): ClaimOf<Settings> => ({
  ...{ source: OWN_QUESTION, statement: `${words}, ${models[model].label}`, models: [model], ...rest },
});

export const objectiveMixture = defineExperiment<Settings>({
  name: "objective-mixture",
  question: "Does a mixture of objectives teach look-ups better than the next token alone?",
  about: "Does a mixture of objectives teach look-ups?",
  publishedIn: "Birdie, in words",
  models,
  settings,
  published: names.flatMap((model) => [
    own(model, "Accuracy of look-ups", {
      here: "new books of four names, at equal tokens",
      measure: (result, setup) => accuracies(result, setup, model),
    }),
    own(model, "Tokens until 95 % are right", {
      ...{ unit: "number", here: "seeds that reach it" },
      measure: (result) => tokensUntil(result, model),
    }),
    ...(model === "birdie" || model === "bandit" ? parts : []).map((part) =>
      own(model, `Share of ${part} at the end`, {
        here: "mean of the last ten windows",
        measure: (result) => endShares.of(result, { model, at: { part } }).map(({ values }) => values.share),
      }),
    ),
  ]),
  measurements: [lookedUp, endShares],
  measureWork,

  plan: (setup, seeds) => workOf(setup, seeds, names),

  checks: (result, setup) =>
    aboutTraining(
      ...atLeast("equal shares, less the next token", gained(result, setup, "equal", "next"), -0.02),
      ...atLeast("Birdie, less equal shares", gained(result, setup, "birdie", "equal"), -0.02),
    ),
});
