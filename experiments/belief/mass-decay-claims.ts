/** @file What `mass-decay` is read against: an earlier program's numbers, A's finding in words, arithmetic; and what disagrees. */

import { deviation, referenceRows } from "../../src/analysis/belief/index.ts";
import { mean } from "../../src/math/statistics.ts";
import { measured } from "../../src/report/index.ts";
import { MOST_ERRORS } from "../engine/criteria.ts";
import type { PublishedClaim, UnreadResult } from "../engine/experiment.ts";
import { A } from "../engine/sources.ts";
import { filterNats, massFall, underflow } from "./mass-decay-rows.ts";
import { type FilterName, filters, five, nameOf } from "./mass-decay-settings.ts";

const EARLIER = "own numbers, by an earlier program that shares nothing with this one (standard error 0.006)";

/** The rows of the reference, each with the setting that it is of. */
const references = referenceRows.map(({ probability, spacing, nats, log10Mass }) => ({
  setting: nameOf({ variables: 5, probability, spacing }),
  where: `five variables, swaps with probability ${probability}, a reveal every ${spacing}`,
  nats: Object.entries(nats) as [FilterName, number][], // its keys are filters
  log10Mass,
}));

const againstEarlier = references.flatMap(({ setting, where, nats, log10Mass }): PublishedClaim[] => [
  ...nats.map(
    ([model, published]): PublishedClaim => ({
      source: EARLIER,
      statement: `Nats a reveal of the ${filters[model].label} filter: ${where}`,
      published,
      unit: "nats",
      measure: (result) => filterNats.of(result, { setting, model }).map(({ values }) => values.nats),
      measureErrors: (result) =>
        filterNats.of(result, { setting, model }).map(({ values }) => values.standardError),
    }),
  ),
  {
    source: EARLIER,
    statement: `log10 of the joint filter's mass a reveal: ${where}`,
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
  source: "by arithmetic: a factor of 1/5 a reveal and the smallest numbers of float32",
  here: "reveals, five variables, p 0.5, a reveal every 16 commands, rounded after every operation",
  unit: "number",
} as const;

export const claims: readonly PublishedClaim[] = [
  ...againstEarlier,
  {
    source: A,
    statement:
      "A joint belief without renormalisation loses its mass exponentially in the number of partial reveals",
    here: "slope of -ln(mass) over the entropy rate of other episodes, mean over the settings: 1 if the fall is that rate",
    unit: "number",
    measure: (result) =>
      result.seeds.flatMap((seed) => {
        const rows = massFall.of(result, { seed });
        return rows.length === 0 ? [] : [mean(rows.map(({ values }) => values.nats / values.entropyRate))];
      }),
  },
  {
    ...byArithmetic,
    statement: "At a factor of 1/5 a reveal float32 keeps all its digits for 54 reveals",
    published: 54,
    measure: (result) => float32(result).map(({ values }) => values.normalMeasured),
    measureErrors: (result) => float32(result).map(({ values }) => values.normalError),
  },
  {
    ...byArithmetic,
    statement: "and is zero after 64",
    published: 64,
    measure: (result) => float32(result).map(({ values }) => values.zeroMeasured),
    measureErrors: (result) => float32(result).map(({ values }) => values.zeroError),
  },
];

/** Nats that are not the earlier program's. */
function farFromEarlier(result: UnreadResult): string[] {
  return references.flatMap(({ setting, nats }) =>
    nats.flatMap(([model, published]) =>
      filterNats.of(result, { setting, model }).flatMap(({ seed, values }) => {
        const errors = deviation({ mean: values.nats, standardError: values.standardError }, published);
        if (Math.abs(errors) <= MOST_ERRORS) return [];
        return [
          `${setting}, ${model} (seed ${seed}): ${measured(values.nats)} nats where ${published} was found before, ${errors.toFixed(1)} standard errors away.`,
        ];
      }),
    ),
  );
}

/** Slopes of the mass that are not the entropy rate, by either of its two routes. */
function offTheRate(result: UnreadResult): string[] {
  return massFall.of(result).flatMap(({ setting, seed, values }) => {
    const { nats, standardError, entropyRate, differenceInErrors } = values;
    const slack = MOST_ERRORS * standardError;
    const outside =
      nats < (values.atLeast ?? 0) - slack || nats > (values.atMost ?? Number.POSITIVE_INFINITY) + slack;
    return [
      ...(Math.abs(differenceInErrors) > MOST_ERRORS
        ? [
            `${setting} (seed ${seed}): the mass falls by ${measured(nats)} nats a reveal, the entropy rate of other episodes is ${measured(entropyRate)}: ${differenceInErrors.toFixed(1)} standard errors apart.`,
          ]
        : []),
      ...(outside
        ? [`${setting} (seed ${seed}): the slope of the mass is outside the bounds by listing.`]
        : []),
    ];
  });
}

export const disagreements = (result: UnreadResult) => [...farFromEarlier(result), ...offTheRate(result)];
