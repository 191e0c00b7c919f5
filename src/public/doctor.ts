/** @file statelab/doctor: what this machine has, and whether its sandboxes hold what attacks them. For Node. */

export { examineRedis } from "../../packages/redis/doctor.ts";
export type { ExamineOptions, Finding as EngineFinding } from "../app/doctor/engine.ts";
export { allHeld, type ExamineHostOptions, examineHost, type HostReport } from "../app/doctor/hosts.ts";
export { examineMachine, type RuntimeReport } from "../app/doctor/machine.ts";
export { type ExamineSlurmOptions, examineSlurm } from "../app/doctor/slurm.ts";
