/** @file Episodes without Python, for tests: their lines, and what they come to. */

import type { EpisodeBegin, EpisodeEnd, EpisodeRecord, EpisodeTurn } from "../../schemas/agents.ts";
import { episode } from "./episode.ts";
import { type AgentPlan, type EpisodeOrder, planEpisode } from "./plan.ts";

const noSession = () => Promise.reject(new Error("no Python is to run here"));

export const planOf = (order: Partial<EpisodeOrder> & Pick<EpisodeOrder, "world" | "policy">): AgentPlan =>
  planEpisode({
    ...{ runtime: "calls", view: "full", control: "free", settings: {}, seed: 0, index: 0 },
    ...{ turns: 200, callsPerCell: 25 },
    ...order,
  });

export async function linesOf(plan: AgentPlan): Promise<EpisodeRecord[]> {
  const lines: EpisodeRecord[] = [];
  for await (const line of episode(plan, { session: noSession })) lines.push(line);
  return lines;
}

export interface Episode {
  readonly begin: EpisodeBegin;
  readonly turns: readonly EpisodeTurn[];
  readonly end: EpisodeEnd;
}

/** So many episodes of an order, by index. */
export async function episodesOf(
  order: Parameters<typeof planOf>[0],
  count: number,
): Promise<readonly Episode[]> {
  const all: Episode[] = [];
  for (let index = 0; index < count; index++) {
    const lines = await linesOf(planOf({ ...order, index }));
    const turns = lines.slice(1, -1) as EpisodeTurn[]; // an episode is a beginning, turns, an end
    all.push({ begin: lines[0] as EpisodeBegin, turns, end: lines.at(-1) as EpisodeEnd });
  }
  return all;
}

/** The probability that a step is right, and its expected number of replies, for policy error `error`. */
export function checkedStep(
  error: number,
  { falseAlarm, detection, retries }: Readonly<Record<"falseAlarm" | "detection" | "retries", number>>,
): { readonly right: number; readonly replies: number } {
  const accepted = (1 - error) * (1 - falseAlarm);
  const back = 1 - accepted - error * (1 - detection);
  const sum = (terms: number) => (back === 1 ? terms : (1 - back ** terms) / (1 - back));
  return { right: accepted * sum(retries) + back ** retries * (1 - error), replies: sum(retries + 1) };
}
