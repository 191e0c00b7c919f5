/** @file statelab/cluster-simulator: how long a plan of runs takes on clusters with failures. For Node. */

export { measuredPlan } from "./simulate/measured.ts";
export { simulatePlan } from "./simulate/simulate.ts";
export { studyPlan } from "./simulate/study.ts";
