/**
 * @file Does DeltaNet [-1,1] compute modulo five beyond its training, by the best recipe that a search finds?
 *
 *     to 15    expressions of 3 to 15 numbers and operators, 512,000 of them, as in the search; asked to 96
 *     to 40    the same recipe and a second stage of 3 to 40, 1,024,000; asked to 256, as G asks
 *
 *
 * With state supervision after every number. The six other models of G's table were not searched. Expected: scaled accuracy
 * near 1 beyond training. Source: Grazzi et al. 2025, arXiv:2411.12537: .971 at 40 to 256, after some 102 million of 3 to 40, 3 layers of 128.
 */

import { CurriculumConfig, type RunConfig, StateSupervision } from "../../src/schemas/run-config.ts";
import { SearchSpace } from "../../src/schemas/search-space.ts";
import {
  AGREEMENT,
  type ArchitectureName,
  about,
  architectures,
  type ClaimOf,
  crossed,
  defineExperiment,
  described,
  GRAZZI,
  lines,
  type ModelSearch,
  measurementRows,
  near,
  type Recipe,
  readRecipes,
  runBy,
  type Scale,
  SMOKE,
  scaled,
  type UnreadResult,
  unsearchedRecipes,
} from "../runner/index.ts";
import { lengths } from "./parity-table.ts";

const shapes = {
  "3 layers of 64": [3, 64, 4],
  "3 layers of 64 with two heads": [3, 64, 2],
  "2 layers of 80": [2, 80, 4],
} as const;

interface Searching {
  readonly task: RunConfig["task"];
  readonly tested: RunConfig["evaluate"]["settings"];
  readonly stateSupervision: object;
  readonly averagingWindow: number;
}

/** A search for each model: 512,000 expressions to the last rung. */
function arithmeticSearches(
  models: readonly ArchitectureName[],
  { task, tested, stateSupervision, averagingWindow }: Searching,
): ModelSearch[] {
  return models.map((model) => ({
    model,
    config: {
      task,
      train: { padding: "max", schedule: "cosine", warmupSteps: 50, minLearningRateRatio: 0.05 },
      stateSupervision,
      curriculum: { stages: lengths(15), averagingWindow },
      evaluate: { examples: 1000, settings: tested },
    },
    space: SearchSpace.parse({
      ...{ programs: 512_000, rungs: 2, keep: 3 },
      space: {
        "train.learningRate": { from: 0.001, to: 0.01, scale: "log" },
        "train.batch": [32, 64, 128],
        model: Object.fromEntries(
          Object.entries(shapes).map(([name, [layers, width, heads]]) => [
            name,
            { ...architectures[model].model(heads), layers, width, feedForward: 2 * width },
          ]),
        ),
        "curriculum.stages": {
          "3, 5, 9, 15": lengths(3, 5, 9, 15),
          "3, 5, 7, ..., 15": lengths(3, 5, 7, 9, 11, 13, 15),
          "at once": lengths(15),
        },
      },
    }),
  }));
}

const models = ["deltanet[-1,1]"] as const;
const [MODEL] = models;
const TASK = "modular-arithmetic";
const CHANCE = 1 / 5;
const PUBLISHED = 0.971;
const stateSupervision = StateSupervision.parse({ head: "linear" });
const MEMORY = 600;
/** G's, without supervision. */
const PUBLISHED_SETUP = {
  model: { layers: 3, width: 128, feedForward: 512 },
  heads: 4,
  train: { batch: 1024, warmupSteps: 10_000, schedule: "cosine", weightDecay: 0.1 },
} as const;

/** Stages and tests by their longest expressions. */
interface Budget {
  readonly trained: readonly number[];
  readonly examples: number;
  /** Beyond training to here, at all lengths alike. */
  readonly to: number;
  /** Each of these lengths alone; all beyond training. */
  readonly at: readonly number[];
}

interface Settings {
  readonly recipe: Recipe;
  readonly budgets: readonly Budget[];
  /** Fresh expressions a test. */
  readonly programs: number;
  readonly device: "cpu" | "cuda";
}

const settings: Record<Scale, Settings> = {
  smoke: {
    recipe: { ...unsearchedRecipes(models, SMOKE, { stages: lengths(5) })[MODEL], stateSupervision },
    budgets: [{ trained: [3, 5], examples: 80, to: 11, at: [9] }],
    ...{ programs: 30, device: "cpu" },
  },
  laptop: {
    recipe: readRecipes(new URL("./arithmetic-searched.recipes.yaml", import.meta.url), models)[MODEL],
    budgets: [
      { trained: [15], examples: 512_000, to: 96, at: [31, 47, 63, 95] },
      { trained: [15, 40], examples: 1_024_000, to: 256, at: [63, 95, 127, 191, 255] },
    ],
    ...{ programs: 1000, device: "cpu" },
  },
  paper: {
    recipe: unsearchedRecipes(models, PUBLISHED_SETUP, { stages: lengths(40) })[MODEL],
    budgets: [{ trained: [40], examples: 102_400_000, to: 256, at: [63, 95, 127, 191, 255] }],
    ...{ programs: 1000, device: "cuda" },
  },
};

