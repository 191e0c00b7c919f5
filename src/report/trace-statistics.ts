/** @file What a traced benchmark looks like, as figures: lengths of traces, of their code and of their states. */

import { integer } from "../core/format.ts";
import { type Histogram, histogramFigure } from "./figures/histogram.ts";
import { standAloneFigure } from "./svg-export.ts";

interface Distribution {
  readonly mean: number;
  readonly median: number;
  readonly maximum: number;
  readonly histogram: Histogram["bins"];
}

/** Statistics by what is counted, as `describeTraces` gives them. */
export interface TraceFigures {
  readonly steps: Distribution;
  readonly codeCharacters: Distribution;
  readonly stateCharacters: Distribution;
}

/** SVG files by name. */
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
