/**
 * @file Sums and differences of variables: does state supervision remove the difficulty of length, and of digits?
 *
 *     length 4 to 6 expressions x 1 to 3 digits, with the decoder head on the variable that a line changes, and without
 *
 * Expected: with supervision the accuracy no longer falls with length, and still falls with digits. Source: Grounding
 * Code Understanding in Step-by-Step Execution (2024), Fig. 7, after 2^23 samples. One model a number of digits is
 * trained on all lengths, and asked about each. Ours, below paper scale: programs from one expression on, so that there is
 * something easy to begin with, with and without supervision; a small Transformer whose convolution sees a whole line; and
 * one digit again with more steps, since length is asked of models that can add.
 */

import { mean } from "../../src/math/statistics.ts";
import { counted, experimentReport, integer, percentSign, points } from "../../src/report/index.ts";
import type { Experiment, PlannedRun, PublishedClaim, Scale, UnreadResult } from "../engine/experiment.ts";
import { by, grid, lines, rowsOf } from "../engine/views.ts";
import { LLAMA_13M, LLAMA_TRAIN } from "./llama.ts";
import {
  describedMethods,
  type MethodName,
  methods,
  SMALL_BATCHES,
  type SupervisedSetup,
  supervisedRun,
} from "./methods.ts";

type Setup = Omit<SupervisedSetup, "task" | "chance" | "every"> & {
  /** Trained are all lengths up to the last, from `shortest` on. */
  readonly shortest: number;
  /** Asked, and compared: the first with the last. */
  readonly lengths: readonly number[];
  /** Compared: the first with the last. */
  readonly digits: readonly number[];
  /** The first of the digits, trained anew like this. */
  readonly longer?: Readonly<Record<string, unknown>> & { readonly steps: number };
};

