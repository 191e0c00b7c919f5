/** @file A trained model as a policy: served, asked cell by cell through the endpoint, its episodes read back from the ledger. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseBaseUrl } from "../../src/eval/http-endpoint.ts";
import { readLedger } from "../../src/store/index.ts";
import { askAgents } from "../../src/work/agent/asked.ts";
import { agentFiles } from "../../src/work/agent/files.ts";
import { episodesOf, type ReadEpisode } from "../../src/work/agent/read.ts";
import { silent } from "../../src/work/progress.ts";
import type { TrainedRun } from "../../src/work/run/trained.ts";
import { serveTrained } from "../../src/work/serve.ts";

export const runtimes = ["persistent", "stateless"] as const;
export type RuntimeName = (typeof runtimes)[number];
export const prompts = ["fixed", "informed"] as const;
export type PromptName = (typeof prompts)[number];

export interface EpisodesWanted {
  readonly tasks: number;
  /** Inspections a cell, as the prompt says. */
  readonly step: number;
  readonly turns: number;
  readonly host: "auto" | "native" | "embedded";
}

/** Of each prompt the episodes in both runtimes, on the same tasks. */
export async function* episodesBy(
  trained: TrainedRun,
  { tasks, step, turns, host }: EpisodesWanted,
): AsyncGenerator<{ readonly prompt: PromptName; readonly episodes: readonly ReadEpisode[] }> {
  const folder = mkdtempSync(join(tmpdir(), "statelab-episodes-"));
  const model = "cells";
  const serving = await serveTrained(trained, {
    ...{ folder, name: model, context: undefined, slots: 8, host: "127.0.0.1", port: 0 },
    ...{ seed: 0, queue: 256, key: undefined },
    onFault: (error) => {
      throw error;
    },
  });
  try {
    for (const prompt of prompts) {
      const out = join(folder, prompt);
      const { tally } = await askAgents(
        {
          ...{ world: "knapsack", runtimes: [...runtimes], views: ["full"], control: "free" },
          ...{ policy: "templates", settings: [`templates.prompt=${prompt}`, `templates.step=${step}`] },
          ...{ episodes: tasks, seed: 0, turns, callsPerCell: 25, host, seconds: 60, folder: out },
          ...{ signal: new AbortController().signal, progress: silent },
        },
        {
          asked: {
            ...{ kind: "server", baseUrl: parseBaseUrl(serving.url), protocol: "completion", model },
            ...{
              key: undefined,
              connectSeconds: 30,
              idleSeconds: 300,
              totalSeconds: 300,
              checkPrompt: false,
            },
          },
          parameters: { temperature: 0, maximumTokens: undefined, contextTokens: null, seed: null },
          ...{ atMost: 4, perMinute: Number.POSITIVE_INFINITY, maximumRetries: 5, backOffUnit: 0.2 },
        },
      );
      if (tally.answered !== tally.samples)
        throw new Error(`not all were answered: ${JSON.stringify(tally)}`);
      const { records } = readLedger(agentFiles(out).ledger);
      yield { prompt, episodes: episodesOf(records, out) };
    }
  } finally {
    await serving.close();
    rmSync(folder, { recursive: true });
  }
}
