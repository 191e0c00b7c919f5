/** @file The figures of `mass-decay`, and its table of precisions. */

import { mean } from "../../src/math/statistics.ts";
import { measured, type NumbersFigure, type PlainTable } from "../../src/report/index.ts";
import type { UnreadResult } from "../engine/experiment.ts";
import { measuredLine } from "../engine/views.ts";
import { filterNats, massTrajectory, underflow } from "./mass-decay-rows.ts";
import { type FilterName, filters, isOfFive } from "./mass-decay-settings.ts";

/** At a reveal every r commands, with p fixed: what each filter pays. */
export function natsFigure(result: UnreadResult): NumbersFigure {
  const shown = (Object.keys(filters) as FilterName[]).filter((name) => name !== "joint");
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

export function massFigure(result: UnreadResult): NumbersFigure {
  const settings = [...new Set(massTrajectory.of(result).map(({ setting }) => setting))].filter(isOfFive);
  return {
    kind: "numbers",
    title: "What is left of the joint filter's mass",
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
export function underflowTable(result: UnreadResult): PlainTable {
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
