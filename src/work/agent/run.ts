/**
 * @file Episodes of agents, from an order to the files: every one in the ledger as it happened, and the results that follow.
 *
 *     config.json     what was ordered; the same command with the same folder goes on
 *     ledger.jsonl    begin, turns and end of each episode, in one order whatever ran first
 *     results.json    means by arm, and the seal of the ledger
 */

import { existsSync, rmSync } from "node:fs";
import { availableParallelism } from "node:os";
import { episode } from "../../agents/episode.ts";
import type { AgentPlan } from "../../agents/plan.ts";
import { resultsOf } from "../../agents/results.ts";
import type { Session } from "../../agents/runtimes/runtime.ts";
import type { HostName, PythonHost } from "../../python/host.ts";
import { findNative } from "../../python/native.ts";
import { openHost } from "../../python/open.ts";
import { AgentConfig, AgentResults, type EpisodeRecord } from "../../records/agents.ts";
import { applySettings } from "../../records/config.ts";
import { fail } from "../../records/error.ts";
import { jsonText } from "../../records/finite.ts";
import {
  makeFolder,
  openLedger,
  readLedger,
  readRecord,
  type Seal,
  takeLock,
  writeFileAtomic,
} from "../../store/index.ts";
import type { ProgressDisplay } from "../progress.ts";
import { agentFiles } from "./files.ts";
import { armsAt, orders } from "./orders.ts";
import { episodesOf, type ReadEpisode } from "./read.ts";

export interface AgentOrder {
  readonly world: string;
  readonly runtimes: readonly string[];
  readonly views: readonly string[];
  readonly control: string;
  readonly policy: string;
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

const memoryBytes = 512 * 2 ** 20;

/** @throws LabError where the order does not fit, the folder holds another one, or a line of its ledger was changed. */
export async function runAgents(order: AgentOrder): Promise<AgentResults> {
  const { folder } = order;
  const files = agentFiles(folder);
  const wanted = agentConfig(order);
  armsAt(wanted, 0); // what does not fit is said before anything is written
  await makeFolder(folder);
  const lock = takeLock(files.lock);
  try {
    const config = await agreed(wanted, files.config, order.host);
    await writeFileAtomic(files.config, `${jsonText(config, files.config, 2)}\n`);
    rmSync(files.results, { force: true }); // it seals a ledger that may grow now
    const ledger = openLedger(files.ledger, (record) => (record as EpisodeRecord).kind === "end");
    try {
      const kept = episodesOf(ledger.kept, files.ledger);
      await addEpisodes(order, config, kept.length, (line) => ledger.append(line));
    } finally {
      ledger.sync();
      ledger.close();
    }
    return await finished(folder, config, ledger.seal());
  } finally {
    lock.release();
  }
}

/** Several are under way at a time; they are written in the order of the plan. */
async function addEpisodes(
  { signal, progress, seconds }: AgentOrder,
  config: AgentConfig,
  done: number,
  append: (record: EpisodeRecord) => void,
): Promise<void> {
  const python = config.host !== null;
  const atMost = python ? Math.max(1, availableParallelism()) : 1;
  const total = config.episodes * config.runtimes.length * config.views.length;
  let host: Promise<PythonHost> | undefined;
  const session = async (): Promise<Session> => {
    host ??= openHost(config.host!, { atMost, warm: atMost, limits: { wallSeconds: seconds, memoryBytes } });
    const opened = await (await host).session({}, signal);
    return {
      run: (cell, act) => opened.run(cell, act, {}, signal),
      get alive() {
        return opened.alive;
      },
      close: () => opened.close(),
    };
  };
  const collect = async (plan: AgentPlan): Promise<EpisodeRecord[]> => {
    const lines: EpisodeRecord[] = [];
    for await (const line of episode(plan, session, signal)) lines.push(line);
    return lines;
  };
  const plans = orders(config);
  for (let passed = 0; passed < done; passed++) plans.next();
  const ahead: Promise<EpisodeRecord[]>[] = [];
  try {
    for (let step = done; step < total; step++) {
      progress.update(config.world, { step, steps: total });
      for (let next = ahead.length < atMost ? plans.next() : undefined; next?.done === false; ) {
        const lines = collect(next.value);
        lines.catch(() => {}); // it is awaited below, in its turn
        ahead.push(lines);
        next = ahead.length < atMost ? plans.next() : undefined;
      }
      for (const line of await ahead.shift()!) append(line);
    }
  } finally {
    await (await host)?.close();
    await Promise.allSettled(ahead);
    progress.close();
  }
}

async function finished(folder: string, config: AgentConfig, seal: Seal): Promise<AgentResults> {
  const files = agentFiles(folder);
  const { records } = readLedger(files.ledger, seal);
  const results = collected(config, episodesOf(records, files.ledger), seal);
  await writeFileAtomic(files.results, `${jsonText(results, files.results, 2)}\n`);
  return results;
}

/** What the episodes of a ledger come to. */
export function collected(config: AgentConfig, episodes: readonly ReadEpisode[], ledger: Seal): AgentResults {
  const { world, control, policy, seed } = config;
  return AgentResults.parse({ version: 1, world, control, policy, seed, arms: resultsOf(episodes), ledger });
}

/** The order as it is kept. @throws LabError where names, parameters or settings do not fit. */
export function agentConfig({
  settings,
  given = {},
  host,
  folder: _,
  signal: __,
  progress: ___,
  ...order
}: AgentOrder): AgentConfig {
  const nested = applySettings(given, settings) as AgentConfig["settings"]; // read by the entries' own schemas
  const config = {
    version: 1 as const,
    ...order,
    settings: nested,
    host: null,
    callsPerCell: order.callsPerCell,
  };
  const lists = { runtimes: [...order.runtimes], views: [...order.views] };
  const python = armsAt({ ...config, ...lists }, 0).some(({ runtime }) => runtime.entry.python);
  return { ...config, ...lists, host: python ? hostNamed(host) : null };
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
      fail(path, `${key} ${before}, as its episodes have it`, now[key], "Choose another folder with --out");
  }
  return { ...now, episodes: Math.max(there.episodes, now.episodes) };
}