const longestOf = ({ trained }: Budget) => trained[trained.length - 1];
const settingOf = (budget: Budget) => `to ${longestOf(budget)}`;
const rangeName = (least: number, most: number) => `length ${least}–${most}`;
const taskOf = (longest: number) => ({ name: TASK, length: [3, longest] as const });

/** Scaled accuracy between the longest that was trained and the longest that is asked, one a seed. */
const beyond = (result: UnreadResult, budget: Budget) =>
  measurementRows(result, {
    ...{ setting: settingOf(budget), model: MODEL },
    test: rangeName(longestOf(budget), budget.to),
  }).map(scaled);

const claimTo = (longest: number, words: string, unlike: string): ClaimOf<Settings> => ({
  source: GRAZZI,
  statement: `Scaled accuracy of ${architectures[MODEL].label} on modular arithmetic, lengths 40 to 256${words}`,
  ...{ models: [MODEL], setting: `to ${longest}`, unlike, published: PUBLISHED, over: "best" },
  measure: (result, { budgets }) =>
    budgets.flatMap((budget) => (longestOf(budget) === longest ? beyond(result, budget) : [])),
});

export const arithmeticSearched = defineExperiment<Settings>({
  name: "arithmetic-searched",
  question: "Does DeltaNet [-1,1] compute modulo five beyond its training length?",
  about: "Which models compute modulo five beyond the trained length?",
  publishedIn: "G",
  models: described(models),
  settings,
  published: [
    claimTo(40, "", "state supervision after every number, far fewer expressions, two layers of 80"),
    claimTo(
      15,
      ", for models trained to 15",
      "trained to 15 and tested at 15 to 96; state supervision, two layers of 80",
    ),
  ],

  searches: arithmeticSearches(models, {
    task: taskOf(15),
    tested: [{ length: [3, 15] }, { length: [15, 96] }],
    stateSupervision,
    averagingWindow: MEMORY,
  }),

  plan({ recipe, budgets, ...own }, seeds) {
    const runs = crossed(seeds, budgets).map(([seed, budget]) => {
      const { trained, examples, to, at } = budget;
      const longest = longestOf(budget);
      const curriculum = CurriculumConfig.parse({ ...recipe.curriculum, stages: lengths(...trained) });
      const tests = [
        { name: rangeName(3, longest), change: { length: [3, longest] } },
        { name: rangeName(longest, to), change: { length: [longest, to] } },
        ...at.map((length) => ({ name: `length ${length}`, change: { length: [length, length] } })),
      ].map((test) => ({ ...test, chance: CHANCE }));
      const ownRecipe = { ...recipe, curriculum };
      return {
        ...{ setting: settingOf(budget), model: MODEL },
        ...runBy(ownRecipe, taskOf(longest), { ...own, seed }, tests, examples),
      };
    });
    return { runs, sample: { length: 8 } };
  },

  checks: (result, { budgets }) =>
    budgets.flatMap((budget) => {
      const setting = settingOf(budget);
      const test = rangeName(longestOf(budget), budget.to);
      const values = measurementRows(result, { setting, model: MODEL, test }).map(scaled);
      const name = `Trained ${setting}, tested to ${budget.to}, best seed`;
      const read = (each: readonly number[]) => Math.max(...each);
      return about([MODEL], near(name, values, PUBLISHED, AGREEMENT, { read }), setting);
    }),

  report: (result, { budgets: planned }) => {
    const budgets = planned.filter((budget) => beyond(result, budget).length > 0); // of the others every run failed
    return {
      views: [
        {
          heading: "Scaled accuracy by the length of the expression",
          text: "Left: all trained lengths. Then each length alone, on held-out expressions. Only the answer counts.",
          caption: "0 is chance, 100 no mistake. Strong line: mean over seeds.",
          figures: budgets.map((budget) =>
            lines(result, {
              title: `trained ${settingOf(budget)}`,
              xLabel: "numbers and operators",
              scale: "log2",
              chance: 0,
              setting: settingOf(budget),
              points: (rows) =>
                rows.flatMap((row) => {
                  const [least, most] = [row.tested.change.length].flat().map(Number);
                  return row.tested.asTrained || least === most ? [[most, scaled(row)] as const] : [];
                }),
              mark: { x: longestOf(budget), label: "trained" },
            }),
          ),
        },
      ],
    };
  },
});
