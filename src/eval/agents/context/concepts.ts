/**
 * @file Concepts: routines extracted from earlier episodes, and the view that shows them after the task.
 *
 *     inspect("item_3f"); inspect("item_9a"); take_item("item_9a")        each: inspect(item); take_item(item)
 *     inspect, then take_item (item): ...                                 shown first if its cues occur in the last turn
 *
 * A concept has parameters in place of arguments, so it cannot give an answer away; `leaks` checks every field nevertheless. The store is a
 * parameter of the view, so the episode record contains what was shown.
 *
 * Source: ArcMemo (matt-seb-ho/arc_memo).
 */

import { z } from "zod";
import { Concept, type EpisodeEnd, type EpisodeTurn } from "../../../schemas/agents.ts";
import type { Tool } from "../environment.ts";
import { asMessages, type History, keptReply } from "../history.ts";
import type { View } from "./view.ts";

const Params = z.strictObject({
  store: z.array(Concept).default([]).describe("Routines that earlier episodes taught"),
  most: z.int().min(0).default(5).describe("Largest number of routines shown"),
});

export const concepts: View<z.infer<typeof Params>> = {
  name: "concepts",
  summary: "all turns, and routines from earlier episodes (agent run --concepts FILE)",
  params: Params,
  show(history, { store, most }) {
    const turns = history.flatMap((turn) => asMessages(turn));
    const chosen = store
      .map((concept) => ({ concept, cued: cuesIn(history, concept) }))
      .toSorted((a, b) => b.cued - a.cued) // stable: equals keep the order of the store
      .slice(0, most)
      .map(({ concept }) => `${concept.name} (${concept.parameters.join(", ")}): ${concept.implementation}`);
    if (chosen.length === 0) return turns;
    return [{ role: "user", text: `Known routines:\n${chosen.join("\n")}` }, ...turns];
  },
};

/** The number of its cues that occur in the last turn. */
function cuesIn(history: History, { cues }: Concept): number {
  const [last] = history.slice(-1);
  const text = last === undefined ? "" : `${keptReply(last)} ${last.end.output}`;
  return cues.filter((cue) => text.includes(cue)).length;
}

export interface ReadEpisode {
  readonly turns: readonly EpisodeTurn[];
  readonly end: EpisodeEnd;
}

/** The routines of episodes with a share of at least `least`, most used first. */
export function makeConcepts(
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

/** Successful calls; consecutive calls of one tool are one step. */
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

/** The fields that contain an answer as whole words: `concepts[0].implementation`. */
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
