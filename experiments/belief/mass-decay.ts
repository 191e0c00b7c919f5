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
 * (src/analysis/belief/reference.ts), since A's were not available.
 */

import { deviation, massDecaySteps, referenceRows } from "../../src/analysis/belief/index.ts";
import { mean } from "../../src/math/statistics.ts";
import { experimentReport, measured, type NumbersFigure } from "../../src/report/index.ts";
import type {
  Experiment,
  Measuring,
  PlannedWork,
  PublishedClaim,
  Scale,
  UnreadResult,
} from "../engine/experiment.ts";
import { measuredLine, measurementsOf } from "../engine/views.ts";
import { MASS, NATS, rowsOfDecay, TRAJECTORY, UNDERFLOW, underflowTable } from "./mass-decay-rows.ts";

interface Setting {
  readonly variables: number;
  readonly probability: number;
  readonly spacing: number;
}

const five = referenceRows.map(
  ({ probability, spacing }): Setting => ({ variables: 5, probability, spacing }),
);
const three: readonly Setting[] = [
  { variables: 3, probability: 0.5, spacing: 1 },
  { variables: 3, probability: 0.1, spacing: 1 },
  { variables: 3, probability: 0.5, spacing: 2 },
];

const scales: Record<Scale, { settings: readonly Setting[]; reveals: number; underflowEpisodes: number }> = {
  smoke: { settings: [five[0], five[1], three[0]], reveals: 600, underflowEpisodes: 3 },
  laptop: { settings: [...five, ...three], reveals: 40_000, underflowEpisodes: 32 },
  paper: { settings: [...five, ...three], reveals: 400_000, underflowEpisodes: 128 },
};

