/** @file The figures and the table of `belief-models`. */

import { mean } from "../../src/math/statistics.ts";
import type { NumbersFigure, PlainTable } from "../../src/report/index.ts";
import type { UnreadResult } from "../engine/experiment.ts";
import { measuredLine } from "../engine/views.ts";
import { labelOf } from "../engine/words.ts";
import { natsAboveExact } from "./belief-nats.ts";
import { aboveOf, type BeliefSettings, longestTrained } from "./belief-read.ts";

/** Marginals in plain numbers, drawn beside the models. */
const marginals = { rowColumn: "row + column", sinkhorn: "Sinkhorn" } as const;
const rules = Object.keys(marginals) as (keyof typeof marginals)[];

/** As trained, and beyond: one figure each. */
export function nearnessView(
  result: UnreadResult,
  setup: BeliefSettings,
  models: readonly string[],
): NumbersFigure[] {
  const order = Object.keys(result.models);
  return (["as trained", "beyond"] as const).map((test): NumbersFigure => {
    const rowsOf = (model: string) => natsAboveExact.of(result, { model, at: { test } });
    const first = rowsOf(models[0] ?? order[0]);
    const exact = mean(first.map(({ values }) => values.exact));
    return {
      kind: "numbers",
      title:
        test === "as trained"
          ? "As trained: a full reveal now and then"
          : "Never a full reveal, longer programs",
      yLabel: "nats a reveal above the exact filter",
      xLabel: natsAboveExact.at.partials,
      levels: [{ y: Math.log(setup.variables) - exact, label: "uniform guess" }],
      ...(test === "beyond" && { mark: { x: longestTrained(setup), label: "trained to here" } }),
      lines: [
        ...models.map((model) => ({
          label: labelOf(result, model),
          index: order.indexOf(model),
          seeds: measuredLine(rowsOf(model), "partials", "above"),
        })),
        ...rules.map((rule) => ({
          label: marginals[rule],
          index: order.length,
          seeds: measuredLine(first, "partials", rule),
        })),
      ],
    };
  });
}

/** Three decimals, and no sign before a zero. */
const rounded = (value: number) => (Math.round(1000 * value) / 1000 || 0).toFixed(3);

function shown(values: readonly number[]): string {
  if (values.length === 0) return "";
  const [low, high] = [Math.min(...values), Math.max(...values)].map(rounded);
  return low === high ? low : `${rounded(mean(values))} (${low} to ${high})`;
}

/** Means over places and seeds: models by what was asked. */
export function summaryTable(
  result: UnreadResult,
  setup: BeliefSettings,
  models: readonly string[],
): PlainTable {
  const most = longestTrained(setup);
  const ranges = [
    { label: `as trained, up to ${most} partials`, test: "as trained", least: 0, most },
    { label: `no full reveal, up to ${most}`, test: "beyond", least: 0, most },
    {
      label: `no full reveal, more than ${most}`,
      test: "beyond",
      least: most + 1,
      most: Number.POSITIVE_INFINITY,
    },
  ];
  return {
    columns: ["nats above the exact filter", ...ranges.map(({ label }) => label)],
    rows: [
      ...models.map((model) => [
        labelOf(result, model),
        ...ranges.map((range) => shown(aboveOf(result, model, range))),
      ]),
      ...rules.map((rule) => [
        `marginals, ${marginals[rule]}`,
        ...ranges.map((range) => shown(aboveOf(result, models[0], range, rule))),
      ]),
    ],
  };
}
