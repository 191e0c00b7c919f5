/** @file Reports of experiments: pages, figures and tables. */

export type { Line, LinesFigure } from "../analysis/figures.ts";
export { counted, integer, listed, measured, percentSign, points } from "../core/format.ts";
export { grouped, summarize } from "./aggregate.ts";
export {
  type Drawing,
  type ExperimentWords,
  experimentReport,
  type Report,
  type View,
} from "./experiment.ts";
export { conditionsFigure, conditionsWithPositions, revealsFigure } from "./figures/conditions.ts";
export type { GridCell, GridFigure } from "./figures/grid.ts";
export type { NumbersFigure } from "./figures/numbers.ts";
export { type PredictedCell, type PredictionsFigure, predictionsFigure } from "./figures/predictions.ts";
export type { PlainTable } from "./html.ts";
export { measurementTables } from "./measurements.ts";
export { type ReportedKind, type ReportedRun, type ReportedTest, runsReport } from "./runs.ts";
export { checkText, claimSpread, claimValue, modelOrder } from "./sections.ts";
export { traceFigures } from "./trace-statistics.ts";
