/**
 * @file A folder of episodes: the order, the ledger of everything that happened, and the results.
 *
 *     config.json     the order; the same command with the same folder resumes
 *     ledger.jsonl    begin, turns and end of each episode, in one order whatever ran first
 *     answers.jsonl   every answer of a model as it came
 *     results.json    means by arm, and the seal of the ledger
 *     report.html     the same as a page, with episodes step by step
 *     own/policy.mjs  the policy, if it was a user's file
 */

import { existsSync, rmSync } from "node:fs";
import { fail } from "../../core/error.ts";
import { jsonText } from "../../core/json.ts";
import type { ProgressDisplay } from "../../core/progress.ts";
import { applySettings } from "../../core/settings.ts";
import type { ScriptedPolicy } from "../../eval/agents/policies/policy.ts";
import { summarizeEpisodes } from "../../eval/agents/results.ts";
import type { HostName } from "../../python/sandbox/host.ts";
import { findNative } from "../../python/sandbox/native.ts";
import { agentsReport } from "../../report/agents.ts";
import { AgentConfig, AgentResults, type AskedModel, type EpisodeRecord } from "../../schemas/agents.ts";
import {
  type Lock,
  lockFolder,
  openLedger,
  readLedger,
  readRecord,
  type Seal,
  sha256,
  writeFileAtomic,
} from "../../storage/index.ts";
import { askedTotals } from "./answers.ts";
import type { OwnPolicy } from "./input-files.ts";
import { armsAt, orders } from "./plan-episodes.ts";
import { agentFiles, type ReadEpisode, readEpisodes } from "./read.ts";

export interface AgentOrder {
  readonly world: string;
  readonly runtimes: readonly string[];
  readonly views: readonly string[];
  readonly control: string;
  readonly policy: string;
  /** That policy, where it is a user's own file. */
  readonly own?: OwnPolicy | undefined;
  /** Parameters of the entries that were named, each ENTRY.KEY=VALUE. */
  readonly settings: readonly string[];
  /** Parameters from files (given.ts): what is set by hand goes over them. */
  readonly given?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly episodes: number;
  readonly seed: number;
  readonly turns: number;
  readonly callsPerCell: number;
  readonly host: "auto" | HostName;
  /** How long a cell may run. */
  readonly seconds: number;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly progress: ProgressDisplay;
}

export interface HeldFolder {
  readonly config: AgentConfig;
  readonly lock: Lock;
  /** Episodes that are in the ledger, by name. */
  readonly done: ReadonlySet<string>;
  append(lines: readonly EpisodeRecord[]): void;
}

/**
 * Runs `add`, which adds episodes, and computes the results of all episodes; undefined without any.
 * @throws LabError for an invalid order, another order in the folder, or a changed line in its ledger
 */
export async function inFolder<Added>(
  { folder, host }: Pick<AgentOrder, "folder" | "host">,
  wanted: AgentConfig,
  add: (held: HeldFolder) => Promise<Added>,
): Promise<{ readonly added: Added; readonly results: AgentResults | undefined }> {
  const files = agentFiles(folder);
  armsAt(wanted, 0); // what does not fit is said before anything is written
  const lock = await lockFolder(folder, "lock");
  try {
    const config = await agreed(wanted, files.config, host);
    await writeFileAtomic(files.config, `${jsonText(config, files.config, 2)}\n`);
    rmSync(files.results, { force: true }); // it seals a ledger that may grow now
    const ledger = openLedger(files.ledger, (record) => (record as EpisodeRecord).kind === "end");
    let added: Added;
    try {
      const kept = readEpisodes(ledger.kept, files.ledger);
      added = await add({
        ...{ config, lock, done: new Set(kept.map(({ begin }) => begin.episode)) },
        append: (lines) => {
          for (const line of lines) ledger.append(line);
        },
      });
    } finally {
      ledger.sync();
      ledger.close();
    }
    return { added, results: await finished(folder, config, ledger.seal()) };
  } finally {
    lock.release();
  }
}

async function finished(folder: string, config: AgentConfig, seal: Seal): Promise<AgentResults | undefined> {
  const files = agentFiles(folder);
  const { records } = readLedger(files.ledger, seal);
  const episodes = readEpisodes(records, files.ledger);
  if (episodes.length === 0) return undefined;
  const results = await collected(folder, config, episodes, seal);
  await writeFileAtomic(files.results, `${jsonText(results, files.results, 2)}\n`);
  await writeFileAtomic(files.report, agentsReport(results, episodes));
  return results;
}

/** What the episodes of a ledger come to. @throws LabError (corrupt) where an answer is not the reply that was run. */
export async function collected(
  folder: string,
  config: AgentConfig,
  episodes: readonly ReadEpisode[],
  ledger: Seal,
): Promise<AgentResults> {
  const { world, control, policy, seed, endpoint } = config;
  const asked = endpoint && { asked: await askedTotals(folder, config, endpoint, episodes) };
  return AgentResults.parse({
    ...{ version: 1, world, control, policy, seed, arms: summarizeEpisodes(episodes), ...asked, ledger },
  });
}

/** The order as it is kept. @throws LabError where names, parameters or settings do not fit. */
export function agentConfig(
  { settings, given = {}, host, own, folder: _, signal: __, progress: ___, ...order }: AgentOrder,
  endpoint?: AskedModel,
): AgentConfig {
  const nested = applySettings(given, settings) as AgentConfig["settings"]; // read by the entries' own schemas
  const config = {
    ...{ version: 1 as const, ...order, settings: nested, host: null },
    ...(endpoint !== undefined && { endpoint }),
    ...(own !== undefined && { own: { path: own.source.path, sha256: sha256(own.source.code) } }),
  };
  const lists = { runtimes: [...order.runtimes], views: [...order.views] };
  const [first, ...others] = armsAt({ ...config, ...lists }, 0, own?.policy);
  const python = [first, ...others].some(({ runtime }) => runtime.entry.python);
  // Those of an own policy are kept whole: only its code knows what it takes where nothing is said.
  const whole = own === undefined ? nested : { ...nested, [own.policy.name]: first.policy.params };
  return { ...config, ...lists, settings: whole, host: python ? hostNamed(host) : null };
}

function hostNamed(host: AgentOrder["host"]): HostName {
  if (host !== "auto") return host;
  return findNative().kind === "found" ? "native" : "embedded";
}

/** What is there already decides where cells run, and it may only grow. @throws LabError naming what differs. */
async function agreed(wanted: AgentConfig, path: string, host: AgentOrder["host"]): Promise<AgentConfig> {
  if (!existsSync(path)) return wanted;
  const there = await readRecord(path, AgentConfig, "Choose another folder with --out");
  const now = { ...wanted, host: host === "auto" && wanted.host !== null ? there.host : wanted.host };
  for (const key of Object.keys(AgentConfig.shape) as (keyof AgentConfig)[]) {
    const [before, after] = [JSON.stringify(there[key]), JSON.stringify(now[key])];
    if (key !== "episodes" && before !== after)
      fail(path, `${key} ${before}, as in its episodes`, now[key], "Choose another folder with --out");
  }
  return { ...now, episodes: Math.max(there.episodes, now.episodes) };
}

/** The plans of the order that are not done yet. */
export function* missing(config: AgentConfig, done: ReadonlySet<string>, own?: ScriptedPolicy) {
  for (const plan of orders(config, own)) if (!done.has(plan.begin.episode)) yield plan;
}
