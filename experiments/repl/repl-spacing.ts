/**
 * @file How much does each model need to be shown? Accuracy against the distance between reveals.
 *
 *     settings   swaps; full permutations; a reveal prints all variables
 *     trained    8 commands with every spacing from 1 to 8, by the adaptive curriculum
 *     tested     8 commands, a reveal every 1, 2, 4, 8
 *
 * Expected: DeltaNet [-1,1] is right at every spacing; the Transformer falls as the spacing grows, and with full
 * permutations fails under any sparsity. Source: A, arXiv:2602.14814, Fig. 3. That reveals are full is ours: with partial
 * ones small Transformers never leave chance, and nothing is left that could fall (evidence/repl-spacing/log.md).
 */

import { chanceInARow, mean } from "../../src/math/statistics.ts";
import type { ResultRow } from "../../src/records/result.ts";
import { experimentReport, listed, percentSign } from "../../src/report/index.ts";
import { architectures, described } from "../engine/architectures.ts";
import type { Experiment, Scale, UnreadResult } from "../engine/experiment.ts";
import { asReference, by, lines, rowsOf } from "../engine/views.ts";
import { type ReplSetup, replRun, replTest } from "./setup.ts";

const settings: Record<Scale, ReplSetup> = {
  smoke: {
    variables: 3,
    commands: 4,
    reveal: "full",
    spacings: [1, 2, 4],
    model: { layers: 1, width: 16, feedForward: 32 },
    heads: 2,
    train: { steps: 10, batch: 8, warmupSteps: 5 },
    memory: 40,
    programs: 30,
    device: "cpu",
  },
  laptop: {
    variables: 3,
    commands: 8,
    reveal: "full",
    spacings: [1, 2, 4, 8],
    model: { layers: 2, width: 64, feedForward: 128 },
    heads: 2,
    train: { steps: 1500, batch: 16, warmupSteps: 100, schedule: "wsd", decaySteps: 300, finalShare: 0.05 },
    memory: 300,
    programs: 500,
    device: "cpu",
  },
  paper: {
    variables: 5,
    commands: 64,
    reveal: "full",
    spacings: [1, 2, 4, 8, 16, 32, 64],
    model: { layers: 4, width: 256, feedForward: 1024 },
    heads: 4,
    train: { steps: 20_000, batch: 32, warmupSteps: 250 },
    memory: 400,
    programs: 1000,
    device: "cuda",
  },
};

const kinds = { swaps: "swap", "full permutations": "permutation" } as const;
const learningRates = { "deltanet[-1,1]": 1e-3, "deltanet[0,1]": 5e-4, transformer: 1e-3 } as const;
const compared = Object.keys(learningRates) as (keyof typeof learningRates)[];

const meanOf = (rows: readonly ResultRow[]) => mean(rows.map(({ accuracy }) => accuracy));
const testAt = (scale: Scale, spacing: number) => `${settings[scale].commands}/${spacing}`;
const ends = (scale: Scale) => {
  const { spacings } = settings[scale];
  return { densest: Math.min(...spacings), widest: Math.max(...spacings) };
};

/** For each seed how much the Transformer loses from the densest to the widest spacing. */
function loss({ results, seeds, scale }: UnreadResult, setting: string): number[] {
  const { densest, widest } = ends(scale);
  const at = (seed: number, spacing: number) =>
    rowsOf({ results }, { setting, model: "transformer", test: testAt(scale, spacing) }).find(
      (row) => row.seed === seed,
    )?.accuracy;
  return seeds.flatMap((seed) => {
    const [first, last] = [at(seed, densest), at(seed, widest)];
    return first === undefined || last === undefined ? [] : [first - last];
  });
}

