/** @file What the episodes of a folder teach for later ones: their routines, and nothing of their answers. */

import { fail } from "../../core/error.ts";
import { leaks, makeConcepts } from "../../eval/agents/context/concepts.ts";
import { rngStreams } from "../../eval/agents/plan.ts";
import { AgentConfig, type ConceptStore } from "../../schemas/agents.ts";
import { checkFolder, readLedger, readRecord } from "../../storage/index.ts";
import { orders } from "./plan-episodes.ts";
import { agentFiles, readEpisodes } from "./read.ts";

/** Ignores episodes below `least`. @throws LabError if the ledger was changed or a concept contains an answer */
export async function conceptsFrom(folder: string, least: number): Promise<ConceptStore> {
  checkFolder(folder);
  const files = agentFiles(folder);
  const config = await readRecord(files.config, AgentConfig, "It is written by statelab agent run");
  const episodes = readEpisodes(readLedger(files.ledger).records, files.ledger);
  const plans = [...orders(config)].slice(0, episodes.length);
  const tools = plans[0]?.world.entry.tools ?? [];
  const concepts = makeConcepts(episodes, tools, least);
  const answers = plans.flatMap(({ world, begin }) => {
    const state = world.entry.draw(world.params, rngStreams(begin).world);
    return world.entry.answers?.(state) ?? [];
  });
  const [leak] = leaks(concepts, answers);
  if (leak !== undefined) fail(files.ledger, "concepts without any answer of an episode", leak);
  return { version: 1, world: config.world, concepts };
}
