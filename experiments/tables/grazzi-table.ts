/** @file Half of G's table as an experiment: one problem, all of its models, trained on short strings and asked about long ones. */

import { type ArchitectureName, architectures, described } from "../runner/architectures.ts";
import { near, ofLearned } from "../runner/checks.ts";
import {
  AGREEMENT,
  crossed,
  defineExperiment,
  type Experiment,
  GRAZZI,
  type Scale,
  type UnreadResult,
} from "../runner/define.ts";
import { recipeConfig, type TrainingSetup } from "../runner/recipes.ts";
import { lines, measurementRows, scaled } from "../runner/views.ts";

type Change = Readonly<Record<string, unknown>>;

interface Settings extends TrainingSetup {
  readonly stages: readonly (readonly [{ readonly length: readonly [least: number, most: number] }])[];
  readonly tested: readonly [least: number, most: number];
  /** What else is different in the task that is trained. */
  readonly training?: Change;
  /** Models that are of another size than the rest. */
  readonly own?: Readonly<Partial<Record<ComparedName, { readonly model: object; readonly heads: number }>>>;
}

export interface Half {
  readonly name: string;
  readonly question: string;
  readonly about: string;
  readonly problem: string;
  readonly task: string;
  readonly chance: number;
  /** What else is different in the task that is asked about. */
  readonly asked?: Change;
  /** What is not as in G where it runs on a laptop. */
  readonly here: string;
  /** Scaled accuracy, best of three. */
  readonly published: Readonly<Record<ComparedName, number>>;
  readonly settings: Record<Scale, Settings>;
}

const compared = [
  "transformer",
  "mlstm",
  "slstm",
  "mamba[0,1]",
  "mamba[-1,1]",
  "deltanet[0,1]",
  "deltanet[-1,1]",
] as const satisfies readonly ArchitectureName[];
type ComparedName = (typeof compared)[number];

/** Of 1e-3, 3e-3 and 1e-2 on a seed that no result uses. */
const learningRates: Readonly<Partial<Record<ComparedName, number>>> = {
  "mamba[0,1]": 1e-2,
  "mamba[-1,1]": 1e-2,
};
const LEARNING_RATE = 3e-3;

/** Stages of a curriculum: from 3 to each of these. */
export const lengths = (...longest: number[]) =>
  longest.map((most) => [{ length: [3, most] }] as const satisfies Settings["stages"][number]);

const testName = (range: Settings["tested"]) => `length ${range.join("–")}`;

export function experimentOn(half: Half): Experiment {
  const { name, question, about, problem, task, chance, asked, here, published, settings } = half;
  /** Scaled accuracy beyond training, one a seed. */
  const beyond = (result: UnreadResult, { tested }: Settings, model: ComparedName) =>
    measurementRows(result, { model, test: testName(tested) }).map(scaled);
  return defineExperiment<Settings>({
    name,
    question,
    about,
    publishedIn: "G",
    models: described(compared),
    settings,
    published: compared.map((model) => ({
      source: GRAZZI,
      statement: `Scaled accuracy of ${architectures[model].label} on ${problem}, lengths 40 to 256`,
      here,
      models: [model],
      published: published[model],
      over: "best",
      measure: (result, setup) => beyond(result, setup, model),
    })),

    plan(setup, seeds) {
      const { stages, tested, training, own } = setup;
      const [{ length: trained }] = stages.at(-1)!;
      const trainedTask = { task: { name: task, ...training, length: trained }, stages };
      const tests = [trained, tested].map((length) => ({
        name: testName(length),
        change: { length, ...asked },
        asTrained: length === trained,
        chance,
      }));
      return {
        runs: crossed(seeds, compared).map(([seed, model]) => ({
          setting: problem,
          model,
          config: recipeConfig(
            { ...setup, ...own?.[model], model: { ...setup.model, ...own?.[model]?.model } },
            trainedTask,
            model,
            seed,
            learningRates[model] ?? LEARNING_RATE,
          ),
          tests,
        })),
        sample: { length: 8 },
      };
    },

    checks: (result, setup) =>
      compared.flatMap((model) =>
        near(
          `${architectures[model].label} on ${problem}, best seed`,
          ofLearned(result, measurementRows(result, { model, test: testName(setup.tested) })).map(scaled),
          published[model],
          AGREEMENT,
          { read: (values) => Math.max(...values) },
        ),
      ),

    report: (result) => ({
      views: [
        {
          heading: "Trained lengths, and longer ones",
          text: "Scaled accuracy by the longest length of the test: left as trained, right beyond.",
          caption: "0 is a uniform guess, 100 no mistake. Strong line: mean over seeds.",
          figures: [
            lines(result, {
              title: problem,
              xLabel: "longest length of the test (scaled accuracy)",
              scale: "log2",
              chance: 0,
              setting: problem,
              points: (rows) => rows.map((row) => [longest(row.tested.change), scaled(row)]),
              reference: "none",
            }),
          ],
        },
      ],
    }),
  });
}

const longest = ({ length }: Change) => Math.max(...[length].flat().map(Number));
