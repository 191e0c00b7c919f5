/**
 * @file statelab/experiments: the experiments, on published results and questions of our own, the runner, its report. For Node.
 *
 *     const { result } = await runExperiment(experimentNamed("parity-table"), { scale: "smoke", seeds: [0], ... });
 */

export { experimentNamed, experiments } from "../../experiments/index.ts";
export {
  type Experiment,
  type Plan,
  type PlannedRun,
  type Scale,
  scales,
} from "../../experiments/runner/define.ts";
export { gatherEvidence } from "../../experiments/runner/evidence.ts";
export { type Ran, type RunOptions, runExperiment } from "../../experiments/runner/run.ts";
export { headlineTable } from "../report/accuracy-table.ts";
export { type ExperimentWords, experimentReport, experimentTable } from "../report/experiment.ts";
export { headlineFigure, headlineReport } from "../report/experiment-headline.ts";
export { type Table, textTable } from "../report/text-table.ts";
