/**
 * @file What `mass-decay` measures: nats by filter, the fall of the mass, reveals until each precision underflows.
 */

import type { MassDecay } from "../../src/analysis/belief/index.ts";
import type { Measurements } from "../engine/experiment.ts";
import { defineMeasurement } from "../engine/measurements.ts";

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

export const massTrajectory = defineMeasurement({
  id: "massTrajectory",
  label: "log10 of the mass",
  at: { reveals: "reveals" },
  values: { log10: "log10" },
});

export function rowsOfDecay(found: MassDecay): Measurements {
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
