/**
 * @file What does a trained model hold where the state can only be known as probabilities? Its nats above the exact filter.
 *
 *     task      three variables; a line maybe swaps two of them, unseen (p = 1/4); one is printed after every line
 *     trained   a mixture: all are printed at every reveal (8 lines), at every 2nd (12), every 4th and every 8th (16)
 *     tested    every 8th (16 lines); never (48 lines from a known start)
 *     measured  nats paid before each reveal, above the exact filter on the same programs, by the number of partial reveals
 *               since the last full one or the known start; beside it what marginals would pay
 *
 * Expected, if A is right: linear recurrences cannot renormalise, so they fall behind as partial reveals follow one another,
 * and the nonlinear ones (LSTM, GRU) stay nearer the exact filter. A short training may decide otherwise: what is measured
 * is what was learned in so many steps, not what could be held.
 *
 * Source: A, arXiv:2602.14814, in words; the task's form, sizes and learning rate are our own.
 */

import { mean } from "../../src/math/statistics.ts";
import { RunConfig } from "../../src/records/run.ts";
import { counted, experimentReport, listed, type NumbersFigure, type View } from "../../src/report/index.ts";
import { architectures, described } from "../engine/architectures.ts";
import type { Experiment, PlannedTest, PublishedClaim, Scale, UnreadResult } from "../engine/experiment.ts";
import { measuredLine, measurementsOf } from "../engine/views.ts";
import { NATS, natsAboveExact, PARTIAL } from "./belief-nats.ts";

interface Settings {
  readonly variables: number;
  /** Lines of a program, and every so many reveals one is full: each is as likely in training. */
  readonly trained: readonly (readonly [commands: number, fullEvery: number])[];
  /** The last of the trained kinds, and lines of a program without a full reveal. */
  readonly beyond: number;
  readonly model: object;
  readonly heads: number;
  readonly train: object;
  readonly programs: number;
  readonly device: "cpu" | "cuda";
}

const settings: Record<Scale, Settings> = {
  smoke: {
    variables: 3,
    trained: [
      [4, 1],
      [4, 2],
    ],
    beyond: 6,
    model: { layers: 1, width: 16, feedForward: 16 },
    heads: 2,
    train: { steps: 10, batch: 8, learningRate: 1e-2, warmupSteps: 5 },
    programs: 24,
    device: "cpu",
  },
  laptop: {
    variables: 3,
    trained: [
      [8, 1],
      [12, 2],
      [16, 4],
      [16, 8],
    ],
    beyond: 48,
    model: { layers: 2, width: 64, feedForward: 128 },
    heads: 2,
    train: {
      ...{ steps: 1000, batch: 16, learningRate: 2e-3, warmupSteps: 20 },
      ...{ schedule: "wsd", decaySteps: 250, finalShare: 0.05 },
    },
    programs: 500,
    device: "cpu",
  },
  paper: {
    variables: 5,
    trained: [
      [16, 1],
      [32, 2],
      [64, 4],
      [64, 16],
    ],
    beyond: 256,
    model: { layers: 4, width: 256, feedForward: 1024 },
    heads: 4,
    train: { steps: 20_000, batch: 32, learningRate: 5e-4, warmupSteps: 250 },
    programs: 1000,
    device: "cuda",
  },
};

const PROBABILITY = 0.25;
const linear = ["deltanet[-1,1]", "deltanet[0,1]"] as const;
const nonlinear = ["lstm", "gru"] as const;
const compared = [...linear, ...nonlinear, "transformer"] as const;

const TRAINED = "as trained";
const BEYOND = "beyond";

function configOf(scale: Scale, architecture: (typeof compared)[number], seed: number): RunConfig {
  const { variables, trained, model, heads, train, programs, device } = settings[scale];
  const kinds = trained.map(([commands, fullEvery]) => ({ commands, fullEvery }));
  return RunConfig.parse({
    seed,
    task: { name: "pfsa", variables, probability: PROBABILITY, spacing: 1, ...kinds.at(-1) },
    model: { ...architectures[architecture].model(heads), ...model },
    train,
    // One stage: under uncertainty no accuracy says that it is learned.
    curriculum: { stages: [kinds], accuracy: 1 },
    evaluate: { programs },
    device,
  });
}

function testsOf(scale: Scale): PlannedTest[] {
  const { variables, trained, beyond } = settings[scale];
  const [commands, fullEvery] = trained[trained.length - 1];
  const chance = 1 / variables;
  return [
    { name: TRAINED, change: { commands, fullEvery }, asTrained: true, chance },
    { name: BEYOND, change: { commands: beyond, fullEvery: 0 }, asTrained: false, chance },
  ];
}

