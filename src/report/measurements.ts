/** @file Measurements as tables: one table per name, one row per setting, model and place: the mean over seeds, lowest and highest. */

import { measured } from "../core/format.ts";
import type { ExperimentResult, Measurement } from "../schemas/experiment-result.ts";
import { grouped, spread } from "./aggregate.ts";
import type { PlainTable } from "./html.ts";
import { labelOf, modelOrder } from "./sections.ts";

export interface MeasurementTable {
  /** The id. */
  readonly name: string;
  readonly label: string;
  readonly table: PlainTable;
  /** How many columns, from the left, are words and not numbers. */
  readonly words: number;
}

/** In the order in which things were measured. */
export function measurementTables(result: ExperimentResult): MeasurementTable[] {
  const order = modelOrder(result);
  return [...grouped(result.measurements, ({ name }) => name)].map(([name, own]) => {
    const settings = [...new Set(own.map(({ setting }) => setting))];
    const places = [...new Set(own.flatMap(({ at }) => Object.keys(at)))];
    const numbers = [...new Set(own.flatMap(({ values }) => Object.keys(values)))];
    const notes = own.some(({ note }) => note !== undefined);
    const models = new Set(own.map(({ model }) => model)).size > 1;
    const labels = result.labels[name];
    const several = settings.some((setting) => setting !== "");
    const rows = [...grouped(own, identity).values()].toSorted(
      ([a], [b]) =>
        settings.indexOf(a!.setting) - settings.indexOf(b!.setting) ||
        order.indexOf(a!.model) - order.indexOf(b!.model),
    );
    return {
      name,
      label: labels?.label ?? name,
      words: Math.max(1, Number(several) + Number(models)),
      table: {
        columns: [
          ...(several ? ["setting"] : []),
          ...(models ? ["model"] : []),
          ...places.map((place) => labels?.at[place] ?? place),
          ...numbers.map((number) => labels?.values[number] ?? number),
          ...(notes ? ["note"] : []),
        ],
        rows: rows.map((seeds) => {
          const [first] = seeds as [Measurement, ...Measurement[]]; // a group has a member
          return [
            ...(several ? [first.setting] : []),
            ...(models ? [labelOf(result, first.model)] : []),
            ...places.map((place) => String(first.at[place] ?? "")),
            ...numbers.map((number) => overSeeds(seeds.flatMap(({ values }) => values[number] ?? []))),
            ...(notes ? [first.note ?? ""] : []),
          ];
        }),
      },
    };
  });
}

const identity = ({ setting, model, at }: Measurement) => JSON.stringify([setting, model, at]);

function overSeeds(values: readonly number[]): string {
  if (values.length === 0) return "";
  const { mean, min, max } = spread(values);
  const [low, high] = [measured(min), measured(max)];
  return low === high ? measured(mean) : `${measured(mean)} (${low}\u2013${high})`;
}
