/** @file Results of episodes by arm: means over episodes, with standard errors if they can be estimated. */

import { mean, standardDeviation, standardError } from "../../core/statistics.ts";
import type { AgentArm, EpisodeBegin, EpisodeEnd } from "../../schemas/agents.ts";

export interface Ended {
  readonly begin: EpisodeBegin;
  readonly end: EpisodeEnd;
}

/** 1.96 for a twentieth on both sides, 0.84 for four fifths. */
const power = 1.96 + 0.84;

/** Arms in the order in which they first come. */
export function summarizeEpisodes(ended: readonly Ended[]): AgentArm[] {
  const arms = new Map<string, Ended[]>();
  for (const each of ended) {
    const { runtime, view, control, policy } = each.begin;
    const arm = [runtime, view, control, policy].join("/");
    const group = arms.get(arm);
    if (group === undefined) arms.set(arm, [each]);
    else group.push(each);
  }
  return [...arms].map(([arm, episodes]) => {
    const [{ begin }] = episodes;
    const ends = episodes.map(({ end }) => end);
    const over = (pick: (end: EpisodeEnd) => number) => meanOf(ends.map(pick));
    const keys = Object.keys(ends[0].score);
    const kinds = [...new Set(ends.flatMap(({ errors }) => Object.keys(errors)))].toSorted();
    const shares = ends.map(({ score }) => score.share);
    return {
      ...{ arm, runtime: begin.runtime, view: begin.view, episodes: ends.length },
      over: ends.filter((end) => end.over).length,
      score: Object.fromEntries(keys.map((key) => [key, over(({ score }) => score[key])])),
      ...{ turns: over(({ turns }) => turns), calls: over(({ calls }) => calls) },
      tokens: {
        peak: over(({ tokens }) => tokens.peak),
        processed: over(({ tokens }) => tokens.processed),
        replied: over(({ tokens }) => tokens.replied),
      },
      errors: Object.fromEntries(
        kinds.map((kind) => [kind, ends.filter(({ errors }) => (errors[kind] ?? 0) > 0).length]),
      ),
      detectable: isSpread(shares) ? power * standardDeviation(shares) * Math.sqrt(2 / ends.length) : null,
    };
  });
}

const meanOf = (values: readonly number[]) => ({
  mean: mean(values),
  error: isSpread(values) ? standardError(values) : null,
});

/** The spread cannot be estimated from few or identical values. */
const isSpread = (values: readonly number[]) => values.length >= fewest && new Set(values).size > 1;
const fewest = 4;