const filters = {
  exact: { label: "exact", summary: "the forward algorithm over n! states, normalised at every reveal" },
  sinkhorn: {
    label: "Sinkhorn",
    summary: "n x n marginals; after a reveal rows and columns are scaled to 1: not linear",
  },
  windowed: {
    label: "windowed",
    summary: "exact about the last 2r commands, knows nothing of the time before",
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

const nameOf = ({ variables, probability, spacing }: Setting) =>
  `n ${variables}, p ${probability}, r ${spacing}`;

function* measureWork({ seed, options }: PlannedWork): Measuring {
  const steps = massDecaySteps({ ...(options as unknown as Setting & { reveals: number }), seed }); // from `plan` below
  for (;;) {
    const step = steps.next();
    if (step.done) return rowsOfDecay(step.value);
    yield step.value;
  }
}

const own = "own numbers, by an earlier program that shares nothing with this one (standard error 0.006)";
const findings = "A, arXiv:2602.14814";

const valuesOf = (result: UnreadResult, setting: Setting, name: string, model: FilterName, value: string) =>
  measurementsOf(result, { name, setting: nameOf(setting), model }).map((row) => row.values[value]);

function referenceClaims(): PublishedClaim[] {
  return referenceRows.flatMap(({ probability, spacing, nats, log10Mass }) => {
    const setting = { variables: 5, probability, spacing };
    const where = `five variables, swaps with probability ${probability}, a reveal every ${spacing}`;
    const paid = Object.entries(nats).map(
      ([filter, published]): PublishedClaim => ({
        source: own,
        statement: `Nats a reveal of the ${filters[filter as FilterName].label} filter: ${where}`,
        published,
        unit: "nats",
        measure: (result) => valuesOf(result, setting, NATS, filter as FilterName, "nats"),
        measureErrors: (result) => valuesOf(result, setting, NATS, filter as FilterName, "standard error"),
      }),
    );
    return [
      ...paid,
      {
        source: own,
        statement: `log10 of the joint filter's mass a reveal: ${where}`,
        published: log10Mass,
        unit: "number",
        measure: (result) => valuesOf(result, setting, MASS, "joint", "log10 a reveal"),
        measureErrors: (result) =>
          valuesOf(result, setting, MASS, "joint", "standard error").map((error) => error / Math.LN10),
      },
    ];
  });
}

const inWords: PublishedClaim[] = [
  {
    source: findings,
    statement:
      "A joint belief without renormalisation loses its mass exponentially in the number of partial reveals",
    here: "slope of -ln(mass) over the entropy rate of other episodes, mean over the settings: 1 if the fall is that rate",
    unit: "number",
    measure: (result) =>
      result.seeds.flatMap((seed) => {
        const rows = measurementsOf(result, { name: MASS }).filter((row) => row.seed === seed);
        return rows.length === 0
          ? []
          : [mean(rows.map(({ values }) => values["nats a reveal"] / values["entropy rate elsewhere"]))];
      }),
  },
  ...(["normal", "zero"] as const).map(
    (end): PublishedClaim => ({
      source: "by arithmetic: a factor of 1/5 a reveal and the smallest numbers of float32",
      statement:
        end === "normal"
          ? "At a factor of 1/5 a reveal float32 keeps all its digits for 54 reveals"
          : "and is zero after 64",
      published: end === "normal" ? 54 : 64,
      here: "reveals, five variables, p 0.5, a reveal every 16 commands, rounded after every operation",
      unit: "number",
      measure: (result) =>
        measurementsOf(result, {
          name: UNDERFLOW,
          setting: nameOf(five[2]),
          at: { precision: "float32" },
        }).map(({ values }) => values[`${end}, measured`]),
      measureErrors: (result) =>
        measurementsOf(result, {
          name: UNDERFLOW,
          setting: nameOf(five[2]),
          at: { precision: "float32" },
        }).map(({ values }) => values[`${end}, error`]),
    }),
  ),
];

/** How far a number may be from what it is read against. */
const MOST_ERRORS = 3;

function disagreements(result: UnreadResult): string[] {
  const rows = measurementsOf(result, { name: NATS });
  const far = referenceRows.flatMap(({ probability, spacing, nats }) =>
    Object.entries(nats).flatMap(([model, published]) =>
      rows
        .filter(
          (row) => row.setting === nameOf({ variables: 5, probability, spacing }) && row.model === model,
        )
        .flatMap(({ setting, seed, values }) => {
          const errors = deviation({ mean: values.nats, standardError: values["standard error"] }, published);
          const text = `${setting}, ${model} (seed ${seed}): ${measured(values.nats)} nats where ${published} was found before, ${errors.toFixed(1)} standard errors away.`;
          return Math.abs(errors) > MOST_ERRORS ? [text] : [];
        }),
    ),
  );
  const masses = measurementsOf(result, { name: MASS }).flatMap(({ setting, seed, values }) => {
    const errors = values["difference in errors"];
    const text = `${setting} (seed ${seed}): the mass falls by ${measured(values["nats a reveal"])} nats a reveal, the entropy rate of other episodes is ${measured(values["entropy rate elsewhere"])}: ${errors.toFixed(1)} standard errors apart.`;
    const slack = MOST_ERRORS * values["standard error"];
    const outside =
      values["nats a reveal"] < (values["at least, by listing"] ?? 0) - slack ||
      values["nats a reveal"] > (values["at most, by listing"] ?? Number.POSITIVE_INFINITY) + slack;
    return [
      ...(Math.abs(errors) > MOST_ERRORS ? [text] : []),
      ...(outside
        ? [`${setting} (seed ${seed}): the slope of the mass is outside the bounds by listing.`]
        : []),
    ];
  });
  return [...far, ...masses];
}

/** At a reveal every r commands, with p fixed: what each filter pays. */
function natsFigure(result: UnreadResult): NumbersFigure {
  const shown = (Object.keys(filters) as FilterName[]).filter((name) => name !== "joint");
  const rows = measurementsOf(result, { name: NATS }).filter(({ setting }) =>
    setting.startsWith("n 5, p 0.5, "),
  );
  return {
    kind: "numbers",
    title: "What each filter pays",
    yLabel: "nats a reveal; five variables, swaps with probability 0.5",
    xLabel: "commands a reveal",
    levels: [{ y: Math.log(5), label: "uniform guess" }],
    lines: shown.map((model, index) => ({
      label: filters[model].label,
      index,
      seeds: measuredLine(
        rows
          .filter((row) => row.model === model)
          .map((row) => ({ ...row, at: { spacing: Number(row.setting.split("r ")[1]) } })),
        "spacing",
        "nats",
      ),
    })),
  };
}

function massFigure(result: UnreadResult): NumbersFigure {
  const rows = measurementsOf(result, { name: TRAJECTORY });
  const settings = [...new Set(rows.map(({ setting }) => setting))].filter((setting) =>
    setting.startsWith("n 5"),
  );
  return {
    kind: "numbers",
    title: "What is left of the joint filter's mass",
    yLabel: "log10 of the mass, mean over episodes, in float64",
    xLabel: "partial reveals since the known start",
    levels: [{ y: Math.log10(2 ** -126), label: "float32 ends" }],
    lines: settings.map((setting, index) => ({
      label: setting.replace("n 5, ", "").replace(", ", " "),
      index,
      seeds: measuredLine(
        rows.filter((row) => row.setting === setting),
        "reveals",
        "log10",
      ).map(({ seed, points }) => ({ seed, points: [[0, 0] as const, ...points] })),
    })),
  };
}

/** `0.15 to 0.43 nats` */
function range(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) =>
    Math.max(0, value).toFixed(2),
  );
  return least === most ? `${least} nats` : `${least} to ${most} nats`;
}

