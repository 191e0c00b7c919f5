/** @file The parity bench asked of a server that behaves as told, in this process, from the settings to the files. */

import { silent } from "../../core/progress.ts";
import { benchNamed } from "../../eval/benchmarks/index.ts";
import { parseBaseUrl } from "../../eval/endpoints/http-endpoint.ts";
import { type Behaviour, serverThat } from "../../eval/endpoints/server.test-helper.ts";
import { type AskOrder, askBench } from "./eval.ts";

export interface HowAsked {
  readonly retries: number;
  readonly atMost?: number;
  readonly idleSeconds?: number;
  readonly totalSeconds?: number;
  readonly protocol?: "chat" | "completion" | "ollama";
  readonly settings?: readonly string[];
  readonly order?: Partial<AskOrder>;
}

export async function askedOf(behaves: Behaviour, programs: number, folder: string, how: HowAsked) {
  const server = await serverThat(behaves);
  const said: string[] = [];
  const { retries, atMost = 1, idleSeconds = 20, totalSeconds = 30, settings = [], protocol = "chat" } = how;
  try {
    const end = await askBench({
      ...{ bench: benchNamed("parity"), settings: [`programs=${programs}`, ...settings] },
      ...{ arms: ["function"], predict: ["output"], style: "direct", scoring: "strict", seed: 0, samples: 1 },
      ...{ data: undefined, traces: undefined, folder },
      parameters: { temperature: 0, maximumTokens: 20, contextTokens: null, seed: null },
      asked: {
        ...{ kind: "server", protocol, model: "m", key: undefined, checkPrompt: true },
        ...{ baseUrl: parseBaseUrl(server.url), connectSeconds: 10, idleSeconds, totalSeconds },
      },
      ...{ atMost, perMinute: Number.POSITIVE_INFINITY, maximumRetries: retries, backOffUnit: 0.002 },
      sandbox: { host: "embedded" },
      signal: new AbortController().signal,
      progress: { ...silent, say: (text) => void said.push(text) },
      ...how.order,
    });
    return { ...end, server, said };
  } finally {
    await server.close();
  }
}
