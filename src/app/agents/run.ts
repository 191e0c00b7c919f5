/** @file Episodes of scripted policies, several under way at a time, in the ledger in the order of the plan. */

import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { fail } from "../../core/error.ts";
import { episode } from "../../eval/agents/episode.ts";
import type { AgentPlan } from "../../eval/agents/plan.ts";
import { policies } from "../../eval/agents/policies/index.ts";
import type { AgentResults, EpisodeRecord } from "../../schemas/agents.ts";
import { makeFolder, writeFileAtomic } from "../../storage/index.ts";
import { agentFiles } from "./files.ts";
import { type AgentOrder, agentConfig, type HeldFolder, inFolder, missing } from "./run-folder.ts";
import { sessionsOf } from "./sessions.ts";

export type { AgentOrder } from "./run-folder.ts";
export { agentConfig } from "./run-folder.ts";

/** Whether it is a model that somebody has to ask (asked.ts). An unknown name is none. */
export const isAsked = (policy: string) =>
  Object.hasOwn(policies, policy) && policies[policy as keyof typeof policies].kind === "asked";

/** @throws LabError for an invalid order, another order in the folder, or a changed line in its ledger */
export async function runAgents(order: AgentOrder): Promise<AgentResults> {
  if (isAsked(order.policy))
    fail("runAgents", "a policy that is a script", order.policy, "Ask it by askAgents");
  const { results } = await inFolder(order, agentConfig(order), (held) => addEpisodes(order, held));
  return results!; // every episode of a script comes to its end
}

async function addEpisodes(
  { folder, own, signal, progress }: AgentOrder,
  { config, done, append }: HeldFolder,
) {
  if (own !== undefined) {
    const { ownPolicy } = agentFiles(folder);
    await makeFolder(dirname(ownPolicy));
    await writeFileAtomic(ownPolicy, own.source.code);
  }
  const atMost = config.host === null ? 1 : Math.max(1, availableParallelism());
  const total = config.episodes * config.runtimes.length * config.views.length;
  const sessions = sessionsOf(config, atMost, signal);
  const collect = async (plan: AgentPlan): Promise<EpisodeRecord[]> => {
    const lines: EpisodeRecord[] = [];
    for await (const line of episode(plan, { session: sessions.open }, signal)) lines.push(line);
    return lines;
  };
  const plans = missing(config, done, own?.policy);
  const ahead: Promise<EpisodeRecord[]>[] = [];
  try {
    for (let step = done.size; step < total; step++) {
      progress.update(config.world, { step, steps: total });
      for (let next = ahead.length < atMost ? plans.next() : undefined; next?.done === false; ) {
        const lines = collect(next.value);
        lines.catch(() => {}); // it is awaited below, in its turn
        ahead.push(lines);
        next = ahead.length < atMost ? plans.next() : undefined;
      }
      append(await ahead.shift()!);
    }
  } finally {
    await sessions.close();
    await Promise.allSettled(ahead);
    progress.close();
  }
}
