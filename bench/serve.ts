/**
 * @file How many requests a second a served model answers, and how long each takes, as more clients ask at the same time.
 *
 *     npm run bench -- serve
 *
 * The clients ask over HTTP, each its next request when the last is answered: a prompt of REPL commands and a few tokens more. The
 * yardstick is the decoder alone, with every slot busy and no server around it: the share says what the server and HTTP leave of it.
 */

import { Agent, request } from "node:http";
import { fail } from "../src/core/error.ts";
import { rngFrom } from "../src/core/rng.ts";
import { median, quantile } from "../src/core/statistics.ts";
import { configureModel, initialParameters, modelNamed } from "../src/models/index.ts";
import { createEngine } from "../src/serve/continuous-batching.ts";
import { startServer } from "../src/serve/server.ts";
import { prepareTask, tasks } from "../src/tasks/index.ts";
import { wordTokenizer } from "../src/tasks/tokenizer.ts";
import { flattenParameters } from "../src/tensor/index.ts";
import { nodeRuntime } from "../src/tensor/session-node.ts";
import { type Decoder, openDecoder } from "../src/train/decoder.ts";
import type { BenchOptions } from "./lib/interleave.ts";

export interface ServeRow {
  readonly model: string;
  readonly clients: number;
  readonly requestsPerSecond: number;
  /** Milliseconds of one request. */
  readonly p50: number;
  readonly p99: number;
  /** Tokens a second, read and made, as a share of what the decoder alone does with every slot busy. */
  readonly ofDecoder: number;
}

export interface ServeSizes {
  readonly clients: readonly number[];
  readonly seconds: number;
  /** Steps of the decoder alone, before the clients ask and again after it. */
  readonly steps: number;
  /** Tokens that a slot has room for: what a Transformer's step costs. */
  readonly context: number;
}

const SIZES: ServeSizes = { clients: [1, 16, 64], seconds: 5, steps: 200, context: 1024 };
const MODELS = ["deltanet", "transformer"] as const;
const SLOTS = 4;
const MADE = 8;
const prompt = `>>> a = 2\n>>> b = 3\n>>> c = 1\n${">>> a, b = b, a\n>>> b, c = c, b\n".repeat(4)}>>> print('c', c)\nc `;

export async function run({ json, signal }: BenchOptions): Promise<readonly ServeRow[]> {
  const rows: ServeRow[] = [];
  for await (const row of measure(SIZES, signal)) {
    rows.push(row);
    if (!json) console.log(describe(row));
  }
  if (json) console.log(JSON.stringify(rows, null, 2));
  return rows;
}

const describe = ({ model, clients, requestsPerSecond, p50, p99, ofDecoder }: ServeRow) =>
  [
    `${model}, ${clients} at once`.padEnd(26),
    `${requestsPerSecond.toFixed(1).padStart(7)} requests/s`,
    `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
    `${(100 * ofDecoder).toFixed(0)} % of the decoder alone`,
  ].join("   ");

export async function* measure(sizes: ServeSizes, signal: AbortSignal): AsyncGenerator<ServeRow> {
  const { context } = sizes;
  const tokenizer = wordTokenizer(prepareTask(tasks.repl, {}).words);
  const tokens = tokenizer.encode(prompt).length + MADE;
  for (const name of MODELS) {
    const config = { name, layers: 2, width: 64 };
    const model = configureModel(modelNamed(name), config, tokenizer.tokens.length, "bench/serve");
    const tree = initialParameters(model, rngFrom(1));
    const data = Object.fromEntries(flattenParameters(tree).map(([path, { data }]) => [path, data]));
    const open = () => openDecoder(model, { tree, data }, nodeRuntime(), { slots: SLOTS, context });
    const [decoder, alone] = [await open(), await open()];
    const faults: unknown[] = [];
    try {
      const server = await startServer(
        { name, engine: createEngine(decoder), tokenizer, context, created: 0 },
        {
          ...{ host: "127.0.0.1", port: 0, key: undefined, queue: 1000, seed: 0, now: Date.now },
          onFault: (error) => faults.push(error),
        },
      );
      try {
        for (const clients of sizes.clients) {
          // on both sides, so that other load falls on both
          const before = await steps(alone, sizes.steps);
          const { times, seconds } = await asked(server.url, name, clients, sizes.seconds, signal);
          const requestsPerSecond = times.length / seconds;
          const step = median([...before, ...(await steps(alone, sizes.steps))]);
          const [p50, p99] = [0.5, 0.99].map((share) => quantile(times, share));
          yield {
            ...{ model: name, clients, requestsPerSecond, p50, p99 },
            ofDecoder: (requestsPerSecond * tokens * step) / (1000 * SLOTS),
          };
        }
      } finally {
        await server.close(0);
      }
      if (faults.length > 0) throw faults[0];
    } finally {
      await Promise.all([decoder.release(), alone.release()]);
    }
  }
}

/** Milliseconds of so many steps with every slot busy. */
async function steps(decoder: Decoder, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < count; at++) {
    decoder.tokens.fill(at % 2);
    decoder.positions.fill(at % decoder.context);
    const start = performance.now();
    await decoder.step();
    times.push(performance.now() - start);
  }
  return times;
}

/** Each client asks until the time is over; requests under way are counted with the time that they take. */
async function asked(url: string, model: string, clients: number, seconds: number, signal: AbortSignal) {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const body = JSON.stringify({ model, prompt, max_tokens: MADE, temperature: 0 });
  const times: number[] = [];
  const start = performance.now();
  const client = async () => {
    while (performance.now() < start + seconds * 1000) {
      signal.throwIfAborted();
      const began = performance.now();
      await post(`${url}/v1/completions`, body, agent);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  return { times, seconds: (performance.now() - start) / 1000 };
}

function post(url: string, body: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: "POST", agent }, (response) => {
      response.on("error", reject);
      response.on("end", () => {
        try {
          if (response.statusCode !== 200) fail("bench/serve", "status 200", response.statusCode);
          resolve();
        } catch (error) {
          reject(error);
        }
      });
      response.resume();
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
