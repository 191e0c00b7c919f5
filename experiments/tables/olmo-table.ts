/**
 * @file O's table: accuracy on programs of n updates, from training lengths to far beyond, and recall of one bit of many.
 *
 *     state     a, b, c, d, e = range(5);  n updates;  asserts at a fixed interval;  assert a == _
 *     recall    bits = [0, 1, ...];  a = 36;  assert bits[a] == _
 *
 * Expected: Gated DeltaNet [-1,1] and its hybrid are right at every n; [0,1] falls beyond training; the Transformer never
 * leaves chance on state, and is right on recall. Source: O = Olmo Hybrid, arXiv:2604.03444, appendix C: 4 layers, d = 256,
 * 20,000 steps, curriculum n = 8, 16, 32, 64 at fixed steps; recall trained at m = 128 for 50,000 steps; the best of ten
 * configurations. Its final metric has no asserts on the way, ours one every 4 updates, each of which shows some of the
 * state. Ours grows the interval between asserts as well, adaptively, and the number of bits.
 */

import {
  AGREEMENT,
  type ArchitectureName,
  about,
  architectures,
  atEnd,
  by,
  crossed,
  defineExperiment,
  described,
  HELD_THEN_FALLING,
  LAPTOP,
  lines,
  measurementRows,
  modelLabel,
  near,
  OLMO,
  PAPER,
  type PlannedTest,
  recipeConfig,
  type Scale,
  SMOKE,
  type TrainedTask,
  type TrainingSetup,
} from "../runner/index.ts";

interface Settings extends TrainingSetup {
  readonly variables: number;
  readonly interval: number;
  /** n of the curriculum; the asserts are dense before the first of them. */
  readonly trained: readonly number[];
  readonly tested: readonly number[];
  readonly bits: readonly number[];
  readonly recallSteps: number;
}

export const settings: Record<Scale, Settings> = {
  smoke: {
    ...SMOKE,
    variables: 3,
    interval: 2,
    trained: [4],
    tested: [4, 8],
    bits: [4],
    recallSteps: SMOKE.train.steps,
    model: { layers: 4, width: 16, feedForward: 16 },
    programs: 20,
  },
  laptop: {
    ...LAPTOP,
    variables: 5,
    interval: 4,
    trained: [8, 16, 32],
    tested: [4, 8, 16, 32, 64, 128],
    bits: [4, 8, 16, 32],
    recallSteps: 6000,
    model: { ...LAPTOP.model, layers: 4 },
    train: { ...HELD_THEN_FALLING, steps: 1500, batch: 16, warmupSteps: 50 },
    programs: 256,
  },
  paper: {
    ...PAPER,
    variables: 5,
    interval: 4,
    trained: [8, 16, 32, 64],
    tested: [4, 8, 16, 32, 64, 128],
    bits: [16, 32, 64, 128],
    recallSteps: 50_000,
    programs: 256,
  },
};

/** O's table at n = 4, 8, 16, 32, 64, 128. */
const publishedAt = [4, 8, 16, 32, 64, 128] as const;
const published = {
  transformer: [0.512, 0.277, 0.172, 0.23, 0.199, 0.23],
  "gated-deltanet[-1,1]": [1, 1, 1, 1, 1, 1],
  "gated-deltanet[0,1]": [1, 1, 0.973, 0.645, 0.215, 0.223],
  "hybrid[-1,1]": [1, 1, 1, 1, 1, 1],
  "hybrid[0,1]": [1, 1, 1, 1, 0.961, 0.363],
} as const satisfies Partial<Record<ArchitectureName, readonly number[]>>;
/** At m = 128; at m = 32 all have 1 (its Table 16). */
const publishedRecall = [
  ["transformer", 0.965],
  ["gated-deltanet[-1,1]", 0.676],
  ["hybrid[-1,1]", 1],
] as const;
const EASY_RECALL = 32;

const compared = Object.keys(published) as (keyof typeof published)[];
const LEARNING_RATE = 1e-3;
const stateName = (updates: number) => `n = ${updates}`;
const recallName = (bits: number) => `m = ${bits}`;

/** Asserts after every update, then every second, ... up to the interval; then more updates. */
function stagesOf({ interval, trained }: Settings) {
  const [first, ...longer] = trained;
  const dense = Array.from({ length: Math.log2(interval) + 1 }, (_, i) => 2 ** i);
  return [
    ...dense.map((spacing) => [{ commands: first, spacing }]),
    ...longer.map((commands) => [
      { commands: first, spacing: interval },
      { commands, spacing: interval },
    ]),
  ];
}

