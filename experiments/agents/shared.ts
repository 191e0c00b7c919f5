/** @file Episodes of scripted policies for experiments, without Python and without a folder: their ends. */

import { episode } from "../../src/eval/agents/episode.ts";
import { type EpisodeOrder, planEpisode } from "../../src/eval/agents/plan.ts";
import { replayed } from "../../src/eval/agents/replay.ts";
import type { EpisodeEnd, EpisodeTurn } from "../../src/schemas/agents.ts";

interface EndedEpisode {
  readonly turns: readonly EpisodeTurn[];
  readonly end: EpisodeEnd;
}

const noSession = () => Promise.reject(new Error("no Python is to run here"));

/** One episode; its end is computed from its calls. */
export async function episodeOf(
  order: Pick<EpisodeOrder, "world" | "policy" | "seed" | "index"> & Partial<EpisodeOrder>,
): Promise<EndedEpisode> {
  const plan = planEpisode({
    ...{ runtime: "calls", view: "full", control: "free", settings: {}, turns: 10_000, callsPerCell: 25 },
    ...order,
  });
  const turns: EpisodeTurn[] = [];
  for await (const line of episode(plan, { session: noSession })) if (line.kind === "turn") turns.push(line);
  return { turns, end: replayed(plan, turns).end };
}
