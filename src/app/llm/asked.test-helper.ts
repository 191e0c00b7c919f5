/** @file The parity bench asked of a server that behaves as told, in this process, from the settings to the files. */

import { silent } from "../../core/progress.ts";
import { type Behaviour, serverThat } from "../../eval/endpoints/server.test-helper.ts";
import { EvalConfig } from "../../schemas/eval-config.ts";
import { evaluateBenchmark } from "./eval.ts";

export async function askedOf(
  behaves: Behaviour,
  programs: number,
  folder: string,
  how: Partial<EvalConfig> = {},
) {
  const server = await serverThat(behaves);
  const said: string[] = [];
  const { settings = [], ...own } = how;
  try {
    const end = await evaluateBenchmark({
      config: EvalConfig.parse({
        ...{ bench: "parity", arms: ["function"], folder, baseUrl: server.url, models: ["m"] },
        ...{ maximumTokens: 20, idleSeconds: 20, totalSeconds: 30, atMost: 1, backOffUnit: 0.002 },
        ...{ maximumRetries: 0, host: "embedded", settings: [`programs=${programs}`, ...settings] },
        ...own,
      }),
      signal: new AbortController().signal,
      progress: { ...silent, say: (text) => void said.push(text) },
    });
    return { ...end, server, said };
  } finally {
    await server.close();
  }
}