const setups: Record<Scale, Setup> = {
  smoke: {
    shortest: 1,
    lengths: [1, 2],
    digits: [1],
    longer: { steps: 10, padTo: "batch" },
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
    longer: { steps: 24_000, padTo: "batch" },
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
const digitsOf = (digits: number) => counted(digits, "digit");

/** A number of digits, with as many steps as all have, or trained longer. */
interface Setting {
  readonly name: string;
  readonly digits: number;
  readonly train: Setup["train"];
}

const equalSteps = ({ digits, train }: Setup): Setting[] =>
  digits.map((each) => ({ name: digitsOf(each), digits: each, train }));

function longerTrained({ digits: [least], train, longer }: Setup): Setting[] {
  if (least === undefined || longer === undefined) return [];
  return [
    {
      name: `${digitsOf(least)}, ${integer(longer.steps)} steps`,
      digits: least,
      train: { ...train, ...longer },
    },
  ];
}

const accuracyAt = (result: UnreadResult, setting: string, model: MethodName, length: number, seed: number) =>
  rowsOf(result, { setting, model, test: `length ${length}` }).find((row) => row.seed === seed)?.accuracy;

/** Accuracy lost from one [setting, length] to another, for each seed that has both. */
function lost(
  result: UnreadResult,
  model: MethodName,
  from: readonly [string, number],
  to: readonly [string, number],
): number[] {
  return result.seeds.flatMap((seed) => {
    const [first, last] = [from, to].map(([setting, length]) =>
      accuracyAt(result, setting, model, length, seed),
    );
    return first === undefined || last === undefined ? [] : [first - last];
  });
}

/** The fewest digits, as often as they are trained; the longest training last. */
const fewestDigits = (setup: Setup) => [...equalSteps(setup).slice(0, 1), ...longerTrained(setup)];

/** From the shortest to the longest programs, of the fewest digits, trained as long as any. */
function lostByLength(result: UnreadResult, model: MethodName): number[] {
  const setup = setups[result.scale];
  const { name } = fewestDigits(setup).at(-1)!;
  return lost(result, model, [name, setup.lengths[0]!], [name, setup.lengths.at(-1)!]);
}

/** From the fewest to the most digits, in the shortest programs, trained equally long. */
function lostByDigits(result: UnreadResult, model: MethodName): number[] {
  const { lengths, digits } = setups[result.scale];
  const [length] = lengths as [number];
  return lost(result, model, [digitsOf(digits[0]!), length], [digitsOf(digits.at(-1)!), length]);
}

const claims: PublishedClaim[] = [
  {
    source,
    statement: "State supervision removes the difficulty of length",
    here: "accuracy lost from the shortest to the longest programs with the fewest digits, with as many steps as any had",
    measure: (result) => lostByLength(result, "decoder"),
  },
  {
    source,
    statement: "State supervision does not remove the difficulty of digits",
    here: "accuracy lost from the fewest to the most digits in the shortest programs",
    measure: (result) => lostByDigits(result, "decoder"),
  },
];

export const stateArithmetic: Experiment = {
  name: "state-arithmetic",
  question:
    "Does state supervision remove what makes arithmetic hard: the length of the program, or of its numbers?",
  about: "which programs of arithmetic are learned, by length and digits",
  publishedIn: "B, Fig. 7",
  models: describedMethods(compared),
  published: claims,

  plan(scale, seeds) {
    const setup = setups[scale];
    const { shortest, lengths } = setup;
    const longest = lengths.at(-1)!;
    const run = (seed: number, { name, digits, train }: Setting, method: MethodName): PlannedRun => {
      const task = { name: "arithmetic-program", length: longest, digits };
      const planned = supervisedRun(
        { ...setup, train, task, chance: 0, every: train.steps },
        method,
        seed,
        name,
      );
      return {
        ...planned,
        config: {
          ...planned.config,
          curriculum: { ...planned.config.curriculum, stages: [[{ length: [shortest, longest] }]] },
        },
        tests: lengths.map((length) => ({
          name: `length ${length}`,
          change: { length },
          asTrained: true,
          chance: 0,
        })),
      };
    };
    const settings = [...equalSteps(setup), ...longerTrained(setup)];
    return {
      runs: seeds.flatMap((seed) =>
        settings.flatMap((setting) => compared.map((method) => run(seed, setting, method))),
      ),
      sample: { length: 4, digits: 2 },
    };
  },

  findings(result) {
    if (result.scale === "smoke")
      return ["Smoke scale only shows that everything runs; it says nothing about the methods."];
    const length = lostByLength(result, "decoder");
    const text = `With supervision accuracy falls by ${points(mean(length))} from the shortest to the longest programs with the fewest digits.`;
    return length.length > 0 && mean(length) > 0.05 ? [text] : [];
  },

  report(result) {
    const setup = setups[result.scale];
    const equal = equalSteps(setup);
    const ofMethod = (method: MethodName) =>
      rowsOf(result, { model: method }).flatMap((row) => {
        const digits = equal.find(({ name }) => name === row.setting)?.digits;
        if (digits === undefined) return [];
        return [{ ...row, tested: { ...row.tested, change: { ...row.tested.change, digits } } }];
      });
    const fewest = fewestDigits(setup);
    const { name: longest, train } = fewest.at(-1)!;
    const overall = (method: MethodName) =>
      percentSign(mean(rowsOf(result, { setting: longest, model: method }).map(({ accuracy }) => accuracy)));
    const digits = digitsOf(setup.digits[0]!);
    return experimentReport(result, {
      title: `Programs with ${digits} are right in ${overall("decoder")} with state supervision, in ${overall("unsupervised")} without`,
      lead: `An answer is right where all of its digits are. Mean over all lengths, after ${integer(train.steps)} steps.`,
      views: [
        {
          heading: "Length and digits",
          text: `After ${integer(setup.train.steps)} steps. Numbers of more digits downwards, programs of more expressions to the right.`,
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
        {
          heading: "Length alone",
          text: `Programs with ${digits}: is length still hard once a model can add?`,
          caption: "Percent of answers right on fresh programs. Strong line: mean over seeds.",
          figures: fewest.map(({ name, train: { steps } }) =>
            lines(result, {
              title: `after ${integer(steps)} steps`,
              xLabel: "expressions",
              scale: "linear",
              chance: 0,
              setting: name,
              points: by("length"),
            }),
          ),
        },
      ],
    });
  },
};
