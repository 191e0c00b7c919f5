/**
 * @file statelab/agents: episodes of agents in worlds whose best is known. For Node.
 *
 *     const results = await runAgents({ world: "knapsack", policy: "reuse", runtimes: ["persistent", "stateless"], ... });
 *     await replayAgents("runs/reuse");        every number again, from the ledger alone
 */

export { conceptsFrom } from "../app/agents/concepts.ts";
export { givenSettings } from "../app/agents/input-files.ts";
export { type OwnPolicy, ownPolicy } from "../app/agents/own-policy.ts";
export { type Replay, replayAgents, reportAgents } from "../app/agents/replay.ts";
export { type AgentOrder, runAgents } from "../app/agents/run.ts";
export { type AgentAsking, type AskedAgents, askAgents } from "../app/agents/run-llm.ts";
export { silent } from "../core/progress-reporter.ts";
export { views } from "../eval/agents/context/index.ts";
export { controls } from "../eval/agents/controllers/index.ts";
export { worlds } from "../eval/agents/environments/index.ts";
export { episode } from "../eval/agents/episode.ts";
export type { Shown } from "../eval/agents/history.ts";
export { type AgentPlan, type EpisodeOrder, planned } from "../eval/agents/plan.ts";
export { policies } from "../eval/agents/policies/index.ts";
export { definePolicy, type ScriptedPolicy } from "../eval/agents/policies/policy.ts";
export { type Difference, replayed } from "../eval/agents/replay.ts";
export { runtimes } from "../eval/agents/runtimes/index.ts";
export type { AgentConfig, AgentResults, EpisodeRecord } from "../schemas/agents.ts";
