/** @file Episodes of scripted policies, several under way at a time, in the ledger in the order of the plan. */

import { availableParallelism } from "node:os";
import { dirname } from "node:path";
import { fail } from "../../core/error.ts";
import { episode } from "../../eval/agents/episode.ts";
import type { AgentPlan } from "../../eval/agents/plan.ts";
import { policies } from "../../eval/agents/registries.ts";
import type { Session } from "../../eval/agents/runtimes/runtime.ts";
import type { PythonHost } from "../../python/sandbox/host.ts";
import { openHost } from "../../python/sandbox/open.ts";
import type { AgentConfig, AgentResults, EpisodeRecord } from "../../schemas/agents.ts";
import { makeFolder, writeFileAtomic } from "../../storage/index.ts";
import { agentFiles } from "./read.ts";
import { type AgentOrder, agentConfig, type HeldFolder, inFolder, missing } from "./run-folder.ts";

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
  const sessions = openSessions(config, atMost, signal);
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

const memoryBytes = 512 * 2 ** 20;

export interface Sessions {
  open(): Promise<Session>;
  close(): Promise<void>;
}

/** At most so many interpreters at a time; who wants another one waits. */
export function openSessions(
  { host: name, seconds }: AgentConfig,
  atMost: number,
  signal: AbortSignal,
): Sessions {
  let host: Promise<PythonHost> | undefined;
  return {
    async open() {
      if (name === null) throw new Error("no Python is to run in this runtime");
      host ??= openHost(name, { atMost, warm: atMost, limits: { wallSeconds: seconds, memoryBytes } });
      const opened = await (await host).session({}, signal);
      return {
        run: (cell, act) => opened.run(cell, act, {}, signal),
        get alive() {
          return opened.alive;
        },
        close: () => opened.close(),
      };
    },
    close: async () => (await host)?.close(),
  };
}
