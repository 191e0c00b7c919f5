/** @file statelab/cluster-simulator: how long a plan of runs takes on clusters with failures. For Node. */

import type { SimulatorPackage } from "../../src/executors/packages.ts";
import { measuredPlan } from "./simulate/measured.ts";
import { simulatePlan } from "./simulate/simulate.ts";
import { studyPlan, writtenPlan } from "./simulate/study.ts";

export { measuredPlan, simulatePlan, studyPlan };
export default { studyPlan, writtenPlan } satisfies SimulatorPackage;
