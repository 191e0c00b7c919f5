/** @file From a configuration to the episodes in their order, each with its plan. */

import { z } from "zod";
import { fail } from "../../core/error.ts";
import { type AgentPlan, planEpisode } from "../../eval/agents/plan.ts";
import { definePolicy, type ScriptedPolicy } from "../../eval/agents/policies/policy.ts";
import type { AgentConfig } from "../../schemas/agents.ts";

/** All arms of the first index, then all of the second: so more episodes are appended to those that are there. */
export function* orders(config: AgentConfig, own?: ScriptedPolicy): Generator<AgentPlan> {
  for (let index = 0; index < config.episodes; index++) yield* armsAt(config, index, own);
}

/** `own` is the policy where it is a user's file: what only reads episodes needs it not, and runs none of its code. @throws LabError where names, parameters or settings do not fit. */
export function armsAt(
  config: AgentConfig,
  index: number,
  own: ScriptedPolicy | undefined = config.own && unread(config.policy),
): AgentPlan[] {
  const { world, control, policy, settings, seed, turns, callsPerCell } = config;
  const names = [world, ...config.runtimes, ...config.views, control, policy];
  const strange = Object.keys(settings).find((name) => !names.includes(name));
  if (strange !== undefined)
    fail("--set", `a parameter of ${names.join(", ")}, such as ${world}.KEY=VALUE`, strange);
  return config.runtimes.flatMap((runtime) =>
    config.views.map((view) =>
      planEpisode({ world, runtime, view, control, policy, own, settings, seed, index, turns, callsPerCell }),
    ),
  );
}

/** In the place of a user's own policy: its parameters stand whole in the order. */
const unread = (name: string): ScriptedPolicy =>
  definePolicy({
    ...{ name, summary: "a user's own", params: z.record(z.string(), z.unknown()) },
    decide: () => fail("--policy", "the file of the policy", name),
  });
