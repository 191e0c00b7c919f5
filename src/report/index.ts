/** @file What the report room offers: reports of experiments, their figures and tables, evidence. */

export type { Line, LinesFigure } from "../analysis/figures.ts";
export { counted, integer, listed, measured, percentSign, points } from "../core/format.ts";
export type { PlainTable } from "./accuracy-table.ts";
export { grouped } from "./aggregate.ts";
export { type Drawing, type ExperimentWords, experimentReport, type View } from "./experiment.ts";
export { headlineReportOf } from "./experiment-headline.ts";
export type { GridCell, GridFigure } from "./figures/grid.ts";
export type { NumbersFigure } from "./figures/numbers.ts";
export { type PredictedCell, type PredictionsFigure, predictionsFigure } from "./figures/predictions.ts";
export { measurementTables } from "./measurements.ts";
export type { Report } from "./report.ts";
export { type ReportedKind, type ReportedRun, type ReportedTest, runsReport } from "./runs.ts";
export { checkText, claimSpread, claimValue, modelOrder } from "./sections.ts";
export { traceFigures } from "./trace-statistics.ts";
