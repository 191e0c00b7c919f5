/**
 * @file Do labels from execution help a model that sees a function as it was written: which lines ran, what each variable is at the end?
 *
 *     trained   the task `branches`: a function with arguments; asked what it returns, and which conditions held (the path)
 *     with      the same, and heads: at each line whether it ran; at the end the class of value and the type of each variable
 *     without   the answers alone
 *
 * Expected, written before the first run: both accuracies are higher with the heads, that of the path more, since its labels stand at the very
 * lines where a condition is decided; published are 12.4 % for complete paths and 25.2 % for values, relative, of a model that was first trained on the
 * labels and then on the task. Here both are trained at once, from nothing, so gains may be of another size; where both models have all
 * answers right there is none.
 *
 * Source: TRACED (Ding et al. 2023, arXiv:2306.07487). Functions, sizes and criteria are our own.
 */

import { percentSign } from "../../src/report/index.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import {
  above,
  type ClaimOf,
  crossed,
  defineExperiment,
  measurementRows,
  type Scale,
  type UnreadResult,
} from "../runner/index.ts";
import { LAPTOP, SMALL_BATCHES, SMOKE } from "../supervision/shared.ts";

const models = {
  with: {
    label: "with execution labels",
    summary: "heads on executed lines, and on class and type of each final variable",
  },
  without: { label: "answers alone", summary: "the same model, the same programs, no heads" },
} as const;
type Method = keyof typeof models;
const compared = Object.keys(models) as Method[];

interface Settings {
  readonly task: Readonly<Record<string, unknown>>;
  /** Changes to the task, easiest first: the curriculum goes through them. */
  readonly stages: readonly (readonly Readonly<Record<string, unknown>>[])[];
  readonly model: Readonly<Record<string, unknown>>;
  readonly layer: number;
  readonly train: Readonly<Record<string, unknown>> & { readonly steps: number };
  readonly tested: number;
  readonly device: "cpu" | "cuda";
}

const settings: Record<Scale, Settings> = {
  smoke: {
    ...SMOKE,
    task: { conditions: 1, lines: 1, numbers: 12 },
    stages: [[{}]],
    layer: 0,
  },
  laptop: {
    task: { conditions: [1, 2], lines: 0, numbers: 6, starts: 4, mostStep: 3 },
    stages: [[{ conditions: 1 }], [{}]],
    model: { name: "transformer", layers: 4, width: 64, feedForward: 192, heads: 4, convolution: 4 },
    layer: 2,
    train: {
      ...{ ...SMALL_BATCHES, batch: 32, steps: 5000 },
      ...{ learningRate: 3e-3, schedule: "wsd", decaySteps: 2500 },
    },
    tested: 1000,
    device: LAPTOP.device,
  },
  paper: {
    task: { conditions: [1, 4], lines: [1, 6], numbers: 60 },
    stages: [[{ conditions: 1 }], [{}]],
    model: { name: "transformer", layers: 6, width: 512, heads: 8, convolution: 4 },
    layer: 3,
    train: { steps: 50_000, batch: 64, learningRate: 3e-4, warmupSteps: 500, schedule: "cosine" },
    tested: 10_000,
    device: "cuda",
  },
};

/** The answers of a program, in their order. */
const answers = { value: 0, path: 1 } as const;
type Answer = keyof typeof answers;
const inWords = { value: "values", path: "complete paths" } as const;
const TRACED = "TRACED, arXiv:2306.07487";

/** Of each seed that both were trained with, the accuracies without and with the labels. */
function pairsOf(result: Pick<UnreadResult, "results">, answer: Answer) {
  const place = answers[answer];
  return measurementRows(result, { model: "with" }).flatMap(({ seed, accuracyByReveal }) => {
    const [other] = measurementRows(result, { model: "without", seed });
    return other === undefined
      ? []
      : [{ seed, with: accuracyByReveal[place], without: other.accuracyByReveal[place] }];
  });
}

/** By how much of itself the accuracy without is raised. */
const gains = (result: Pick<UnreadResult, "results">, answer: Answer) =>
  pairsOf(result, answer).flatMap((pair) => (pair.without > 0 ? [pair.with / pair.without - 1] : []));

const claim = (answer: Answer, published: number): ClaimOf<Settings> => ({
  source: TRACED,
  statement: `Execution labels raise the accuracy of ${inWords[answer]}, as a relative gain`,
  published,
  models: compared,
  here: "accuracy with labels over accuracy without, minus 1",
  unlike: "a small model trained on both at once, there a pretrained one and the labels first",
  measure: (result) => gains(result, answer),
});

export const executionLabels = defineExperiment<Settings>({
  name: "execution-labels",
  question: "Do labels of executed lines and values help a model that reads functions as written?",
  about: "Do labels of executed lines and value classes help?",
  publishedIn: "TRACED",
  models,
  settings,
  published: [claim("path", 0.124), claim("value", 0.252)],

  plan({ task, stages, model, layer, train, tested, device }, seeds) {
    return {
      runs: crossed(seeds, compared).map(([seed, method]) => ({
        setting: "",
        model: method,
        config: RunConfig.parse({
          ...{ seed, task: { name: "branches", ...task }, model, device },
          // The same batches, but for rounding; the heads' loss does not follow from those of a batch's parts.
          train: { ...train, padding: method === "with" ? "longest" : "bucket" },
          ...(method === "with" && { stateSupervision: { head: "execution", layer } }),
          curriculum: { stages, threshold: 0.9 },
          evaluate: { examples: tested },
          checkpointEvery: 1000,
        }),
        tests: [{ name: "as trained", change: {}, asTrained: true, chance: 0 }],
      })),
      sample: {},
    };
  },

  checks: (result) =>
    (Object.keys(answers) as Answer[]).flatMap((answer) =>
      above(`relative gain of ${inWords[answer]} by the labels`, gains(result, answer), 0),
    ),

  report: (result) => ({
    lead: "Both read the same functions as written, and predict the returned value and which conditions held.",
    views: [
      {
        heading: "With and without",
        text: "Share of functions with a correct value, and with all conditions correct. The gain is relative, by seed: with over without, minus 1.",
        caption: "Accuracy on held-out functions.",
        figures: [],
        table: {
          columns: ["seed", "answer", models.with.label, models.without.label, "gain"],
          rows: (Object.keys(answers) as Answer[]).flatMap((answer) =>
            pairsOf(result, answer).map((pair) => [
              String(pair.seed),
              inWords[answer],
              percentSign(pair.with),
              percentSign(pair.without),
              pair.without > 0 ? percentSign(pair.with / pair.without - 1) : "",
            ]),
          ),
        },
        words: 2,
      },
    ],
  }),
});
