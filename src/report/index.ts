/** @file Reports of experiments: pages, figures and tables. */

export type { Line, LinesFigure } from "../analysis/figures.ts";
export {
  formatCount,
  formatList,
  integer,
  measured,
  percentSign,
} from "../core/format.ts";
export { grouped, summarize } from "./aggregate.ts";
export {
  type Drawing,
  type ExperimentWords,
  experimentReport,
  type Report,
  type View,
} from "./experiment.ts";
export { traceFigures } from "./figure-files.ts";
export type { GridCell, GridFigure } from "./figures/cells.ts";
export { type PredictedCell, type PredictionsFigure, predictionsFigure } from "./figures/cells.ts";
export { conditionsFigure, conditionsWithPositions, revealsFigure } from "./figures/conditions.ts";
export type { NumbersFigure } from "./figures/lines.ts";
export type { PlainTable } from "./html.ts";
export {
  kindTests,
  type ReportedKind,
  type ReportedRun,
  type ReportedTest,
  runsFigures,
  runsReport,
  testsCaption,
  testsTable,
} from "./runs.ts";
export { checkText, claimSpread, claimValue, measurementTables, modelOrder } from "./sections.ts";
