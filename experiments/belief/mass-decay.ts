/**
 * @file Can a hidden state be remembered by linear updates? What filters pay, and how fast the joint one loses its mass.
 *
 *     settings   n variables; each command names a pair and swaps it with probability p, unseen; a reveal every r commands
 *     work       one setting: exact, windowed and marginal filters; the joint filter's mass in four precisions
 *
 * Nothing is trained. Expected: the mass of the unnormalised joint filter falls exponentially, by the entropy rate of the
 * reveals, so that no precision lasts; marginals do not decay, but with a linear write pay more than the exact filter, and
 * scaled by Sinkhorn's rule hardly more. The entropy rate comes from two independent routes: the exact filter on other
 * episodes, and for three variables a listing of everything that can happen, without any filter.
 *
 * Source: A's findings, arXiv:2602.14814, in words; the numbers are an earlier program's of our own
 * (src/analysis/belief/published-values.ts), since A's were not available.
 */

import { deviation, type MassDecay, massDecaySteps, referenceRows } from "../../src/analysis/belief/index.ts";
import { mean } from "../../src/core/statistics.ts";
import { measured, type NumbersFigure, type PlainTable } from "../../src/report/index.ts";
import type { Check } from "../../src/schemas/experiment-result.ts";
import {
  A,
  atMost,
  crossed,
  defineExperiment,
  defineMeasurement,
  type Measurements,
  type Measuring,
  MOST_ERRORS,
  measuredLine,
  type PlannedWork,
  type PublishedClaim,
  SLIGHT,
  type UnreadResult,
} from "../runner/index.ts";

export interface Walk {
  readonly variables: number;
  readonly probability: number;
  readonly spacing: number;
}

/** Of five variables: those of the reference. */
const five = referenceRows.map(({ probability, spacing }): Walk => ({ variables: 5, probability, spacing }));
/** Few enough for a listing of everything that can happen. */
const three: readonly Walk[] = [
  { variables: 3, probability: 0.5, spacing: 1 },
  { variables: 3, probability: 0.1, spacing: 1 },
  { variables: 3, probability: 0.5, spacing: 2 },
];

const nameOf = ({ variables, probability, spacing }: Walk) =>
  `n ${variables}, p ${probability}, r ${spacing}`;
const isOfFive = (setting: string) => setting.startsWith("n 5");

const filters = {
  exact: { label: "exact", summary: "the forward algorithm over n! states, normalized at every reveal" },
  sinkhorn: {
    label: "Sinkhorn",
    summary: "n x n marginals; after a reveal rows and columns are scaled to 1: not linear",
  },
  windowed: {
    label: "windowed",
    summary: "exact on the last 2r commands, without the time before",
  },
  "row+column": {
    label: "row + column",
    summary: "marginals; a reveal writes its row and clears its column",
  },
  row: { label: "row only", summary: "marginals; a reveal writes its row" },
  joint: {
    label: "joint, not normalised",
    summary: "n! numbers by linear updates: what a linear recurrence can hold",
  },
} as const;
type FilterName = keyof typeof filters;

export const filterNats = defineMeasurement({
  id: "filterNats",
  label: "nats a reveal",
  at: {},
  values: {
    nats: "nats",
    standardError: "standard error",
    aboveExact: "above exact",
    aboveExactError: "its error",
    calibrationError: "calibration error",
  },
});

export const massFall = defineMeasurement({
  id: "massFall",
  label: "fall of the mass",
  at: {},
  values: {
    log10: "log10 a reveal",
    nats: "nats a reveal",
    standardError: "standard error",
    entropyRate: "entropy rate elsewhere",
    entropyRateError: "its error",
    differenceInErrors: "difference in errors",
    atLeast: "at least, by listing",
    atMost: "at most, by listing",
  },
});

export const underflow = defineMeasurement({
  id: "underflow",
  label: "reveals until underflow",
  at: { precision: "precision" },
  values: {
    normalPredicted: "normal, predicted",
    normalMeasured: "normal, measured",
    normalError: "normal, error",
    everyStateMeasured: "every state, measured",
    zeroPredicted: "zero, predicted",
    zeroMeasured: "zero, measured",
    zeroError: "zero, error",
  },
});

