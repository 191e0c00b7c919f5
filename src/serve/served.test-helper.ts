/** @file A small model with random weights served on a free port, and a client. */

import { varied } from "../models/conformance.test-helper.ts";
import { configureModel, modelNamed } from "../models/index.ts";
import { prepareTask, tasks } from "../tasks/index.ts";
import { wordTokenizer } from "../tasks/tokenizer.ts";
import { flattenParameters } from "../tensor/index.ts";
import { nodeRuntime } from "../tensor/session-node.ts";
import { openDecoder } from "../train/decoder.ts";
import { createEngine } from "./continuous-batching.ts";
import { type ServerOptions, startServer } from "./server.ts";

export const runtime = nodeRuntime();
export const tokenizer = wordTokenizer(prepareTask(tasks.repl, {}).words);
/** The beginning of a session, up to a value that is to be revealed. */
export const session =
  ">>> a = 2\n>>> b = 3\n>>> c = 1\n>>> a, b = b, a\n>>> b, c = c, b\n>>> print('c', c)\nc ";

export function modelOf(name: "deltanet" | "lstm" | "transformer", seed = 1) {
  const config = { name, layers: 2, width: 16 };
  const model = configureModel(modelNamed(name), config, tokenizer.tokens.length, "model");
  const tree = varied(model, seed);
  const data = Object.fromEntries(flattenParameters(tree).map(([path, { data }]) => [path, data]));
  return { model, tree, data };
}

export type ModelOf = ReturnType<typeof modelOf>;

export interface Options extends Partial<ServerOptions> {
  readonly slots?: number;
  readonly context?: number;
}

export async function serve(
  { model, tree, data }: ModelOf,
  { slots = 2, context = 300, ...options }: Options = {},
) {
  const decoder = await openDecoder(model, { tree, data }, runtime, { slots, context });
  const engine = createEngine(decoder);
  const faults: unknown[] = [];
  const server = await startServer(
    { name: "tiny", engine, tokenizer, context, created: 1 },
    {
      host: "127.0.0.1",
      port: 0,
      key: undefined,
      queue: 8,
      seed: 0,
      now: () => 5000,
      onFault: (error) => faults.push(error),
      ...options,
    },
  );
  const { url } = server;
  return {
    ...{ url, engine, server, faults },
    post: (body: object | string, headers: Record<string, string> = {}, signal?: AbortSignal) =>
      fetch(`${url}/v1/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify({ model: "tiny", ...body }),
        ...(signal !== undefined && { signal }),
      }),
    /** The document of a request that must succeed. */
    async complete(body: object): Promise<Completion> {
      const response = await this.post(body);
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${response.status} ${text}`);
      return JSON.parse(text);
    },
    async close() {
      await server.close(0);
      await decoder.release();
    },
  };
}

export interface Completion {
  readonly id: string;
  readonly model: string;
  readonly choices: readonly Choice[];
  readonly usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | null;
}

export interface Choice {
  readonly index: number;
  readonly text: string;
  readonly finish_reason: string | null;
  readonly logprobs: {
    readonly tokens: readonly string[];
    readonly token_logprobs: readonly (number | null)[];
    readonly top_logprobs: readonly (Record<string, number> | null)[];
    readonly text_offset: readonly number[];
  } | null;
}

/** The documents of a stream, which must end with [DONE]. */
export function documentsOf(stream: string): Completion[] {
  const events = stream.split("\n\n");
  if (events.pop() !== "" || events.pop() !== "data: [DONE]") throw new Error(`no end: ${stream.slice(-80)}`);
  return events.map((event) => JSON.parse(event.replace(/^data: /, "")));
}

/** How a wait for the engine looks at it. */
export const looksAt = (engine: { readonly busy: number; readonly waiting: number }) => ({
  seconds: 10,
  saw: () => ({ busy: engine.busy, waiting: engine.waiting }),
});

export type Serving = Awaited<ReturnType<typeof serve>>;

/** A completion request as it goes over the wire. */
export function posted(body: object): string {
  const text = JSON.stringify({ model: "tiny", ...body });
  return `POST /v1/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}
