/**
 * @file How far does tracking reach beyond training, in the number of commands and in the distance between reveals?
 *
 *     trained   64 commands, a reveal every 8 (laptop: 16 commands)
 *     tested    every pair of 16 to 128 commands and a reveal every 4 to 32
 *
 * Expected: DeltaNet [-1,1] stays right on both axes; DeltaNet [0,1] and the Transformer fall to the windowed reference.
 * Source: A, arXiv:2602.14814, Fig. 4 right. Model sizes and optimizer at paper scale are O's, arXiv:2604.03444.
 */

import { mean } from "../../src/math/statistics.ts";
import type { ResultRow } from "../../src/records/result.ts";
import { experimentReport, listed, percentSign } from "../../src/report/index.ts";
import { architectures, described } from "../engine/architectures.ts";
import type { Experiment, Plan, PlannedTest, Scale, UnreadResult } from "../engine/experiment.ts";
import { asReference, grid, rowsOf, settingsOf } from "../engine/views.ts";
import { type ReplSetup, replRun, replTest } from "./setup.ts";

interface ScaleSettings extends Omit<ReplSetup, "variables"> {
  /** S_n for each: one setting each. */
  readonly groups: readonly number[];
  readonly testedCommands: readonly number[];
  readonly testedSpacings: readonly number[];
}

export const settings: Record<Scale, ScaleSettings> = {
  smoke: {
    groups: [3],
    commands: 4,
    spacings: [1, 2],
    testedCommands: [4, 8],
    testedSpacings: [2, 4],
    model: { layers: 1, width: 16, feedForward: 32 },
    heads: 2,
    train: { steps: 10, batch: 8, warmupSteps: 5 },
    memory: 40,
    programs: 30,
    device: "cpu",
  },
  laptop: {
    groups: [3, 5],
    commands: 16,
    spacings: [1, 2, 4, 8],
    testedCommands: [16, 32, 64, 128],
    testedSpacings: [4, 8, 16, 32],
    model: { layers: 2, width: 64, feedForward: 128 },
    heads: 2,
    train: { steps: 1200, batch: 16, warmupSteps: 20, schedule: "wsd", decaySteps: 300, finalShare: 0.05 },
    memory: 100,
    programs: 300,
    device: "cpu",
  },
  paper: {
    groups: [3, 4, 5],
    commands: 64,
    spacings: [1, 2, 4, 8],
    testedCommands: [16, 32, 64, 128, 256],
    testedSpacings: [4, 8, 16, 32],
    model: { layers: 4, width: 256, feedForward: 1024 },
    heads: 4,
    train: { steps: 20_000, batch: 32, warmupSteps: 250 },
    memory: 400,
    programs: 1000,
    device: "cuda",
  },
};

const learningRates = { "deltanet[-1,1]": 1e-3, "deltanet[0,1]": 5e-4, transformer: 1e-3 } as const;
const compared = Object.keys(learningRates) as (keyof typeof learningRates)[];

/** The runs of this experiment and of repl-positions: the same models, other questions. */
export function extrapolationPlan(
  scale: Scale,
  seeds: readonly number[],
  testsOf: (variables: number) => readonly PlannedTest[],
): Plan {
  const { groups, ...setup } = settings[scale];
  return {
    runs: seeds.flatMap((seed) =>
      groups.flatMap((variables) =>
        compared.map((model) => ({
          setting: `S_${variables}`,
          model,
          config: replRun({ ...setup, variables }, model, seed, learningRates[model]),
          tests: testsOf(variables),
        })),
      ),
    ),
    window: 2 * Math.max(...setup.spacings),
    sample: { spacing: setup.spacings[Math.min(2, setup.spacings.length - 1)] },
  };
}

/** The hardest pair: the longest sessions, reveals twice as far apart as the widest ever trained. */
function hardestOf(scale: Scale): string {
  const { testedCommands, spacings } = settings[scale];
  return `${Math.max(...testedCommands)}/${2 * Math.max(...spacings)}`;
}

const windowed = (row: ResultRow) => asReference(row, "windowedBayes")?.accuracy ?? row.tested.chance;
const meanOf = (rows: readonly ResultRow[]) => mean(rows.map(({ accuracy }) => accuracy));

