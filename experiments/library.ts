/**
 * @file statelab/experiments: the experiments, and the runner. For Node.
 *
 *     const { result } = await runExperiment(experimentNamed("parity-table"), { scale: "smoke", seeds: [0], ... });
 */

export { experimentNamed, experiments } from "./index.ts";
export { gatherEvidence } from "./runner/evidence.ts";
export { runExperiment } from "./runner/run.ts";
