/**
 * @file Sums and differences of two digits, one expression first: how far do programs get, with state supervision and without?
 *
 *     one expression    1 to 2    1 to 3    1 to 6      the next where 90 % of the answers are right
 *
 * In state-arithmetic, where all lengths come at once, two digits are not learned in 96,000 programs. Here both methods have the
 * curriculum, a wider model and eight times the programs. Expected: two digits are learned to a length that grows with training,
 * sooner with the head. Source: Grounding Code Understanding in Step-by-Step Execution (2024), Fig. 7, after 2^23 samples of 4 to
 * 6 expressions.
 */

import { formatCount } from "../../src/report/index.ts";
import { CurriculumConfig } from "../../src/schemas/run-config.ts";
import type { Scale } from "../runner/define.ts";
import { crossed, defineExperiment } from "../runner/define.ts";
import { by, lines, measurementRows, readAccuracy } from "../runner/views.ts";
import {
  describedMethods,
  LAPTOP,
  type MethodName,
  paperSamples,
  SMALL_BATCHES,
  SMOKE,
  type SupervisedSetup,
  supervisedRun,
} from "./shared.ts";

type Setup = Omit<SupervisedSetup, "task" | "chance" | "every"> & {
  readonly digits: number;
  /** The longest programs of each stage; all shorter ones stay in it. */
  readonly stages: readonly number[];
  /** Asked, each alone. */
  readonly lengths: readonly number[];
};

const settings: Record<Scale, Setup> = {
  smoke: {
    ...SMOKE,
    digits: 1,
    stages: [1, 2],
    lengths: [1, 2],
    model: { ...SMOKE.model, layers: 1 },
    supervision: { state: "changed" },
    train: { ...SMOKE.train, steps: 8, padTo: "batch" },
    programs: 20,
  },
  laptop: {
    ...LAPTOP,
    digits: 2,
    stages: [1, 2, 3, 6],
    lengths: [1, 2, 3, 4, 5, 6],
    model: { ...LAPTOP.model, layers: 6, width: 128, heads: 8, convolution: 8 },
    supervision: { state: "changed", layer: 4 },
    train: { ...SMALL_BATCHES, batch: 32, steps: 24_000, padTo: "batch" },
    programs: 500,
    tested: 1000,
  },
  paper: {
    ...paperSamples(2 ** 23),
    digits: 2,
    stages: [6],
    lengths: [4, 5, 6],
    supervision: { state: "changed" },
    tested: 1000,
  },
};

const compared = ["decoder", "unsupervised"] as const satisfies readonly MethodName[];
const settingOf = ({ digits }: Setup) => formatCount(digits, "digit");
const ACCURACY = 0.9;
/** Answers over which that looks back, roughly. */
const MEMORY = 200;
const lengthName = (length: number) => `length ${length}`;

export const stateDigits = defineExperiment<Setup>({
  name: "state-digits",
  question: "How far do programs of two digits get by a curriculum, with state supervision and without?",
  about: "two digits, by a curriculum",
  publishedIn: "B, Fig. 7",
  models: describedMethods(compared),
  settings,
  published: [
    {
      source: "B, Fig. 7",
      statement: "State supervision does not remove the difficulty of digits (two digits, by a curriculum)",
      models: ["decoder"],
      here: "share of answers that are right in the shortest programs that are asked",
      measure: (result, { lengths: [shortest] }) =>
        measurementRows(result, { model: "decoder", test: lengthName(shortest) }).map(readAccuracy),
    },
  ],

  plan: (setup, seeds) => ({
    runs: crossed(seeds, compared).map(([seed, method]) => {
      const { digits, stages, lengths, train } = setup;
      const longest = stages[stages.length - 1];
      const task = { name: "arithmetic-program", length: longest, digits };
      const own = { ...setup, task, chance: 0, every: train.steps };
      const planned = supervisedRun(own, method, seed, settingOf(setup));
      const curriculum = CurriculumConfig.parse({
        stages: stages.map((most) => [{ length: [1, most] }]),
        accuracy: ACCURACY,
        memory: MEMORY,
      });
      return {
        ...planned,
        config: { ...planned.config, curriculum },
        tests: lengths.map((length) => ({
          name: lengthName(length),
          change: { length },
          asTrained: true,
          chance: 0,
        })),
      };
    }),
    sample: { length: 3, digits: 2 },
  }),

  report: (result, setup) => ({
    views: [
      {
        heading: "Length",
        text: "Fresh programs, each length alone; a length that a method's curriculum did not come to is marked in the table below.",
        caption: "Percent of answers right. Strong line: mean over seeds.",
        figures: [
          lines(result, {
            title: formatCount(setup.digits, "digit"),
            xLabel: "expressions",
            scale: "linear",
            chance: 0,
            setting: settingOf(setup),
            points: by("length"),
          }),
        ],
      },
    ],
  }),
});
