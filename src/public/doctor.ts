/** @file statelab/doctor: what this machine has, and whether its sandboxes hold what attacks them. For Node. */

export type { ExamineOptions, Finding as EngineFinding } from "../work/doctor/engine.ts";
export { allHeld, type ExamineHostOptions, examineHost, type HostReport } from "../work/doctor/hosts.ts";
export { examineMachine, type RuntimeReport } from "../work/doctor/machine.ts";
export { examineRedis } from "../work/doctor/redis.ts";
export { type ExamineSlurmOptions, examineSlurm } from "../work/doctor/slurm.ts";
