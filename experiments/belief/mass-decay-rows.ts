/**
 * @file What `massDecay` finds as measurements: nats by filter, the fall of the mass, reveals until each precision underflows.
 */

import type { MassDecay } from "../../src/analysis/belief/index.ts";
import { mean } from "../../src/math/statistics.ts";
import { measured } from "../../src/report/index.ts";
import type { Measurements, UnreadResult } from "../engine/experiment.ts";
import { measurementsOf } from "../engine/views.ts";

export const NATS = "nats a reveal";
export const MASS = "fall of the mass";
export const UNDERFLOW = "reveals until underflow";
export const TRAJECTORY = "log10 of the mass";

export function rowsOfDecay(found: MassDecay): Measurements {
  const { massSlope: slope, entropyRate: rate, bounds } = found;
  const gap = (slope.mean - rate.mean) / Math.hypot(slope.standardError, rate.standardError);
  return [
    ...found.filters.map(({ filter, nats, aboveExact, calibration }) => ({
      name: NATS,
      model: filter,
      values: {
        nats: nats.mean,
        "standard error": nats.standardError,
        "above exact": aboveExact.mean,
        "its error": aboveExact.standardError,
        "calibration error": calibration.error,
      },
    })),
    {
      name: MASS,
      values: {
        "log10 a reveal": -slope.mean / Math.LN10,
        "nats a reveal": slope.mean,
        "standard error": slope.standardError,
        "entropy rate elsewhere": rate.mean,
        "its error": rate.standardError,
        "difference in errors": gap,
        ...(bounds && { "at least, by listing": bounds.lower, "at most, by listing": bounds.upper }),
      },
    },
    ...found.underflow.flatMap(({ precision, predicted, measured: lives }) =>
      lives === undefined
        ? []
        : [
            {
              name: UNDERFLOW,
              at: { precision },
              values: {
                "normal, predicted": predicted.normal,
                "normal, measured": lives.normal.mean,
                "normal, error": lives.normal.standardError,
                "every state, measured": lives.everyState.mean,
                "zero, predicted": predicted.alive,
                "zero, measured": lives.alive.mean,
                "zero, error": lives.alive.standardError,
              },
            },
          ],
    ),
    ...found.fall.map(({ reveals, nats }) => ({
      name: TRAJECTORY,
      at: { reveals },
      values: { log10: -nats.mean / Math.LN10 },
    })),
  ];
}

/** Means over seeds, one row a setting and precision. */
export function underflowTable(result: UnreadResult) {
  const places = [
    ...new Set(
      measurementsOf(result, { name: UNDERFLOW }).map(({ setting, at }) => JSON.stringify([setting, at])),
    ),
  ];
  const columns = [
    "normal, predicted",
    "normal, measured",
    "every state, measured",
    "zero, predicted",
    "zero, measured",
  ];
  return {
    columns: ["setting", "precision", ...columns],
    rows: places.map((place) => {
      const [setting, at] = JSON.parse(place) as [string, { precision: string }]; // written two lines above
      const rows = measurementsOf(result, { name: UNDERFLOW, setting, at });
      return [
        setting,
        at.precision,
        ...columns.map((column) => measured(mean(rows.map(({ values }) => values[column])))),
      ];
    }),
  };
}
