/** @file A folder of episodes, computed again from its ledger: every number of every line, and the results. */

import { existsSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { fail } from "../../core/error.ts";
import { replayed } from "../../eval/agents/replay.ts";
import { AgentConfig, AgentResults } from "../../schemas/agents.ts";
import { checkFolder, noLine, readLedger, readRecord } from "../../storage/index.ts";
import { orders } from "./plan-episodes.ts";
import { agentFiles, readEpisodes } from "./read.ts";
import { collected } from "./run-folder.ts";

const damaged = "The file was changed";

/** @throws LabError (corrupt) naming the first line that is not what the replay makes of it. */
export async function replayAgents(folder: string) {
  checkFolder(folder);
  const files = agentFiles(folder);
  const config = await readRecord(files.config, AgentConfig, damaged);
  const results = existsSync(files.results)
    ? await readRecord(files.results, AgentResults, damaged)
    : undefined;
  const { records, hashes } = readLedger(files.ledger, results?.ledger);
  const episodes = readEpisodes(records, files.ledger);
  const plans = new Map(Array.from(orders(config), (plan) => [plan.begin.episode, plan]));
  for (const { begin, turns, end, line } of episodes) {
    const plan = plans.get(begin.episode);
    plans.delete(begin.episode); // each comes once
    const differs = (at: number, what: string, said: unknown, again: unknown) => {
      if (isDeepStrictEqual(said, again)) return;
      fail(
        `${files.ledger}, line ${line + at}`,
        `${what} ${JSON.stringify(again)}`,
        said,
        damaged,
        "corrupt",
      );
    };
    if (plan === undefined)
      fail(`${files.ledger}, line ${line}`, "each planned episode once", begin.episode, damaged, "corrupt");
    for (const key of Object.keys(plan.begin) as (keyof typeof begin)[])
      differs(0, key, begin[key], plan.begin[key]);
    const again = replayed(plan, turns);
    for (const { line: at, what, said, replayed: value } of again.differences) differs(at, what, said, value);
    for (const key of Object.keys(again.end) as (keyof typeof end)[])
      differs(turns.length + 1, key, end[key], again.end[key]);
  }
  const hash = hashes.at(-1) ?? "";
  // a model's replies are held against its answers also where there are no results yet
  const again = await collected(folder, config, episodes, { lines: hashes.length, hash: hash || noLine });
  if (results !== undefined) {
    if (!isDeepStrictEqual(results, again)) {
      const key = (Object.keys(again) as (keyof AgentResults)[]).find(
        (each) => !isDeepStrictEqual(results[each], again[each]),
      );
      fail(files.results, `${key} as in the event log`, results[key!], damaged, "corrupt");
    }
  }
  // `results`: the numbers of the results, too, where there are some: an interrupted run has none.
  return { episodes: episodes.length, lines: hashes.length, results: results !== undefined, hash };
}

/** The results of a folder, from its ledger as far as it goes. @throws LabError (corrupt) where a line was changed. */
export async function reportAgents(
  folder: string,
): Promise<{ readonly config: AgentConfig; readonly results: AgentResults }> {
  checkFolder(folder);
  const files = agentFiles(folder);
  const config = await readRecord(files.config, AgentConfig, damaged);
  const { records, hashes } = readLedger(files.ledger);
  const episodes = readEpisodes(records, files.ledger);
  if (episodes.length === 0)
    fail(files.ledger, "at least one episode", "none", "Run statelab agent run again");
  return {
    config,
    results: await collected(folder, config, episodes, { lines: hashes.length, hash: hashes.at(-1)! }),
  };
}
