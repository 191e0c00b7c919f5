/**
 * @file Episodes of agents below one folder, as the studio shows them: a line for each folder, its episodes, and one of them whole. Nothing is
 * written, and none of its code runs.
 *
 *     runs/reuse/{config.json, ledger.jsonl, results.json}      what `statelab agent run --out runs/reuse` left
 *
 * A ledger is read whole, its chain held against its hashes, and kept while its file is the same.
 */

import { existsSync } from "node:fs";
import { planEpisode } from "../../eval/agents/plan.ts";
import { type BelievedTurn, beliefAccuracy } from "../../eval/agents/replay.ts";
import { type AgentArm, AgentConfig, AgentResults, type EpisodeEnd } from "../../schemas/agents.ts";
import { readLedger, readRecord } from "../../storage/index.ts";
import { agentFiles, type ReadEpisode, readEpisodes } from "../agents/read.ts";
import { folderNamed, keptFiles, linesBelow, MOST_LINES } from "./folders.ts";

const HINT = "Create one with statelab agent run";

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
  /** In the episode's name. */
  readonly text?: string;
  readonly from?: number;
}

export interface EpisodeList {
  readonly all: number;
  readonly found: number;
  readonly from: number;
  readonly episodes: readonly EpisodeLine[];
}

export interface EpisodeDetails extends Omit<ReadEpisode, "line"> {
  /** What the calls of each turn claim of the environment, and its true state. */
  readonly believed: readonly BelievedTurn[];
}

function isAgents(folder: string): boolean {
  const { config, ledger } = agentFiles(folder);
  return existsSync(config) && existsSync(ledger);
}

export function listAgents(folder: string): Promise<AgentLine[]> {
  return linesBelow(folder, isAgents, async (place) => {
    const files = agentFiles(place);
    const { world, policy, control } = await readRecord(files.config, AgentConfig, HINT);
    const finished = existsSync(files.results);
    const results = finished ? await readRecord(files.results, AgentResults, HINT) : undefined;
    return { world, policy, control, ...(results && { arms: results.arms }) };
  });
}

/** undefined where there is no folder of that name. Errors: LabError where a line of its ledger was changed. */
export async function episodeList(
  folder: string,
  name: string,
  { runtime, view, trouble = false, text = "", from = 0 }: EpisodeChoice,
): Promise<EpisodeList | undefined> {
  const all = await ledgerOf(folder, name);
  if (all === undefined) return undefined;
  const found = all.filter(
    ({ begin, end }) =>
      (runtime === undefined || begin.runtime === runtime) &&
      (view === undefined || begin.view === view) &&
      (!trouble || Object.keys(end.errors).length > 0) &&
      end.episode.includes(text),
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
): Promise<EpisodeDetails | undefined> {
  const found = (await ledgerOf(folder, name))?.find(({ begin }) => begin.episode === episode);
  if (found === undefined) return undefined;
  const { begin, turns, end } = found;
  return { begin, turns, end, believed: beliefAccuracy(planEpisode(begin), turns) };
}

const episodesAt = keptFiles((ledger) => readEpisodes(readLedger(ledger).records, ledger));

async function ledgerOf(folder: string, name: string): Promise<readonly ReadEpisode[] | undefined> {
  const place = await folderNamed(folder, name, isAgents);
  return place === undefined ? undefined : episodesAt(agentFiles(place).ledger);
}