function stateTask(setup: Settings): TrainedTask {
  const { variables, trained, interval: spacing } = setup;
  return {
    task: { name: "asserts", variables, commands: Math.max(...trained), spacing },
    stages: stagesOf(setup),
  };
}

function recallTask({ bits }: Settings): TrainedTask {
  const most = Math.max(...bits);
  return {
    task: { name: "recall", length: most, addresses: most },
    stages: bits.map((length) => [{ length }]),
  };
}

function testsOf({ variables, interval, trained, tested, bits }: Settings) {
  const most = Math.max(...bits);
  return {
    state: tested.map(
      (commands): PlannedTest => ({
        name: stateName(commands),
        change: { commands, spacing: interval },
        asTrained: trained.includes(commands),
        chance: 1 / variables,
      }),
    ),
    recall: [{ name: recallName(most), change: { length: most }, asTrained: true, chance: 1 / 2 }],
  };
}

/** Accuracy on the final assert, by the number of updates. */
export const byUpdates = (result: Parameters<typeof lines>[0], { trained, variables }: Settings) =>
  lines(result, {
    title: "state",
    xLabel: "updates",
    scale: "log2",
    chance: 1 / variables,
    setting: "state",
    points: by("commands", atEnd),
    mark: { x: Math.max(...trained), label: "trained" },
    reference: "none",
  });

export const olmoTable = defineExperiment<Settings>({
  name: "olmo-table",
  question: "Do gated recurrences and their hybrids with attention track state and recall?",
  about: "Do gated recurrences and hybrids track and recall?",
  publishedIn: "O",
  models: described(compared),
  settings,
  published: [
    compared.flatMap((model) =>
      publishedAt.map((n, i) => ({
        source: OLMO,
        statement: `Accuracy of ${architectures[model].label} on the final assert after ${n} updates`,
        ...{ models: [model], setting: "state" },
        published: published[model][i],
        unlike: "an assert every 4 updates before it, there none; one configuration, there the best of ten",
        measure: (result) =>
          measurementRows(result, { setting: "state", model, test: stateName(n) }).map(atEnd),
      })),
    ),
    publishedRecall.flatMap(([model, share]) =>
      [[EASY_RECALL, 1, `${OLMO}, Table 16`] as const, [128, share, OLMO] as const].map(
        ([bits, published, source]) => ({
          source,
          statement: `Recall of ${architectures[model].label}, m = ${bits}`,
          ...{ models: [model], setting: "recall" },
          published,
          measure: (result) =>
            measurementRows(result, { setting: "recall", model, test: recallName(bits) }).map(atEnd),
        }),
      ),
    ),
  ],

  plan(setup, seeds) {
    const tests = testsOf(setup);
    const trained = { state: stateTask(setup), recall: recallTask(setup) };
    const modelsIn = { state: compared, recall: publishedRecall.map(([model]) => model) };
    const setups = {
      state: setup,
      recall: { ...setup, train: { ...setup.train, steps: setup.recallSteps } },
    };
    return {
      runs: crossed(seeds, ["state", "recall"] as const).flatMap(([seed, setting]) =>
        modelsIn[setting].map((model) => ({
          setting,
          model,
          config: recipeConfig(setups[setting], trained[setting], model, seed, LEARNING_RATE),
          tests: tests[setting],
        })),
      ),
      sample: { commands: 8 },
    };
  },

  checks: (result) =>
    crossed(compared, [...publishedAt.entries()]).flatMap(([model, [i, n]]) =>
      about(
        [model],
        near(
          `${modelLabel(result, model)} at n = ${n}, last assert`,
          measurementRows(result, { setting: "state", model, test: stateName(n) }).map(atEnd),
          published[model][i],
          AGREEMENT,
        ),
        "state",
      ),
    ),

  report: (result, setup) => ({
    views: [
      {
        heading: "Accuracy on the final assert, by the number of updates",
        text: "The program asserts a variable at a fixed interval and at the end. The last assert is scored.",
        caption: "Percent. Strong line: mean over seeds; thin lines: seeds.",
        figures: [byUpdates(result, setup)],
      },
    ],
  }),
});
