/** @file Numbers by one setting that was varied, a line for each combination of the others: the figure of a study. */

import { fail } from "../core/error.ts";
import { numbersFigure } from "./figures/numbers.ts";
import { standAloneFigure } from "./svg-export.ts";

export interface StudyPoint {
  readonly changes: Readonly<Record<string, unknown>>;
  /** By seed. */
  readonly values: readonly { readonly seed: number; readonly value: number }[];
}

export interface StudyFigure {
  readonly title: string;
  readonly yLabel: string;
  readonly points: readonly StudyPoint[];
}

/** An SVG of its own. Errors: LabError where the setting varied first is none of numbers. */
export function studyFigure({ title, yLabel, points }: StudyFigure): string {
  const [along] = Object.keys(points[0]?.changes ?? {});
  if (along === undefined) fail("--figure", "--over KEY=V1,V2, the numbers to draw along", "nothing");
  const others = new Map<string, StudyPoint[]>();
  for (const point of points) {
    const rest = Object.entries(point.changes).filter(([key]) => key !== along);
    const label = rest.map(([key, value]) => `${key.split(".").at(-1)} ${JSON.stringify(value)}`).join(", ");
    others.set(label, [...(others.get(label) ?? []), point]);
  }
  const at = ({ changes }: StudyPoint): number => {
    const x = changes[along];
    return typeof x === "number" ? x : fail("--figure", `numbers to draw along in ${along}`, x);
  };
  const lines = [...others].map(([label, own], index) => {
    const seeds = own[0].values.map(({ seed }, i) => ({
      seed,
      points: own.map((point): [number, number] => [at(point), point.values[i].value]),
    }));
    return { label: label || "as planned", index, seeds };
  });
  const figure = numbersFigure({ kind: "numbers", title, yLabel, xLabel: along, lines });
  return standAloneFigure(title, figure);
}
