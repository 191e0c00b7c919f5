/** @file The page's part on hidden states in two dimensions. */

import type { AnalysisDocument } from "../../analysis/document.ts";
import { counted, percentSign } from "../../math/format.ts";
import { scatterFigure } from "../figures/scatter.ts";
import type { AnalysisPart } from "./part.ts";

const JOINED = 12;

export function trajectoriesPart({ trajectories }: AnalysisDocument): AnalysisPart | undefined {
  if (trajectories === undefined) return undefined;
  const { layer, explained, states, programs } = trajectories;
  const points = programs.flat();
  const [first = []] = programs;
  return {
    heading: "Hidden states in the plane",
    how: [
      `What layer ${layer}, the last, leaves at the end of each command, along its first two principal components. Colour and shape are the true state; the line is one program's first ${Math.min(JOINED, first.length)} commands.`,
    ],
    figures: {
      trajectories: scatterFigure({
        title: "Hidden states at the ends of commands",
        xLabel: `component 1, ${percentSign(explained[0])} of variance`,
        yLabel: `component 2, ${percentSign(explained[1])}`,
        kinds: states,
        points: points.map(({ x, y, state }) => ({ x, y, kind: state })),
        joined: first.slice(0, JOINED).map(({ x, y }) => [x, y] as const),
      }),
    },
    caption: `${counted(points.length, "hidden state")} of ${counted(programs.length, "program")}; ${counted(states.length, "true state")}.`,
    meaning: [
      explained[0] + explained[1] > 0.5
        ? `The plane holds ${percentSign(explained[0] + explained[1])} of the variance: points of one colour that lie together are one state to the model, too.`
        : `The plane holds only ${percentSign(explained[0] + explained[1])} of the variance: states that overlap here may be apart in other directions, as the probes say.`,
    ],
  };
}