const above = (result: UnreadResult, model: FilterName) =>
  measurementsOf(result, { name: NATS, model })
    .filter(({ setting }) => setting.startsWith("n 5"))
    .map(({ values }) => values["above exact"]);

export const massDecay: Experiment = {
  name: "mass-decay",
  question:
    "A program swaps variables by chance, unseen, and now and then shows one. Can what is known of its state be kept by linear updates?",
  about: "can a belief be kept by linear updates (trains nothing)",
  publishedIn: "A, in words",
  models: filters,
  published: [...referenceClaims(), ...inWords],
  measureWork,

  plan(scale, seeds) {
    const { settings, ...options } = scales[scale];
    return {
      runs: [],
      work: seeds.flatMap((seed) =>
        settings.map((setting) => ({
          setting: nameOf(setting),
          model: "joint",
          seed,
          options: { ...setting, ...options },
        })),
      ),
      sample: { name: "pfsa", variables: 5, commands: 8, spacing: 4 },
    };
  },

  findings(result) {
    const scale =
      result.scale === "smoke" ? ["Smoke scale only shows that everything runs: its errors are large."] : [];
    return [...scale, ...disagreements(result)];
  },

  report(result) {
    const lives = measurementsOf(result, { name: UNDERFLOW, at: { precision: "float32" } }).filter(
      ({ setting }) => setting.startsWith("n 5"),
    );
    const zero = lives.map(({ values }) => values["zero, measured"]);
    const slopes = measurementsOf(result, { name: MASS });
    const falls = slopes.map(({ values }) => values["nats a reveal"]);
    const linear = [...above(result, "row"), ...above(result, "row+column")];
    const worst = Math.max(...slopes.map(({ values }) => Math.abs(values["difference in errors"])));
    return experimentReport(result, {
      title: `Without renormalisation the belief is gone from float32 after ${Math.round(Math.min(...zero))} to ${Math.round(Math.max(...zero))} partial reveals`,
      lead:
        `The joint filter's mass falls by the entropy rate of what is revealed, on a straight line: slope and rate, from other episodes, are at most ${worst.toFixed(1)} standard errors apart. ` +
        `Marginals lose no mass, but written linearly they pay ${range(linear)} a reveal more than the exact filter; scaled by Sinkhorn's rule, which is not linear, ${range(above(result, "sinkhorn"))}.`,
      views: [
        {
          heading: "What each filter pays",
          text:
            "Before each reveal a filter states a probability for every value, and pays minus the logarithm of what it gave to the true one. The exact filter pays the least that is possible. " +
            "A hidden swap is linear and exact for marginals; a reveal is not, since it says something about the other variables too. Where reveals are rare, marginals with a linear write pay more than who guesses: they are sure of what they do not know.",
          caption:
            "Dotted: what a uniform guess pays, ln 5 nats; where float32 (and bfloat16) begins to lose digits, 1.2e-38. All numbers with their standard errors, over episodes, are in the tables below.",
          figures: [natsFigure(result), massFigure(result)],
        },
        {
          heading: "How long each precision lasts",
          text: `The mass is the probability of everything that was revealed, so it falls by ${range(falls)} a reveal and meets the smallest number of every format. Predicted from the entropy rate alone: reveals for which the mass keeps all its digits (normal), and until it is zero. UnreadResult with every product and sum rounded. Where the mass is spread over many orders it dies earlier, since each of its parts is rounded to zero before their sum would be.`,
          caption:
            "Reveals, mean over episodes. Every state: until a state that is still possible has become zero.",
          figures: [],
          table: underflowTable(result),
          words: 2,
        },
      ],
      untabled: [TRAJECTORY, UNDERFLOW],
    });
  },
};
