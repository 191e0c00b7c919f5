/** @file What the report room offers: reports of experiments, their figures and tables, evidence. */

export type { Line, LinesFigure } from "../analysis/figures.ts";
export { counted, integer, listed, measured, percentSign, points } from "../math/format.ts";
export { type Drawing, type ExperimentWords, experimentReport, type View } from "./experiment.ts";
export type { GridCell, GridFigure } from "./figures/grid.ts";
export type { NumbersFigure } from "./figures/numbers.ts";
export { type PredictedCell, type PredictionsFigure, predictionsFigure } from "./figures/predictions.ts";
export { headlineReportOf } from "./headline.ts";
export { measurementTables } from "./measurements.ts";
export { checkText, claimSpread, claimValue, modelOrder } from "./parts.ts";
export type { Report } from "./report.ts";
export { type ReportedKind, type ReportedRun, type ReportedTest, runsReport } from "./runs.ts";
export { grouped } from "./summary.ts";
export type { PlainTable } from "./table.ts";
export { traceFigures } from "./traces.ts";
