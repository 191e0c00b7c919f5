/**
 * @file statelab/runs: run folders: train, go on, open, ask, analyse, export, sweep, simulate, compare, serve, studio. For Node. What stands
 * in a folder: docs/runs.md.
 *
 *     await trainRun("runs/mine", config, { signal });
 *     const run = await openRun("runs/mine");
 *     const { evaluation, references } = await askRun(run, { commands: 48 }, 200);
 */

export { type AnalysisName, analysisNames } from "../analysis/index.ts";
export type { Engine, Queued, Submission } from "../engines/engine.ts";
export { type EngineOptions, engineNamed } from "../engines/index.ts";
export { type LendingOptions, lend } from "../engines/lending.ts";
export { openSubmission, submissionsOf } from "../engines/manifest.ts";
export type { Execute as ExecuteJob } from "../jobs/pool.ts";
export { type ClusterPlan, SimulationPlan, type WrittenPlan } from "../records/plan.ts";
export { type ReportedKind, type ReportedRun, type ReportedTest, runsReport } from "../report/index.ts";
export {
  type Checked as CheckedFile,
  type CheckRequest,
  checkFile,
  type Finding as CheckFinding,
} from "../work/check/check.ts";
export type { Comparison } from "../work/compare/difference.ts";
export { type Compared, compareFolders as compareRuns } from "../work/compare/folders.ts";
export { ownCarriers as carriers } from "../work/engine/carriers.ts";
export { claimedTaskInOwnProcess, taskInOwnProcess } from "../work/engine/process.ts";
export type { Standing } from "../work/engine/standing.ts";
export { type PieceState, type SubmissionState, stateOfSubmission } from "../work/engine/standing-by.ts";
export { type Carrier, type Carriers, carryOutTask } from "../work/engine/task.ts";
export { type ExportForm, type ExportToRequest, exportForms, exportTo } from "../work/export/index.ts";
export { feedOn } from "../work/feed/on-engine.ts";
export { type Fed, type FeedOptions, feedRun } from "../work/feed/run.ts";
export { type ImportRequest, importRun } from "../work/import/run.ts";
export { type AnalyseOptions, analyseRun } from "../work/inspect/analyse.ts";
export { type AnalyseFolderOptions, analyseFolder, readAnalysis } from "../work/inspect/folder.ts";
export { gatherRuns } from "../work/report/gather.ts";
export type { RunAnswers, RunJob } from "../work/run/carry-out.ts";
export { readConfigFile } from "../work/run/config-file.ts";
export { type Evaluated, type EvaluateRequest, evaluateRun } from "../work/run/evaluate.ts";
export { exportRun } from "../work/run/export.ts";
export { type ExportedFolder, type ExportRequest, exportFolder } from "../work/run/export-folder.ts";
export { trustRun } from "../work/run/parts.ts";
export type { RunProgress } from "../work/run/progress.ts";
export {
  type TrainRunOptions,
  type TrainRunResult,
  trainNew as trainRun,
  trainOn as resumeRun,
} from "../work/run/train.ts";
export {
  type Asked,
  askAbout as askRun,
  openTrained as openRun,
  type TrainedRun,
} from "../work/run/trained.ts";
export { UntrustedCode } from "../work/run/trust.ts";
export { configOf } from "../work/run/written-config.ts";
export { type PlannedTrial, planSearch, type SearchRequest } from "../work/search/plan.ts";
export { runSearch as searchRecipes, type SearchOptions } from "../work/search/search.ts";
export { type ServeRequest, type Serving, serveRun } from "../work/serve.ts";
export type { ClusterResult } from "../work/simulate/cluster.ts";
export { measuredPlan } from "../work/simulate/measured.ts";
export { type PlanResult, simulatePlan } from "../work/simulate/simulate.ts";
export { type StudiedSetting, type StudyRequest, studyPlan } from "../work/simulate/study.ts";
export { type Studio, type StudioOptions, startStudio } from "../work/studio/server.ts";
export { type SiteFile, writeSite } from "../work/studio/site.ts";
export { type SweptOn, sweepOn } from "../work/sweep/on-engine.ts";
export { planSweep, type SweepRequest, type SweepRun } from "../work/sweep/plan.ts";
export { type RunSweepOptions, runSweep as sweepRuns, type SweepRecord } from "../work/sweep/run.ts";
