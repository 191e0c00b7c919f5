/**
 * @file Which recurrences follow parity beyond their training length? Trained on 3 to 40 bits, tested at 40 to 256.
 *
 * Expected: scaled accuracy 1 for sLSTM, Mamba [-1,1] and DeltaNet [-1,1], 0 for the others. Source: Grazzi et al. 2025,
 * arXiv:2411.12537: 2 layers, d = 128, 4 heads, 100,000 steps of 1,024 strings with one target each, some 102 million; best
 * of 3 seeds and of four learning rates. Its Transformer is nearly perfect within its training lengths. Ours at laptop
 * scale: the state is a target after every bit in training (one at the end in tests), and far fewer strings.
 */

import {
  AGREEMENT,
  type ArchitectureName,
  about,
  architectures,
  crossed,
  defineExperiment,
  described,
  GRAZZI,
  lines,
  measurementRows,
  near,
  recipeConfig,
  type Scale,
  scaled,
  type TrainingSetup,
  type UnreadResult,
} from "../runner/index.ts";

type Range = readonly [least: number, most: number];

interface Settings extends TrainingSetup {
  readonly stages: readonly (readonly [{ readonly length: Range }])[];
  readonly tested: Range;
  /** What else is different in the task that is trained. */
  readonly training?: Readonly<Record<string, unknown>>;
}

/** Models, and the scaled accuracy that is published for each: best of three. */
const published = {
  transformer: 0.022,
  mlstm: 0.087,
  slstm: 1,
  "mamba[0,1]": 0,
  "mamba[-1,1]": 1,
  "deltanet[0,1]": 0.017,
  "deltanet[-1,1]": 1,
} as const satisfies Partial<Record<ArchitectureName, number>>;
type Model = keyof typeof published;
const compared = Object.keys(published) as Model[];

/** Of 1e-3, 3e-3 and 1e-2 on a seed that no result uses. */
const learningRates: Partial<Record<Model, number>> = { "mamba[0,1]": 1e-2, "mamba[-1,1]": 1e-2 };
const LEARNING_RATE = 3e-3;

/** Stages of a curriculum: from 3 to each of these. */
export const lengths = (...longest: number[]) =>
  longest.map((most) => [{ length: [3, most] }] as const satisfies Settings["stages"][number]);

const shared = { heads: 4, averagingWindow: 600, programs: 1000, device: "cpu" } as const;
const settings: Record<Scale, Settings> = {
  smoke: {
    ...shared,
    model: { layers: 1, width: 16, feedForward: 16 },
    train: { steps: 10, batch: 16, warmupSteps: 5 },
    programs: 30,
    ...{ stages: lengths(4, 6), tested: [6, 12] },
  },
  laptop: {
    ...shared,
    model: { layers: 2, width: 64, feedForward: 128 },
    ...{ stages: lengths(40), tested: [40, 256], training: { targets: "each" } },
    train: { warmupSteps: 50, schedule: "cosine", minLearningRateRatio: 0.02, steps: 500, batch: 32 },
  },
  paper: {
    ...shared,
    model: { layers: 2, width: 128, feedForward: 512 },
    ...{ stages: lengths(40), tested: [40, 256] },
    train: { steps: 100_000, batch: 1024, warmupSteps: 10_000, schedule: "cosine", weightDecay: 0.1 },
    device: "cuda",
  },
};

const testName = (range: Range) => `length ${range.join("–")}`;

/** Rows beyond training, one a seed. */
const beyond = (result: UnreadResult, { tested }: Settings, model: Model) =>
  measurementRows(result, { model, test: testName(tested) });

export const parityTable = defineExperiment<Settings>({
  name: "parity-table",
  question: "Which recurrences track parity beyond their training length?",
  about: "Which models compute parity beyond the trained length?",
  publishedIn: "G",
  models: described(compared),
  settings,
  published: compared.map((model) => ({
    source: GRAZZI,
    statement: `Scaled accuracy of ${architectures[model].label} on parity, lengths 40 to 256`,
    unlike: "trained with a target after every bit, there the last alone",
    models: [model],
    published: published[model],
    over: "best",
    measure: (result, setup) => beyond(result, setup, model).map(scaled),
  })),

  plan(setup, seeds) {
    const { stages, tested, training } = setup;
    const [{ length: trained }] = stages.at(-1)!;
    const task = { task: { name: "parity", ...training, length: trained }, stages };
    const tests = [trained, tested].map((length) => ({
      name: testName(length),
      change: { length, targets: "last" },
      asTrained: length === trained,
      chance: 1 / 2,
    }));
    return {
      runs: crossed(seeds, compared).map(([seed, model]) => ({
        setting: "parity",
        model,
        config: recipeConfig(setup, task, model, seed, learningRates[model] ?? LEARNING_RATE),
        tests,
      })),
      sample: { length: 8 },
    };
  },

  checks: (result, setup) =>
    compared.flatMap((model) =>
      about(
        [model],
        near(
          `${architectures[model].label} on parity, best seed`,
          beyond(result, setup, model).map(scaled),
          published[model],
          AGREEMENT,
          { read: (values) => Math.max(...values) },
        ),
      ),
    ),

  report: (result) => ({
    views: [
      {
        heading: "Accuracy at trained and longer lengths",
        text: "Scaled accuracy by the longest length of the test: left as trained, right beyond.",
        caption: "0 is chance, 100 no mistake. Strong line: mean over seeds.",
        figures: [
          lines(result, {
            title: "parity",
            xLabel: "longest length of the test (scaled accuracy)",
            scale: "log2",
            chance: 0,
            setting: "parity",
            points: (rows) =>
              rows.map((row) => [Math.max(...[row.tested.change.length].flat().map(Number)), scaled(row)]),
            reference: "none",
          }),
        ],
      },
    ],
  }),
});
