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

import { formatCount, integer } from "../../src/report/index.ts";
import {
  about,
  atMost,
  by,
  crossed,
  defineExperiment,
  grid,
  lines,
  measurementRows,
  type PlannedRun,
  type Scale,
  SLIGHT,
  type UnreadResult,
} from "../runner/index.ts";
import {
  describedMethods,
  LAPTOP,
  type MethodName,
  methods,
  paperSamples,
  SMALL_BATCHES,
  SMOKE,
  type SupervisedSetup,
  supervisedRun,
} from "./shared.ts";

type Setup = Omit<SupervisedSetup, "task" | "chance" | "every"> & {
  /** Trained are all lengths up to the last, from `shortest` on. */
  readonly shortest: number;
  /** Asked, and compared: the first with the last. */
  readonly lengths: readonly number[];
  /** Compared: the first with the last. */
  readonly digits: readonly number[];
  /** A second, longer training of the first number of digits. */
  readonly longer?: Readonly<Record<string, unknown>> & { readonly steps: number };
};

const settings: Record<Scale, Setup> = {
  smoke: {
    ...SMOKE,
    shortest: 1,
    lengths: [1, 2],
    digits: [1],
    longer: { steps: 10, padding: "longest" },
    model: { ...SMOKE.model, layers: 1 },
    supervision: { state: "changed" },
    train: { ...SMOKE.train, steps: 8 },
    programs: 20,
  },
  laptop: {
    ...LAPTOP,
    // Most programs of one expression and one digit are trained on, so the shortest asked have two.
    shortest: 1,
    lengths: [2, 3, 4, 5, 6],
    digits: [1, 2, 3],
    longer: { steps: 24_000, padding: "longest" },
    // Every expression may read the one before it: a layer each. The answer reads, one layer above, what the head teaches.
    model: { ...LAPTOP.model, layers: 6, convolution: 8 },
    supervision: { state: "changed", layer: 4 },
    train: { ...SMALL_BATCHES, learningRate: 2e-3, steps: 6000 },
    programs: 500,
    tested: 500,
  },
  paper: {
    ...paperSamples(2 ** 23),
    shortest: 4,
    lengths: [4, 5, 6],
    digits: [1, 2, 3],
    supervision: { state: "changed" },
    tested: 1000,
  },
};

const compared = ["decoder", "unsupervised"] as const satisfies readonly MethodName[];
const source = "B, Fig. 7";
const digitsOf = (digits: number) => formatCount(digits, "digit");

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

const lengthName = (length: number) => `length ${length}`;

/** Accuracy lost from one [setting, length] to another, for each seed that has both. */
function lost(
  result: UnreadResult,
  model: MethodName,
  from: readonly [string, number],
  to: readonly [string, number],
): number[] {
  return result.seeds.flatMap((seed) => {
    const [first, last] = [from, to].map(
      ([setting, length]) =>
        measurementRows(result, { setting, model, test: lengthName(length), seed })[0]?.accuracy,
    );
    return first === undefined || last === undefined ? [] : [first - last];
  });
}

/** The fewest digits, as often as they are trained; the longest training last. */
const fewestDigits = (setup: Setup) => [...equalSteps(setup).slice(0, 1), ...longerTrained(setup)];

/** From the shortest to the longest programs, of the fewest digits, trained as long as any. */
function lostByLength(result: UnreadResult, setup: Setup): number[] {
  const { name } = fewestDigits(setup).at(-1)!;
  return lost(result, "decoder", [name, setup.lengths[0]], [name, setup.lengths.at(-1)!]);
}

/** From the fewest to the most digits, in the shortest programs, trained equally long. */
function lostByDigits(result: UnreadResult, { lengths: [length], digits }: Setup): number[] {
  return lost(result, "decoder", [digitsOf(digits[0]), length], [digitsOf(digits.at(-1)!), length]);
}

function runOf(setup: Setup, seed: number, { name, digits, train }: Setting, method: MethodName): PlannedRun {
  const { shortest, lengths } = setup;
  const longest = lengths.at(-1)!;
  const task = { name: "arithmetic-program", length: longest, digits };
  const own = { ...setup, train, task, chance: 0, every: train.steps };
  const planned = supervisedRun(own, method, seed, name);
  const { config } = planned;
  return {
    ...planned,
    config: {
      ...config,
      curriculum: { ...config.curriculum, stages: [[{ length: [shortest, longest] }]] },
    },
    tests: lengths.map((length) => ({
      name: lengthName(length),
      change: { length },
      asTrained: true,
      chance: 0,
    })),
  };
}

export const stateArithmetic = defineExperiment<Setup>({
  name: "state-arithmetic",
  question: "Does state supervision remove the difficulty of long programs, or of long numbers?",
  about: "Which arithmetic programs are learned, by length and digits?",
  publishedIn: "B, Fig. 7",
  models: describedMethods(compared),
  settings,
  published: [
    {
      source,
      statement: "State supervision removes the difficulty of length",
      models: ["decoder"],
      here: "accuracy lost from the shortest to the longest programs, fewest digits",
      agrees: () => "inconclusive",
      measure: lostByLength,
    },
    {
      source,
      statement: "State supervision does not remove the difficulty of digits",
      models: ["decoder"],
      here: "accuracy lost from the fewest to the most digits, shortest programs",
      agrees: () => "inconclusive",
      measure: lostByDigits,
    },
  ],

  plan: (setup, seeds) => ({
    runs: crossed(seeds, [...equalSteps(setup), ...longerTrained(setup)], compared).map(
      ([seed, setting, method]) => runOf(setup, seed, setting, method),
    ),
    sample: { length: 4, digits: 2 },
  }),

  checks(result, setup) {
    const { name } = fewestDigits(setup).at(-1)!;
    const lost = lostByLength(result, setup);
    return about(["decoder"], atMost(`${name}, decoder head: accuracy lost by length`, lost, SLIGHT), name);
  },

  report(result, setup) {
    const equal = equalSteps(setup);
    const ofMethod = (method: MethodName) =>
      measurementRows(result, { model: method }).flatMap((row) => {
        const digits = equal.find(({ name }) => name === row.setting)?.digits;
        if (digits === undefined) return [];
        return [{ ...row, tested: { ...row.tested, change: { ...row.tested.change, digits } } }];
      });
    const fewest = fewestDigits(setup);
    const digits = digitsOf(setup.digits[0]);
    return {
      views: [
        {
          heading: "Length and digits",
          text: `After ${integer(setup.train.steps)} steps. Numbers of more digits downwards, programs of more expressions to the right.`,
          caption: "Accuracy in percent on held-out programs, mean over seeds.",
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
          text: `Programs with ${digits}, by length.`,
          caption: "Accuracy in percent on held-out programs. Strong line: mean over seeds.",
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
    };
  },
});
