/** @file From a configuration to the episodes in their order, each with its plan. */

import { type AgentPlan, planned } from "../../agents/plan.ts";
import type { AgentConfig } from "../../records/agents.ts";
import { fail } from "../../records/error.ts";

/** All arms of the first index, then all of the second: so more episodes are appended to those that are there. */
export function* orders(config: AgentConfig): Generator<AgentPlan> {
  for (let index = 0; index < config.episodes; index++) yield* armsAt(config, index);
}

/** @throws LabError where names, parameters or settings do not fit. */
export function armsAt(config: AgentConfig, index: number): AgentPlan[] {
  const { world, control, policy, settings, seed, turns, callsPerCell } = config;
  const names = [world, ...config.runtimes, ...config.views, control, policy];
  const strange = Object.keys(settings).find((name) => !names.includes(name));
  if (strange !== undefined)
    fail("--set", `a parameter of ${names.join(", ")}, such as ${world}.KEY=VALUE`, strange);
  return config.runtimes.flatMap((runtime) =>
    config.views.map((view) =>
      planned({ world, runtime, view, control, policy, settings, seed, index, turns, callsPerCell }),
    ),
  );
}
