/** @file Figures as SVG files: any figure of a page, the figure of a study, the lengths of traces. */

import { fail } from "../core/error.ts";
import { integer } from "../core/format.ts";
import { type Histogram, histogramFigure } from "./figures/bars.ts";
import { numbersFigure } from "./figures/lines.ts";
import { element, type Markup, standAlone } from "./svg.ts";
import { figureStyle } from "./theme.ts";

const [MARGIN, SCALE] = [16, 1.5];

/** Figures below each other with background and both themes, 1.5 times as large. Each is an <svg> with a viewBox that begins at 0 0. */
export function standAloneFigure(title: string, ...figures: readonly Markup[]): string {
  let outerHeight = MARGIN;
  const placed = figures.map((figure) => {
    const [, width, height] = /viewBox="0 0 (\S+) (\S+)"/.exec(figure.text)!.map(Number);
    const y = outerHeight;
    outerHeight += height! + MARGIN;
    return { width: width!, svg: element("svg", { x: MARGIN, y, width: width!, height: height! }, figure) };
  });
  const outerWidth = Math.max(...placed.map(({ width }) => width)) + 2 * MARGIN;
  return standAlone(
    {
      class: "fig",
      viewBox: `0 0 ${outerWidth} ${outerHeight}`,
      width: SCALE * outerWidth,
      height: SCALE * outerHeight,
      role: "img",
      "aria-label": title,
    },
    figureStyle(),
    element("title", {}, title),
    element("rect", { class: "paper", width: outerWidth, height: outerHeight, rx: 8 }),
    placed.map(({ svg }) => svg),
  );
}

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

/** Numbers by the first varied setting, one line per combination of the others. Raises a LabError if that setting is not numeric. */
export function studyFigure({ title, yLabel, points }: StudyFigure): string {
  const [along] = Object.keys(points[0]?.changes ?? {});
  if (along === undefined) fail("--plot", "--grid KEY=V1,V2 with numbers, for the x axis", "nothing");
  const others = new Map<string, StudyPoint[]>();
  for (const point of points) {
    const rest = Object.entries(point.changes).filter(([key]) => key !== along);
    const label = rest.map(([key, value]) => `${key.split(".").at(-1)} ${JSON.stringify(value)}`).join(", ");
    others.set(label, [...(others.get(label) ?? []), point]);
  }
  const at = ({ changes }: StudyPoint): number => {
    const x = changes[along];
    return typeof x === "number" ? x : fail("--plot", `numbers in ${along}, for the x axis`, x);
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

interface Distribution {
  readonly mean: number;
  readonly median: number;
  readonly maximum: number;
  readonly histogram: Histogram["bins"];
}

/** The statistics of `describeTraces`. */
export interface TraceFigures {
  readonly steps: Distribution;
  readonly codeCharacters: Distribution;
  readonly stateCharacters: Distribution;
}

/** Lengths of traces, of their code and of their states: SVG files by name. */
export function traceFigures(name: string, statistics: TraceFigures): Record<string, string> {
  const labels = {
    steps: "steps",
    codeCharacters: "characters of code",
    stateCharacters: "characters of states",
  } as const;
  return Object.fromEntries(
    (Object.keys(labels) as (keyof typeof labels)[]).map((measure) => {
      const { mean, median, maximum, histogram } = statistics[measure];
      const title = `${name}: ${labels[measure]} in a trace`;
      const about = `mean ${mean.toFixed(1)}, median ${integer(median)}, most ${integer(maximum)}`;
      const figure = { title, xLabel: labels[measure], unit: "traces", bins: histogram, about };
      return [measure, standAloneFigure(title, histogramFigure(figure))];
    }),
  );
}