export const replExtrapolation: Experiment = {
  name: "repl-extrapolation",
  question:
    "How far beyond training does tracking reach: in the number of commands, and between two reveals?",
  about: "how far beyond training: commands and spacing",
  publishedIn: "A, Fig. 4 right",
  models: described(compared),
  published: [
    {
      source: "A, arXiv:2602.14814, Fig. 4 right",
      statement: "Trained at spacing 8 with 64 commands, DeltaNet [-1,1] extrapolates on both axes",
      here: "mean accuracy over all pairs longer or sparser than trained",
      measure: ({ results, seeds }) =>
        seeds.flatMap((seed) => {
          const own = results.filter(
            (row) => row.model === "deltanet[-1,1]" && row.seed === seed && !row.tested.asTrained,
          );
          return own.length === 0 ? [] : [meanOf(own)];
        }),
    },
  ],
  trainedBy: "repl-positions",

  plan(scale, seeds) {
    const { commands, spacings, testedCommands, testedSpacings } = settings[scale];
    return extrapolationPlan(scale, seeds, (variables) =>
      testedCommands.flatMap((length) =>
        testedSpacings
          .filter((spacing) => spacing <= length)
          .map((spacing) =>
            replTest(variables, length, spacing, length === commands && spacings.includes(spacing)),
          ),
      ),
    );
  },

  findings(result) {
    if (result.scale === "smoke")
      return ["Smoke scale only shows that everything runs; it says nothing about the models."];
    const test = hardestOf(result.scale);
    return rowsOf(result, { test }).flatMap((row) => {
      const { setting, model, seed, accuracy } = row;
      const where = `${setting}, ${model} (seed ${seed}) at ${test}: ${percentSign(accuracy)}`;
      if (model === "deltanet[-1,1]") return accuracy < 0.95 ? [`${where}, below the expected 95 %.`] : [];
      const reachable = windowed(row);
      return accuracy > reachable + 0.05
        ? [`${where}, more than 5 points above the windowed reference ${percentSign(reachable)}.`]
        : [];
    });
  },

  report(result) {
    const test = hardestOf(result.scale);
    return experimentReport(result, {
      title: titleOf(result, test),
      lead: `At ${test} (commands/commands per reveal), mean over seeds: ${listed(
        settingsOf(result).flatMap((setting) =>
          compared.flatMap((model) => {
            const rows = rowsOf(result, { setting, model, test });
            return rows.length === 0
              ? []
              : [`${architectures[model].label} ${percentSign(meanOf(rows))} on ${setting}`];
          }),
        ),
      )}.`,
      views: settingsOf(result).map((setting) => ({
        heading: `Accuracy on ${setting}`,
        text: "Every pair of a number of commands and a distance between reveals. A model that tracks is dark everywhere.",
        caption: "Percent of revealed values named, mean over seeds. Framed: as trained.",
        figures: [
          ...compared.map((model) =>
            grid({
              title: architectures[model].label,
              rows: rowsOf(result, { setting, model }),
              down: ["spacing", "reveal every"],
              across: ["commands", "commands"],
            }),
          ),
          grid({
            title: `Windowed filter (last ${result.window} commands)`,
            rows: rowsOf(result, { setting, model: compared[0] }).flatMap(
              (row) => asReference(row, "windowedBayes") ?? [],
            ),
            down: ["spacing", "reveal every"],
            across: ["commands", "commands"],
          }),
        ],
      })),
    });
  },
};

/** `Only DeltaNet [-1,1] (S_3) names 95 % of the values at 128/16 in every seed`. */
function titleOf(result: UnreadResult, test: string): string {
  const tracking = compared.flatMap((model) => {
    const settings = settingsOf(result).filter((setting) => {
      const rows = rowsOf(result, { setting, model, test });
      return rows.length > 0 && rows.every(({ accuracy }) => accuracy >= 0.95);
    });
    return settings.length === 0 ? [] : [`${architectures[model].label} (${listed(settings)})`];
  });
  const reach = `95 % of the values at ${test} in every seed`;
  if (tracking.length === 0) return `No model names ${reach}`;
  const only = tracking.length < compared.length ? "Only " : "";
  return `${only}${listed(tracking)} ${tracking.length === 1 ? "names" : "name"} ${reach}`;
}