const massTrajectory = defineMeasurement({
  id: "massTrajectory",
  label: "log10 of the mass",
  at: { reveals: "reveals" },
  values: { log10: "log10" },
});

function rowsOfDecay(found: MassDecay): Measurements {
  const { massSlope: slope, entropyRate: rate, bounds } = found;
  const gap = (slope.mean - rate.mean) / Math.hypot(slope.standardError, rate.standardError);
  return [
    ...found.filters.map(({ filter, nats, aboveExact, calibration }) =>
      filterNats.row({
        model: filter,
        values: {
          nats: nats.mean,
          standardError: nats.standardError,
          aboveExact: aboveExact.mean,
          aboveExactError: aboveExact.standardError,
          calibrationError: calibration.error,
        },
      }),
    ),
    massFall.row({
      values: {
        log10: -slope.mean / Math.LN10,
        nats: slope.mean,
        standardError: slope.standardError,
        entropyRate: rate.mean,
        entropyRateError: rate.standardError,
        differenceInErrors: gap,
        ...(bounds && { atLeast: bounds.lower, atMost: bounds.upper }),
      },
    }),
    ...found.underflow.flatMap(({ precision, predicted, measured: lives }) =>
      lives === undefined
        ? []
        : [
            underflow.row({
              at: { precision },
              values: {
                normalPredicted: predicted.normal,
                normalMeasured: lives.normal.mean,
                normalError: lives.normal.standardError,
                everyStateMeasured: lives.everyState.mean,
                zeroPredicted: predicted.alive,
                zeroMeasured: lives.alive.mean,
                zeroError: lives.alive.standardError,
              },
            }),
          ],
    ),
    ...found.fall.map(({ reveals, nats }) =>
      massTrajectory.row({ at: { reveals }, values: { log10: -nats.mean / Math.LN10 } }),
    ),
  ];
}

/** The standard error of the earlier numbers. */
const EARLIER_ERROR = 0.006;
const EARLIER = `own numbers of an independent earlier program, standard error ${EARLIER_ERROR}`;

/** The rows of the reference, each with the setting that it is of. */
const references = referenceRows.map(({ probability, spacing, nats, log10Mass }) => ({
  setting: nameOf({ variables: 5, probability, spacing }),
  where: `five variables, swap probability ${probability}, a reveal every ${spacing}`,
  nats: Object.entries(nats) as [FilterName, number][], // its keys are filters
  log10Mass,
}));

const againstEarlier = references.flatMap(({ setting, where, nats, log10Mass }): PublishedClaim[] => [
  ...nats.map(
    ([model, published]): PublishedClaim => ({
      source: EARLIER,
      statement: `Loss of the ${filters[model].label} filter: ${where}`,
      published,
      unit: "nats",
      agrees: ([nats]) => Math.abs(nats - published) <= MOST_ERRORS * EARLIER_ERROR,
      measure: (result) => filterNats.of(result, { setting, model }).map(({ values }) => values.nats),
      measureErrors: (result) =>
        filterNats.of(result, { setting, model }).map(({ values }) => values.standardError),
    }),
  ),
  {
    source: EARLIER,
    statement: `log10 of the joint filter's mass per reveal: ${where}`,
    published: log10Mass,
    unit: "number",
    measure: (result) => massFall.of(result, { setting }).map(({ values }) => values.log10),
    measureErrors: (result) =>
      massFall.of(result, { setting }).map(({ values }) => values.standardError / Math.LN10),
  },
]);

const float32 = (result: UnreadResult) =>
  underflow.of(result, { setting: nameOf(five[2]), at: { precision: "float32" } });

const byArithmetic = {
  source: "by arithmetic: a factor of 1/5 per reveal and the smallest numbers of float32",
  here: "reveals, five variables, p 0.5, a reveal every 16 commands, rounded after every operation",
  unit: "number",
} as const;