/** Nats above the exact filter, one number a seed: the mean over the places of a test from `least` to `most` partial reveals. */
function aboveOf(
  result: UnreadResult,
  model: string,
  test: string,
  least: number,
  most = Number.POSITIVE_INFINITY,
  value = "above",
): number[] {
  const rows = measurementsOf(result, { name: NATS, model }).filter(
    ({ at }) => at.test === test && Number(at[PARTIAL]) >= least && Number(at[PARTIAL]) <= most,
  );
  return result.seeds.flatMap((seed) => {
    const own = rows.filter((row) => row.seed === seed);
    return own.length === 0 ? [] : [mean(own.map(({ values }) => values[value]))];
  });
}

const longestTrained = (scale: Scale) =>
  Math.max(...settings[scale].trained.map(([, fullEvery]) => fullEvery - 1));
const far = (result: UnreadResult, model: string) =>
  aboveOf(result, model, BEYOND, longestTrained(result.scale) + 1);

const belowLinear = (result: UnreadResult, model: (typeof nonlinear)[number]) => {
  const own = far(result, model);
  const theirs = linear.map((each) => far(result, each));
  return own.flatMap((nats, i) => {
    const others = theirs.flatMap((values) => values[i] ?? []);
    return others.length === 0 ? [] : [Math.min(...others) - nats];
  });
};

const source = "A, arXiv:2602.14814, in words";

export const beliefModels: Experiment = {
  name: "belief-models",
  question:
    "Where the state can only be known as probabilities, which model comes near the exact filter, and does it stay near?",
  about: "which model comes near the exact filter, and stays near",
  publishedIn: "A, in words",
  models: described(compared),
  published: [
    ...nonlinear.map(
      (model): PublishedClaim => ({
        source,
        statement: `A nonlinear recurrence (${architectures[model].label}) is nearer the exact filter than a linear one`,
        here: "nats a reveal by which it is nearer than the better DeltaNet, after more partial reveals than were trained: above 0 agrees",
        unit: "nats",
        measure: (result) => belowLinear(result, model),
      }),
    ),
    ...compared.map(
      (model): PublishedClaim => ({
        source: "own question",
        statement: `${architectures[model].label}: nats a reveal above the exact filter, after more partial reveals than were trained`,
        unit: "nats",
        measure: (result) => far(result, model),
      }),
    ),
  ],
  measureRun: natsAboveExact,

  plan(scale, seeds) {
    return {
      runs: seeds.flatMap((seed) =>
        compared.map((model) => ({
          setting: "",
          model,
          config: configOf(scale, model, seed),
          tests: testsOf(scale),
        })),
      ),
      sample: { commands: 4, fullEvery: 2 },
    };
  },

  findings(result) {
    if (result.scale === "smoke")
      return ["Smoke scale only shows that everything runs; it says nothing about the models."];
    const nearer = nonlinear.flatMap((model) => {
      const gaps = belowLinear(result, model);
      const agreeing = gaps.filter((gap) => gap > 0).length;
      if (gaps.length === 0 || agreeing === gaps.length) return [];
      return [
        `${architectures[model].label} is nearer the exact filter than the better DeltaNet in ${agreeing} of ${gaps.length} seeds; on average it is ${nats(Math.abs(mean(gaps)))} ${mean(gaps) > 0 ? "nearer" : "farther"}.`,
      ];
    });
    const uniform = Math.log(settings[result.scale].variables);
    const lost = compared.flatMap((model) => {
      const rows = measurementsOf(result, { name: NATS, model }).filter(({ at }) => at.test === BEYOND);
      const paid = mean(rows.map(({ values }) => values.nats));
      return rows.length > 0 && paid > 0.9 * uniform
        ? [
            `${architectures[model].label} pays ${nats(paid)} beyond training, where a uniform guess pays ${nats(uniform)}: it has not learned to track there.`,
          ]
        : [];
    });
    return [...nearer, ...lost];
  },

  report(result) {
    const present = compared.filter((model) => far(result, model).length > 0);
    const byNearness = present.toSorted((a, b) => mean(far(result, a)) - mean(far(result, b)));
    const said = byNearness.map((model) => `${architectures[model].label} ${nats(mean(far(result, model)))}`);
    const nearest = byNearness[0];
    const near = present.filter((model) => learned(result, model));
    const most = longestTrained(result.scale);
    const marginals = measurementsOf(result, { name: NATS, model: nearest }).filter(
      ({ at }) => at.test === BEYOND && Number(at[PARTIAL]) > most,
    );
    const both = mean(marginals.map(({ values }) => values["row + column"]));
    const table = summaryTable(result, present);
    return experimentReport(result, {
      title: `${architectures[nearest].label} stays nearest to the exact filter, ${nats(mean(far(result, nearest)))} above it`,
      lead: `After more than ${counted(most, "partial reveal")} in a row, which is more than in training, the models pay above the exact filter, a reveal: ${listed(said)}. Marginals with linear writes of row and column would pay ${nats(both)}, a uniform guess ${nats(Math.log(settings[result.scale].variables) - mean(marginals.map(({ values }) => values.exact)))}.`,
      views: [
        {
          heading: "How far from what can be known",
          text:
            "Before each reveal a model states a probability for every word, and pays minus the logarithm of what it gave to the true value. The exact filter, on the same programs, pays the least that is possible; what is drawn is the difference. " +
            "At 0 the state was known until one line ago; every partial reveal since then shows one variable and leaves the rest to be inferred. Right: programs without any full reveal, longer than trained ones.",
          caption:
            "Nats above the exact filter; strong line: mean over seeds. Row + column, Sinkhorn: marginals in plain numbers, the first by linear updates, the second not. The dotted level is what a uniform guess pays in the long run.",
          figures: [TRAINED, BEYOND].map((test) => aboveFigure(result, test, present)),
          table,
        },
        ...(near.length === 0 || near.length === present.length ? [] : [enlarged(result, near)]),
      ],
      untabled: [NATS],
      table: {
        table,
        legend: [
          "  Nats a reveal that are paid above the exact filter on the same programs, by partial reveals since the state was known;",
          "  with several seeds their mean (lowest to highest). Marginals: in plain numbers, for comparison",
        ],
      },
    });
  },
};

