/**
 * @file statelab/app: what the commands do, as functions: train, test, analyze, export, sweep, compare, serve, trace, evaluate language models and agents.
 * For Node; docs/how-to/library.md has a row for each command.
 *
 *     await trainRun("runs/mine", config, { signal });
 *     const run = await openRun("runs/mine");
 *     const { evaluation, references } = await askRun(run, { commands: 48 }, 200);
 */

export type { Execute as ExecuteJob } from "../executors/pool.ts";
export { analysisReport } from "../report/analysis.ts";
export { runsReport } from "../report/runs.ts";
export { conceptsFrom } from "./agents/concepts.ts";
export { readAgentSettings } from "./agents/input-files.ts";
export { replayAgents, reportAgents } from "./agents/replay.ts";
export { runAgents } from "./agents/run.ts";
export { runLlmAgents } from "./agents/run-llm.ts";
export { analyseRun } from "./analyze/analyze.ts";
export { analyseFolder, readAnalysis } from "./analyze/folder.ts";
export { openForward, silencing } from "./analyze/forward.ts";
export { collect } from "./analyze/record-activations.ts";
export { checkFile } from "./check/check.ts";
export { compareFolders as compareRuns } from "./compare/difference.ts";
export { type DapStreams, serveDap } from "./dap/serve.ts";
export { getBenchmark, importBenchmark, openBenchmark } from "./data/benchmark.ts";
export { injectFaults } from "./data/faults.ts";
export { feedOn, feedRun } from "./data-worker/run.ts";
export { diagnosedBy, diagnoseTranscripts, openTranscripts } from "./diagnose/diagnose.ts";
export { replayMessages } from "./diagnose/replay.ts";
export { examineHost } from "./doctor/hosts.ts";
export { examineMachine } from "./doctor/machine.ts";
export { examineSlurm } from "./doctor/slurm.ts";
export { exportTo } from "./export/index.ts";
export { generation, writeGeneration } from "./generate.ts";
export { importRun } from "./import/run.ts";
export { evaluateBenchmark } from "./llm/eval.ts";
export { exportEval, exportQuestions } from "./llm/export.ts";
export { judgeLines } from "./llm/judge.ts";
export { evaluateModels } from "./llm/multi-model.ts";
export { replayEval } from "./llm/replay.ts";
export { runEval } from "./llm/run.ts";
export { readReplies } from "./llm/saved-replies.ts";
export { scoreFile, scoreReplies } from "./llm/score.ts";
export { evaluateSharded } from "./llm/sharded.ts";
export { serveMcpStdio, startMcp } from "./mcp/serve.ts";
export { gatherRuns } from "./report/load-runs.ts";
export { evaluateRun } from "./run/evaluate.ts";
export type { RunAnswers, RunJob, RunProgress } from "./run/execute.ts";
export { exportFolder, exportRun } from "./run/export.ts";
export { askRun, openTrainedRun as openRun, type TrainedRun } from "./run/open.ts";
export { trustRun } from "./run/provenance.ts";
export { resumeRun } from "./run/resume.ts";
export { trainRun } from "./run/train.ts";
export { planSearch } from "./search/plan.ts";
export { runSearch as searchRecipes } from "./search/search.ts";
export { serveRun } from "./serve.ts";
export { startStudio } from "./studio/server.ts";
export { writeSite } from "./studio/site.ts";
export { planSweep } from "./sweep/plan.ts";
export { runSweep as sweepRuns, sweepOn } from "./sweep/run.ts";
export { traceBenchmark } from "./trace/benchmark.ts";
export { recordHistory, traceCall } from "./trace/call.ts";
export { traceOn } from "./trace/sharded.ts";
