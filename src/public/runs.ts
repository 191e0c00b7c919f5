/**
 * @file statelab/runs: run folders: train, go on, open, ask, analyse, export, sweep, simulate, compare, serve, studio. For Node. What stands
 * in a folder: docs/runs.md.
 *
 *     await trainRun("runs/mine", config, { signal });
 *     const run = await openRun("runs/mine");
 *     const { evaluation, references } = await askRun(run, { commands: 48 }, 200);
 */

export type { ClusterResult } from "../../packages/cluster-simulator/simulate/cluster.ts";
export { measuredPlan } from "../../packages/cluster-simulator/simulate/measured.ts";
export { type PlanResult, simulatePlan } from "../../packages/cluster-simulator/simulate/simulate.ts";
export {
  type StudiedSetting,
  type StudyRequest,
  studyPlan,
} from "../../packages/cluster-simulator/simulate/study.ts";
export { type LendingOptions, lend } from "../../packages/redis/worker.ts";
export { type AnalysisName, analysisNames } from "../analysis/index.ts";
export { type AnalyseOptions, analyseRun } from "../app/analyze/analyze.ts";
export { type AnalyseFolderOptions, analyseFolder, readAnalysis } from "../app/analyze/folder.ts";
export {
  type Checked as CheckedFile,
  type CheckRequest,
  checkFile,
  type Finding as CheckFinding,
} from "../app/check/check.ts";
export type { Comparison } from "../app/compare/difference.ts";
export { type Compared, compareFolders as compareRuns } from "../app/compare/folders.ts";
export { feedOn } from "../app/data-worker/on-engine.ts";
export { type Fed, type FeedOptions, feedRun } from "../app/data-worker/run.ts";
export { ownCarriers as carriers } from "../app/executor/job-handlers.ts";
export { claimedTaskInOwnProcess, taskInOwnProcess } from "../app/executor/task-process.ts";
export { type ExportForm, type ExportToRequest, exportForms, exportTo } from "../app/export/index.ts";
export { type ImportRequest, importRun } from "../app/import/run.ts";
export { UntrustedCode } from "../app/own-code/trust.ts";
export { gatherRuns } from "../app/report/load-runs.ts";
export { readConfigFile } from "../app/run/config-file.ts";
export { type Evaluated, type EvaluateRequest, evaluateRun } from "../app/run/evaluate.ts";
export type { RunAnswers, RunJob } from "../app/run/execute.ts";
export { exportRun } from "../app/run/export.ts";
export { type ExportedFolder, type ExportRequest, exportFolder } from "../app/run/export-folder.ts";
export {
  type Asked,
  askAbout as askRun,
  openTrained as openRun,
  type TrainedRun,
} from "../app/run/open.ts";
export type { RunProgress } from "../app/run/progress.ts";
export { trustRun } from "../app/run/resolve.ts";
export { configOf } from "../app/run/saved-config.ts";
export {
  type TrainRunOptions,
  type TrainRunResult,
  trainNew as trainRun,
  trainOn as resumeRun,
} from "../app/run/train.ts";
export { type PlannedTrial, planSearch, type SearchRequest } from "../app/search/plan.ts";
export { runSearch as searchRecipes, type SearchOptions } from "../app/search/search.ts";
export { type ServeRequest, type Serving, serveRun } from "../app/serve.ts";
export { type Studio, type StudioOptions, startStudio } from "../app/studio/server.ts";
export { type SiteFile, writeSite } from "../app/studio/site.ts";
export { type SweptOn, sweepOn } from "../app/sweep/on-engine.ts";
export { planSweep, type SweepRequest, type SweepRun } from "../app/sweep/plan.ts";
export { type RunSweepOptions, runSweep as sweepRuns, type SweepRecord } from "../app/sweep/run.ts";
export { type Carrier, type Carriers, carryOutTask } from "../executors/execute-task.ts";
export type { Engine, Queued, Submission } from "../executors/executor.ts";
export { type EngineOptions, engineNamed } from "../executors/index.ts";
export { openSubmission, submissionsOf } from "../executors/manifest.ts";
export type { Execute as ExecuteJob } from "../executors/pool.ts";
export { type PieceState, type SubmissionState, stateOfSubmission } from "../executors/supervise.ts";
export type { Standing } from "../executors/supervise-options.ts";
export { type ReportedKind, type ReportedRun, type ReportedTest, runsReport } from "../report/index.ts";
export { type ClusterPlan, SimulationPlan, type WrittenPlan } from "../schemas/simulation-plan.ts";
