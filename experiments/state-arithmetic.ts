/**
 * @file Sums and differences of variables: does state supervision remove the difficulty of length, and of digits?
 *
 *     length 4 to 6 expressions x 1 to 3 digits, with the decoder head on the variable that a line changes, and without
 *
 * Expected: with supervision the accuracy no longer falls with length, and still falls with digits. Source: Grounding
 * Code Understanding in Step-by-Step Execution (2024), Fig. 7, after 2^23 samples. One model a number of digits is
 * trained on all lengths, and asked about each. Ours, below paper scale: programs from one expression on, so that there is
 * something easy to begin with, with and without supervision; a small Transformer whose convolution sees a whole line.
 */

import { mean } from "../src/math/statistics.ts";
import { experimentReport, percentSign } from "../src/report/index.ts";
import type { Experiment, Measured, PlannedRun, PublishedClaim, Scale } from "./experiment.ts";
import { LLAMA_13M, LLAMA_TRAIN } from "./llama.ts";
import {
  describedMethods,
  type MethodName,
  methods,
  SMALL_BATCHES,
  type SupervisedSetup,
  supervisedRun,
} from "./supervised.ts";
import { grid, rowsOf } from "./views.ts";

type Setup = Omit<SupervisedSetup, "task" | "chance" | "every"> & {
  /** Trained are all lengths up to the last, from `shortest` on. */
  readonly shortest: number;
  /** Asked, and compared: the first with the last. */
  readonly lengths: readonly number[];
  readonly digits: readonly number[];
};

const setups: Record<Scale, Setup> = {
  smoke: {
    shortest: 1,
    lengths: [1, 2],
    digits: [1],
    model: { name: "transformer", layers: 1, width: 16, heads: 2 },
    supervision: { state: "changed" },
    train: { steps: 8, batch: 8, learningRate: 3e-3, warmupSteps: 5 },
    programs: 20,
    tested: 40,
    device: "cpu",
  },
  laptop: {
    // Most programs of one expression and one digit are trained on, so the shortest asked have two.
    shortest: 1,
    lengths: [2, 3, 4, 5, 6],
    digits: [1, 2, 3],
    // Every expression may read the one before it: a layer each. The answer reads, one layer above, what the head teaches.
    model: { name: "transformer", layers: 6, width: 64, heads: 4, convolution: 8 },
    supervision: { state: "changed", layer: 4 },
    train: { ...SMALL_BATCHES, learningRate: 2e-3, steps: 6000 },
    programs: 500,
    tested: 500,
    device: "cpu",
  },
  paper: {
    shortest: 4,
    lengths: [4, 5, 6],
    digits: [1, 2, 3],
    model: LLAMA_13M,
    supervision: { state: "changed" },
    train: { ...LLAMA_TRAIN, steps: 2 ** 23 / 256, batch: 256 },
    programs: 1000,
    tested: 1000,
    device: "cuda",
  },
};

const compared = ["decoder", "unsupervised"] as const satisfies readonly MethodName[];
const source = "B, Fig. 7";
const settingOf = (digits: number) => `${digits} digit${digits === 1 ? "" : "s"}`;

/** Accuracy lost from the least to the most of `across`, with the other at its least: one a seed. */
function lost(result: Measured, model: MethodName, across: "length" | "digits"): number[] {
  const { lengths, digits } = setups[result.scale];
  const at = (seed: number, length: number, digit: number) =>
    rowsOf(result, { setting: settingOf(digit), model, test: `length ${length}` }).find(
      (row) => row.seed === seed,
    );
  return result.seeds.flatMap((seed) => {
    const first = at(seed, lengths[0]!, digits[0]!);
    const last =
      across === "length" ? at(seed, lengths.at(-1)!, digits[0]!) : at(seed, lengths[0]!, digits.at(-1)!);
    return first === undefined || last === undefined ? [] : [first.accuracy - last.accuracy];
  });
}

const claims: PublishedClaim[] = [
  {
    source,
    statement: "State supervision removes the difficulty of length",
    here: "accuracy lost from the shortest to the longest programs with the fewest digits; without supervision: see the grid",
    measure: (result) => lost(result, "decoder", "length"),
  },
  {
    source,
    statement: "State supervision does not remove the difficulty of digits",
    here: "accuracy lost from the fewest to the most digits in the shortest programs",
    measure: (result) => lost(result, "decoder", "digits"),
  },
];

export const stateArithmetic: Experiment = {
  name: "state-arithmetic",
  question:
    "Does state supervision remove what makes arithmetic hard: the length of the program, or of its numbers?",
  models: describedMethods(compared),
  published: claims,

  plan(scale, seeds) {
    const { shortest, lengths, digits, ...setup } = setups[scale];
    const longest = lengths.at(-1)!;
    const run = (seed: number, digit: number, method: MethodName): PlannedRun => {
      const task = { name: "arithmetic-program", length: longest, digits: digit };
      const planned = supervisedRun(
        { ...setup, task, chance: 0, every: setup.train.steps },
        method,
        seed,
        settingOf(digit),
      );
      return {
        ...planned,
        config: {
          ...planned.config,
          curriculum: { ...planned.config.curriculum, stages: [[{ length: [shortest, longest] }]] },
        },
        conditions: lengths.map((length) => ({
          name: `length ${length}`,
          change: { length },
          asTrained: true,
          chance: 0,
        })),
      };
    };
    return {
      runs: seeds.flatMap((seed) =>
        digits.flatMap((digit) => compared.map((method) => run(seed, digit, method))),
      ),
      sample: { length: 4, digits: 2 },
    };
  },

  findings(result) {
    if (result.scale === "smoke")
      return ["Smoke scale only shows that everything runs; it says nothing about the methods."];
    const [length] = [lost(result, "decoder", "length")];
    const text = `With supervision accuracy falls by ${(100 * mean(length)).toFixed(1)} points from the shortest to the longest programs with the fewest digits.`;
    return length.length > 0 && mean(length) > 0.05 ? [text] : [];
  },

  report(result) {
    const ofMethod = (method: MethodName) =>
      rowsOf(result, { model: method }).map((row) => ({
        ...row,
        tested: {
          ...row.tested,
          change: { ...row.tested.change, digits: Number.parseInt(row.setting, 10) },
        },
      }));
    const overall = (method: MethodName) =>
      percentSign(mean(ofMethod(method).map(({ accuracy }) => accuracy)));
    return experimentReport(result, {
      title: `Arithmetic is right in ${overall("decoder")} of programs with state supervision, in ${overall("unsupervised")} without`,
      lead: "An answer is right where all of its digits are. Mean over all lengths and digits; the grids have each.",
      views: [
        {
          heading: "Length and digits",
          text: "Numbers of more digits downwards, programs of more expressions to the right.",
          caption: "Percent of answers right on fresh programs, mean over seeds.",
          figures: compared
            .filter((method) => ofMethod(method).length > 0)
            .map((method) =>
              grid({
                title: methods[method].label,
                rows: ofMethod(method),
                down: ["digits", "digits"],
                across: ["length", "expressions"],
              }),
            ),
        },
      ],
    });
  },
};
