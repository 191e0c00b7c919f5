/** @file statelab/doctor: what this machine has, and whether its sandboxes hold what attacks them. For Node. */

export { allHeld, type ExamineHostOptions, examineHost, type HostReport } from "../work/doctor/hosts.ts";
export { examineMachine, type RuntimeReport } from "../work/doctor/machine.ts";