const claims: readonly PublishedClaim[] = [
  ...againstEarlier,
  {
    source: A,
    statement:
      "A joint belief without renormalization loses its mass exponentially in the number of partial reveals",
    here: "slope of -ln(mass) over the entropy rate of other episodes; 1 if equal",
    unit: "number",
    agrees: (values) => values.every((slope) => Math.abs(slope - 1) <= SLIGHT),
    measure: (result) =>
      result.seeds.flatMap((seed) => {
        const rows = massFall.of(result, { seed });
        return rows.length === 0 ? [] : [mean(rows.map(({ values }) => values.nats / values.entropyRate))];
      }),
  },
  {
    ...byArithmetic,
    statement: "At a factor of 1/5 per reveal float32 has full precision for 54 reveals",
    published: 54,
    measure: (result) => float32(result).map(({ values }) => values.normalMeasured),
    measureErrors: (result) => float32(result).map(({ values }) => values.normalError),
  },
  {
    ...byArithmetic,
    statement: "... and is zero after 64 reveals",
    published: 64,
    measure: (result) => float32(result).map(({ values }) => values.zeroMeasured),
    measureErrors: (result) => float32(result).map(({ values }) => values.zeroError),
  },
];

/** Distances in standard errors: nats from the earlier program's, the fall of the mass from the entropy rate. */
function disagreements(result: UnreadResult): Check[] {
  const errorsOf = (setting: string, model: FilterName, published: number) =>
    filterNats
      .of(result, { setting, model })
      .map(({ values }) =>
        Math.abs(deviation({ mean: values.nats, standardError: values.standardError }, published)),
      );
  const settings = [...new Set(massFall.of(result).map(({ setting }) => setting))];
  return [
    ...references.flatMap(({ setting, nats }) =>
      nats.flatMap(([model, published]) =>
        atMost(
          `${setting}, ${filters[model].label}: standard errors from ${published} nats`,
          errorsOf(setting, model, published),
          MOST_ERRORS,
          "number",
        ),
      ),
    ),
    ...settings.flatMap((setting) => {
      const slopes = massFall.of(result, { setting }).map(({ values }) => values);
      const outside = slopes.flatMap(({ nats, standardError, atLeast: low, atMost: high }) =>
        low === undefined || high === undefined ? [] : [Math.max(low - nats, nats - high) / standardError],
      );
      return [
        ...atMost(
          `${setting}: standard errors between slope and entropy rate`,
          slopes.map(({ differenceInErrors }) => Math.abs(differenceInErrors)),
          MOST_ERRORS,
          "number",
        ),
        ...atMost(
          `${setting}: standard errors outside the bounds by listing`,
          outside,
          MOST_ERRORS,
          "number",
        ),
      ];
    }),
  ];
}

/** At a reveal every r commands, with p fixed: what each filter pays. */
function natsFigure(result: UnreadResult): NumbersFigure {
  const shown = (Object.keys(filters) as FilterName[]).filter((name) => name !== "joint");
  return {
    kind: "numbers",
    title: "Loss of each filter",
    yLabel: "nats per reveal; five variables, swap probability 0.5",
    xLabel: "commands a reveal",
    levels: [{ y: Math.log(5), label: "uniform guess" }],
    lines: shown.map((model, index) => ({
      label: filters[model].label,
      index,
      seeds: measuredLine(
        filterNats
          .of(result, { model })
          .filter(({ setting }) => setting.startsWith("n 5, p 0.5, "))
          .map((row) => ({ ...row, at: { spacing: Number(row.setting.split("r ")[1]) } })),
        "spacing",
        "nats",
      ),
    })),
  };
}

