/**
 * @file Concepts from episodes: what was called in which order, with parameters in place of arguments and repetitions taken together.
 *
 *     inspect("item_3f"); inspect("item_9a"); take_item("item_9a")        each: inspect(item); take_item(item)
 *
 * Nothing of an instance is kept, so no answer can be: `leaks` looks for every answer in every field nevertheless.
 */

import type { EpisodeEnd, EpisodeTurn } from "../../schemas/agents.ts";
import type { Concept } from "../../schemas/concepts.ts";
import type { Tool } from "./environment.ts";

export interface ReadEpisode {
  readonly turns: readonly EpisodeTurn[];
  readonly end: EpisodeEnd;
}

/** The routines of the episodes whose share is at least `least`, the most used first. */
export function conceptsOf(
  episodes: readonly ReadEpisode[],
  tools: readonly Tool[],
  least: number,
): Concept[] {
  const found = new Map<string, Concept>();
  for (const { turns, end } of episodes) {
    const steps = end.score.share >= least ? stepsOf(turns) : [];
    if (steps.length === 0) continue;
    const name = steps.map(({ tool, times }) => (times > 1 ? `${tool}+` : tool)).join(", ");
    const known = found.get(name);
    const used = [...new Set(steps.map(({ tool }) => tool))];
    const parametersOf = (tool: string) => tools.find((each) => each.name === tool)?.parameters ?? [];
    found.set(name, {
      ...{ name, kind: "routine", cues: used, parameters: [...new Set(used.flatMap(parametersOf))] },
      implementation: steps
        .map(({ tool, times }) => `${times > 1 ? "each: " : ""}${tool}(${parametersOf(tool).join(", ")})`)
        .join("; "),
      usedIn: [...(known?.usedIn ?? []), end.episode],
    });
  }
  return [...found.values()].toSorted((a, b) => b.usedIn.length - a.usedIn.length);
}

/** Calls that were answered, those of one tool in a row together. */
function stepsOf(turns: readonly EpisodeTurn[]): { tool: string; times: number }[] {
  const steps: { tool: string; times: number }[] = [];
  for (const { name, answer } of turns.flatMap(({ calls }) => calls)) {
    if ("error" in answer) continue;
    const last = steps.at(-1);
    if (last?.tool === name) last.times++;
    else steps.push({ tool: name, times: 1 });
  }
  return steps;
}

/** Where a stored field holds an answer, as whole words: `concepts[0].implementation`. */
export function leaks(concepts: readonly Concept[], answers: readonly string[]): string[] {
  const words = (text: string) => ` ${text.match(/\w+/g)?.join(" ") ?? ""} `;
  const wanted = answers.map(words).filter((answer) => answer.trim() !== "");
  return concepts.flatMap((concept, i) =>
    Object.entries(concept).flatMap(([field, value]) =>
      wanted.some((answer) => [value].flat().some((text) => words(text).includes(answer)))
        ? [`concepts[${i}].${field}`]
        : [],
    ),
  );
}
