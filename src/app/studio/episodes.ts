/**
 * @file Episodes of agents below one folder, as the studio shows them: a line for each folder, its episodes, and one of them whole. Nothing is
 * written, and none of its code runs.
 *
 *     runs/reuse/{config.json, ledger.jsonl, results.json}      what `statelab agent run --out runs/reuse` left
 *
 * A ledger is read whole, its chain held against its hashes, and kept while its file is the same.
 */

import { existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { LabError } from "../../core/error.ts";
import { type AgentArm, AgentConfig, AgentResults, type EpisodeEnd } from "../../schemas/agents.ts";
import { checkFolder, readLedger, readRecord } from "../../storage/index.ts";
import { agentFiles } from "../agents/files.ts";
import { type ReadEpisode, readEpisodes } from "../agents/read.ts";

const DEPTH = 4;
/** Of a list at once: more make a browser slow. */
const MOST_LINES = 200;
/** Ledgers that are kept. */
const MOST_FILES = 4;
const HINT = "statelab agent run writes one";

export interface AgentLine {
  /** Path below the folder; "." is the folder itself. */
  readonly name: string;
  /** Of one that cannot be read, why; nothing else is known of it. */
  readonly problem?: string;
  readonly world?: string;
  readonly policy?: string;
  readonly control?: string;
  /** Of one that was not finished yet there are none. */
  readonly arms?: readonly AgentArm[];
}

interface EpisodeLine extends Pick<EpisodeEnd, "episode" | "over" | "turns" | "score" | "calls" | "errors"> {
  readonly runtime: string;
  readonly view: string;
}

export interface EpisodeChoice {
  readonly runtime?: string;
  readonly view?: string;
  /** Those alone in which a cell did not finish. */
  readonly trouble?: boolean;
  readonly from?: number;
}

export interface EpisodeList {
  readonly all: number;
  readonly found: number;
  readonly from: number;
  readonly episodes: readonly EpisodeLine[];
}

export async function listAgents(folder: string): Promise<AgentLine[]> {
  return await Promise.all(
    (await agentsBelow(folder, DEPTH)).map(async (place) => {
      const name = nameOf(folder, place);
      try {
        checkFolder(place);
        const files = agentFiles(place);
        const { world, policy, control } = await readRecord(files.config, AgentConfig, HINT);
        const results = existsSync(files.results)
          ? await readRecord(files.results, AgentResults, HINT)
          : undefined;
        return { name, world, policy, control, ...(results && { arms: results.arms }) };
      } catch (error) {
        if (error instanceof LabError) return { name, problem: error.message };
        throw error;
      }
    }),
  );
}

/** undefined where there is no folder of that name. Errors: LabError where a line of its ledger was changed. */
export async function episodeList(
  folder: string,
  name: string,
  { runtime, view, trouble = false, from = 0 }: EpisodeChoice,
): Promise<EpisodeList | undefined> {
  const all = await ledgerOf(folder, name);
  if (all === undefined) return undefined;
  const found = all.filter(
    ({ begin, end }) =>
      (runtime === undefined || begin.runtime === runtime) &&
      (view === undefined || begin.view === view) &&
      (!trouble || Object.keys(end.errors).length > 0),
  );
  return {
    ...{ all: all.length, found: found.length, from },
    episodes: found.slice(from, from + MOST_LINES).map(({ begin, end }) => {
      const { episode, over, turns, score, calls, errors } = end;
      return { episode, runtime: begin.runtime, view: begin.view, over, turns, score, calls, errors };
    }),
  };
}

/** undefined where there is no such folder, or no such episode in it. */
export async function episodeDetails(
  folder: string,
  name: string,
  episode: string,
): Promise<Omit<ReadEpisode, "line"> | undefined> {
  const found = (await ledgerOf(folder, name))?.find(({ begin }) => begin.episode === episode);
  if (found === undefined) return undefined;
  const { begin, turns, end } = found;
  return { begin, turns, end };
}

const nameOf = (folder: string, place: string) => relative(folder, place) || ".";

async function agentsBelow(folder: string, depth: number): Promise<string[]> {
  const { config, ledger } = agentFiles(folder);
  if (existsSync(config) && existsSync(ledger)) return [folder];
  if (depth === 0 || !existsSync(folder)) return [];
  const inner = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  const below = await Promise.all(inner.map(({ name }) => agentsBelow(join(folder, name), depth - 1)));
  return below.flat().sort();
}

interface Kept {
  readonly stamp: string;
  readonly episodes: readonly ReadEpisode[];
}
const kept = new Map<string, Kept>();

async function ledgerOf(folder: string, name: string): Promise<readonly ReadEpisode[] | undefined> {
  const place = (await agentsBelow(folder, DEPTH)).find((each) => nameOf(folder, each) === name);
  if (place === undefined) return undefined;
  checkFolder(place);
  const { ledger } = agentFiles(place);
  const { size, mtimeMs } = statSync(ledger);
  const stamp = `${size} ${mtimeMs}`;
  const known = kept.get(ledger);
  if (known?.stamp === stamp) return known.episodes;
  const episodes = readEpisodes(readLedger(ledger).records, ledger);
  kept.delete(ledger);
  kept.set(ledger, { stamp, episodes });
  for (const oldest of [...kept.keys()].slice(0, -MOST_FILES)) kept.delete(oldest);
  return episodes;
}