function massFigure(result: UnreadResult): NumbersFigure {
  const settings = [...new Set(massTrajectory.of(result).map(({ setting }) => setting))].filter(isOfFive);
  return {
    kind: "numbers",
    title: "Mass of the joint filter",
    yLabel: "log10 of the mass, mean over episodes, in float64",
    xLabel: "partial reveals since the known start",
    levels: [{ y: Math.log10(2 ** -126), label: "float32 ends" }],
    lines: settings.map((setting, index) => ({
      label: setting.replace("n 5, ", "").replace(", ", " "),
      index,
      seeds: measuredLine(massTrajectory.of(result, { setting }), "reveals", "log10").map(
        ({ seed, points }) => ({ seed, points: [[0, 0] as const, ...points] }),
      ),
    })),
  };
}

const columns = [
  "normalPredicted",
  "normalMeasured",
  "everyStateMeasured",
  "zeroPredicted",
  "zeroMeasured",
] as const;

/** Means over seeds, one row a setting and precision. */
function underflowTable(result: UnreadResult): PlainTable {
  const all = underflow.of(result);
  const settings = [...new Set(all.map(({ setting }) => setting))];
  return {
    columns: ["setting", "precision", ...columns.map((column) => underflow.values[column])],
    rows: settings.flatMap((setting) => {
      const own = all.filter((row) => row.setting === setting);
      return [...new Set(own.map(({ at }) => at.precision))].map((precision) => {
        const rows = own.filter(({ at }) => at.precision === precision);
        const means = columns.map((column) => measured(mean(rows.map(({ values }) => values[column]))));
        return [setting, String(precision), ...means];
      });
    }),
  };
}

const settings = {
  smoke: { walks: [five[0], five[1], three[0]], reveals: 600, underflowEpisodes: 3 },
  laptop: { walks: [...five, ...three], reveals: 40_000, underflowEpisodes: 32 },
  paper: { walks: [...five, ...three], reveals: 400_000, underflowEpisodes: 128 },
};
type Settings = (typeof settings)["laptop"];

function* measureWork({ seed, options }: PlannedWork<Walk & { reveals: number }>): Measuring {
  const steps = massDecaySteps({ ...options, seed });
  for (;;) {
    const step = steps.next();
    if (step.done) return rowsOfDecay(step.value);
    yield step.value;
  }
}

export const massDecay = defineExperiment<Settings>({
  name: "mass-decay",
  question: "Can linear updates keep a belief about variables that are swapped unseen?",
  about: "Can linear updates keep a belief? Trains nothing",
  publishedIn: "A, in words",
  models: filters,
  settings,
  published: claims,
  measurements: [filterNats, massFall, underflow, massTrajectory],
  measureWork,

  plan: ({ walks, ...options }, seeds) => ({
    runs: [],
    work: crossed(seeds, walks).map(([seed, walk]) => ({
      setting: nameOf(walk),
      model: "joint",
      seed,
      options: { ...walk, ...options },
    })),
    sample: { name: "pfsa", variables: 5, commands: 8, spacing: 4 },
  }),

  checks: disagreements,

  report: (result) => ({
    views: [
      {
        heading: "Loss of each filter",
        text:
          "Before each reveal a filter gives a probability to every value. Its loss is minus the logarithm of that of the true one. No predictor beats the exact filter on average. " +
          "A hidden swap is linear and exact for marginals. A reveal is not, since it also tells about the other variables. Where reveals are rare, marginals with a linear write have a higher loss than a uniform guess: they are overconfident.",
        caption:
          "Dotted: a uniform guess, ln 5 nats; the smallest normal number of float32, 1.2e-38. The tables below have standard errors over episodes.",
        figures: [natsFigure(result), massFigure(result)],
      },
      {
        heading: "How long each precision lasts",
        text: "The mass is the probability of all reveals so far. It falls by the entropy rate per reveal and reaches the smallest number of each format. Predicted from the entropy rate: the number of reveals with full precision (normal), and until the mass is zero. Measured with every product and sum rounded. A mass spread over many orders is zero earlier, since its parts are rounded one by one.",
        caption: "Reveals, mean over episodes. Every state: until a possible state is zero.",
        figures: [],
        table: underflowTable(result),
        words: 2,
      },
    ],
    untabled: [massTrajectory.id, underflow.id],
  }),
});
