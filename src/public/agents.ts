/**
 * @file statelab/agents: episodes of agents in worlds whose best is known. For Node.
 *
 *     const results = await runAgents({ world: "knapsack", policy: "reuse", runtimes: ["persistent", "stateless"], ... });
 *     await replayAgents("runs/reuse");        every number again, from the ledger alone
 */

export { controls } from "../agents/controls/index.ts";
export { episode } from "../agents/episode.ts";
export type { Shown } from "../agents/history.ts";
export { type AgentPlan, type EpisodeOrder, planned } from "../agents/plan.ts";
export { policies } from "../agents/policies/index.ts";
export { definePolicy, type ScriptedPolicy } from "../agents/policies/policy.ts";
export { type Difference, replayed } from "../agents/replay.ts";
export { runtimes } from "../agents/runtimes/index.ts";
export { views } from "../agents/views/index.ts";
export { worlds } from "../agents/worlds/index.ts";
export type { AgentConfig, AgentResults, EpisodeRecord } from "../records/agents.ts";
export { type AgentAsking, type AskedAgents, askAgents } from "../work/agent/asked.ts";
export { conceptsFrom } from "../work/agent/concepts.ts";
export { givenSettings } from "../work/agent/given.ts";
export { type OwnPolicy, ownPolicy } from "../work/agent/own-policy.ts";
export { type Replay, replayAgents, reportAgents } from "../work/agent/replay.ts";
export { type AgentOrder, runAgents } from "../work/agent/run.ts";
export { silent } from "../work/progress.ts";