const nats = (value: number) => `${value.toFixed(3)} nats`;
/** Three decimals, and no sign before a zero. */
const rounded = (value: number) => (Math.round(1000 * value) / 1000 || 0).toFixed(3);

/** Less than half of what a uniform guess pays too much. */
function learned(result: UnreadResult, model: string): boolean {
  const rows = measurementsOf(result, { name: NATS, model });
  const uniform = Math.log(settings[result.scale].variables);
  return (
    mean(rows.map(({ values }) => values.above)) <
    0.5 * mean(rows.map(({ values }) => uniform - values.exact))
  );
}

/** Means over places and seeds: models by what was asked. */
function summaryTable(result: UnreadResult, models: Models) {
  const most = longestTrained(result.scale);
  const ranges: readonly (readonly [label: string, test: string, least: number, most: number])[] = [
    [`as trained, up to ${most} partials`, TRAINED, 0, most],
    [`no full reveal, up to ${most}`, BEYOND, 0, most],
    [`no full reveal, more than ${most}`, BEYOND, most + 1, Number.POSITIVE_INFINITY],
  ];
  const shown = (values: readonly number[]) => {
    if (values.length === 0) return "";
    const [low, high] = [Math.min(...values), Math.max(...values)].map(rounded);
    return low === high ? low : `${rounded(mean(values))} (${low} to ${high})`;
  };
  const marginals = (["row + column", "Sinkhorn"] as const).map((label) => [
    `marginals, ${label}`,
    ...ranges.map(([, test, from, to]) => shown(aboveOf(result, models[0], test, from, to, label))),
  ]);
  return {
    columns: ["nats above the exact filter", ...ranges.map(([label]) => label)],
    rows: [
      ...models.map((model) => [
        architectures[model].label,
        ...ranges.map(([, test, from, to]) => shown(aboveOf(result, model, test, from, to))),
      ]),
      ...marginals,
    ],
  };
}

type Models = readonly (typeof compared)[number][];

function enlarged(result: UnreadResult, models: Models): View {
  return {
    heading: "The same, without who guesses",
    text: "Only the models that pay less than half of what a uniform guess pays too much.",
    caption: "As above, on a scale of its own.",
    figures: [TRAINED, BEYOND].map((test) => {
      const { levels: _, ...figure } = aboveFigure(result, test, models);
      return figure;
    }),
  };
}

function aboveFigure(result: UnreadResult, test: string, models: Models): NumbersFigure {
  const rowsOf = (model: string) =>
    measurementsOf(result, { name: NATS, model }).filter(({ at }) => at.test === test);
  const first = rowsOf(models[0] ?? compared[0]);
  const exact = mean(first.map(({ values }) => values.exact));
  const title =
    test === TRAINED ? "As trained: a full reveal now and then" : "Never a full reveal, longer programs";
  const most = longestTrained(result.scale);
  return {
    kind: "numbers",
    title,
    yLabel: "nats a reveal above the exact filter",
    xLabel: PARTIAL,
    levels: [{ y: Math.log(settings[result.scale].variables) - exact, label: "uniform guess" }],
    ...(test === BEYOND && { mark: { x: most, label: "trained to here" } }),
    lines: [
      ...models.map((model) => ({
        label: architectures[model].label,
        index: compared.indexOf(model),
        seeds: measuredLine(rowsOf(model), PARTIAL, "above"),
      })),
      ...(["row + column", "Sinkhorn"] as const).map((label) => ({
        label,
        index: compared.length,
        seeds: measuredLine(first, PARTIAL, label),
      })),
    ],
  };
}