export const replSpacing: Experiment = {
  name: "repl-spacing",
  question: "How often must the state be shown for a model to follow it?",
  about: "how often must the state be shown",
  publishedIn: "A, Fig. 3",
  models: described(compared),
  published: [
    {
      source: "A, arXiv:2602.14814, Fig. 3",
      statement: "Transformers need dense reveals: their accuracy falls as the spacing grows (swaps)",
      here: "accuracy lost from the densest to the widest spacing",
      measure: (result) => loss(result, "swaps"),
    },
    {
      source: "A, arXiv:2602.14814, Fig. 3",
      statement: "With full permutations Transformers fail under any sparsity",
      here: "accuracy of the Transformer at spacing 2",
      measure: (result) =>
        rowsOf(result, {
          setting: "full permutations",
          model: "transformer",
          test: testAt(result.scale, 2),
        }).map(({ accuracy }) => accuracy),
    },
  ],

  plan(scale, seeds) {
    const setup = settings[scale];
    const { variables, commands, spacings } = setup;
    return {
      runs: seeds.flatMap((seed) =>
        Object.entries(kinds).flatMap(([setting, commandKind]) =>
          compared.map((model) => ({
            setting,
            model,
            config: replRun({ ...setup, commandKind }, model, seed, learningRates[model]),
            tests: spacings.map((spacing) => ({
              ...replTest(variables, commands, spacing, true),
              chance: chanceInARow(variables),
            })),
          })),
        ),
      ),
      window: 2 * Math.max(...spacings),
      sample: { spacing: 4 },
    };
  },

  findings(result) {
    if (result.scale === "smoke")
      return ["Smoke scale only shows that everything runs; it says nothing about the models."];
    const { densest, widest } = ends(result.scale);
    const stuck = result.training.flatMap(({ setting, model, seed, steps, points }) => {
      const stage = points.at(-1)?.stage;
      const text = `${setting}, ${model} (seed ${seed}): its curriculum ended at spacing ${stage} after ${steps} steps; it never saw wider ones in training.`;
      return stage === String(widest) ? [] : [text];
    });
    const short = Object.keys(kinds).flatMap((setting) =>
      rowsOf(result, { setting, model: "deltanet[-1,1]" }).flatMap(({ seed, tested, accuracy }) =>
        accuracy < 0.95
          ? [
              `${setting}, deltanet[-1,1] (seed ${seed}) at ${tested.name}: ${percentSign(accuracy)}, below the expected 95 %.`,
            ]
          : [],
      ),
    );
    const flat = loss(result, "swaps").every((lost) => lost < 0.05)
      ? [`The Transformer loses less than 5 points from spacing ${densest} to ${widest}.`]
      : [];
    return [...short, ...flat, ...stuck];
  },

  report(result) {
    const { densest, widest } = ends(result.scale);
    const at = (model: string, setting: string, spacing: number) => {
      const rows = rowsOf(result, { model, setting, test: testAt(result.scale, spacing) });
      return rows.length === 0 ? "not tested" : percentSign(meanOf(rows));
    };
    const right = compared.filter((model) => {
      const rows = rowsOf(result, { model });
      return rows.length > 0 && rows.every(({ accuracy }) => accuracy >= 0.95);
    });
    const names = listed(right.map((model) => architectures[model].label));
    const reachable = rowsOf(result, { setting: "swaps", test: testAt(result.scale, widest) }).flatMap(
      (row) => asReference(row, "windowedBayes") ?? [],
    );
    return experimentReport(result, {
      title:
        right.length === 0
          ? "No model is right at every spacing"
          : `${right.length < compared.length ? "Only " : ""}${names} ${right.length === 1 ? "is" : "are"} right at every spacing`,
      lead: `With swaps, from a reveal after every command to one after ${widest}: ${listed(
        compared.map(
          (model) =>
            `${architectures[model].label} from ${at(model, "swaps", densest)} to ${at(model, "swaps", widest)}`,
        ),
      )}.`,
      views: [
        {
          heading: "Accuracy by spacing",
          text: "The same sessions of commands, shown more and more rarely. A model that tracks is right however rarely.",
          caption: `Percent of revealed values named. Strong line: mean over seeds. Guess: ${percentSign(chanceInARow(settings[result.scale].variables))}, since of all values in a row the last is what is left. ${reachable.length === 0 ? "" : `The window of the windowed filter (${result.window} commands) holds the whole session.`}`,
          figures: Object.keys(kinds)
            .filter((setting) => rowsOf(result, { setting }).length > 0)
            .map((setting) =>
              lines(result, {
                title: setting,
                xLabel: "commands per reveal",
                scale: "log2",
                chance: chanceInARow(settings[result.scale].variables),
                setting,
                points: by("spacing"),
                reference: "none",
              }),
            ),
        },
      ],
    });
  },
};
