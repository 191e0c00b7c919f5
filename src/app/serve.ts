/** @file Serves a trained run by the OpenAI protocol: its decoder, the batching engine, and the server. */

import { basename, resolve } from "node:path";
import { LabError } from "../core/error.ts";
import type { Model } from "../models/index.ts";
import type { RunConfig } from "../schemas/run-config.ts";
import { ApiError } from "../serve/api-error.ts";
import { createEngine } from "../serve/continuous-batching.ts";
import { type ServerOptions, startServer, type Totals } from "../serve/server.ts";
import { keepsPast, openDecoder } from "../train/decoder.ts";
import { openJudge } from "./llm/judge.ts";
import { type Chosen, openTrainedRun, type TrainedRun } from "./run/open.ts";

/** Time for requests under way to end when it is closed. */
const graceMilliseconds = 2000;
/** Tokens of a model whose state grows with them, and of one whose state does not. */
const contexts = { keepsPast: 2048, constant: 1_000_000 };

export interface ServeRequest extends Omit<ServerOptions, "now"> {
  readonly folder: string;
  /** The model's name; the folder's where it is undefined. */
  readonly name: string | undefined;
  /** By default the newest checkpoint. */
  readonly step?: Chosen | undefined;
  /** By default that of the training. */
  readonly device?: RunConfig["device"] | undefined;
  /** Tokens of prompt and reply; by the kind of model where it is undefined. */
  readonly context: number | undefined;
  /** Sequences that are decoded side by side. */
  readonly slots: number;
  /** Remarks on the run for the user. */
  readonly onRemark?: (sentence: string) => void;
}

export interface Serving {
  /** With /v1 at its end, as clients want it. */
  readonly url: string;
  readonly name: string;
  /** Steps that the weights were trained for. */
  readonly step: number;
  readonly context: number;
  /** Ends it, and says what it served. */
  close(): Promise<Totals>;
}

/** Tokens of context by default: a layer with a `longest` has no more. */
export function longestContext(model: Model): number {
  const limits = model.mixers.flatMap(({ own }) => (own as { readonly longest?: number }).longest ?? []);
  return Math.min(keepsPast(model) ? contexts.keepsPast : contexts.constant, ...limits);
}

/** Serves from now until `close`. Errors: LabError where there is no such run, or the address cannot be taken. */
export async function serveRun(request: ServeRequest): Promise<Serving> {
  const trained = await openTrainedRun(request.folder, { step: request.step, device: request.device });
  for (const sentence of trained.remarks) request.onRemark?.(sentence);
  return serveTrained(trained, request);
}

/** The same of a run that is open already. */
export async function serveTrained(
  { model, tree, weights, runtime, data, step }: TrainedRun,
  { folder, slots, step: _step, device: _device, onRemark: _, ...request }: ServeRequest,
): Promise<Serving> {
  const context = request.context ?? longestContext(model);
  const name = request.name ?? basename(resolve(folder));
  const decoder = await openDecoder(model, { tree, data: weights }, runtime, { slots, context });
  const closing = new AbortController();
  const judge = await openJudge({ host: "auto", signal: closing.signal });
  try {
    const created = Math.floor(Date.now() / 1000);
    const server = await startServer(
      { name, engine: createEngine(decoder), tokenizer: data.tokenizer, context, created },
      { ...request, now: Date.now, judge: (json) => withoutFiles(json, judge.judge) },
    );
    return {
      ...{ url: `${server.url}/v1`, name, step, context },
      async close() {
        await server.close(graceMilliseconds).finally(() => decoder.release());
        closing.abort();
        await judge.close();
        return server.totals;
      },
    };
  } catch (error) {
    await decoder.release();
    throw error;
  }
}

const fileFields = ["data", "traces", "prompt"];

/** A verdict for a client, which may not name files of this machine. @throws ApiError */
async function withoutFiles(json: unknown, judge: (json: unknown, at: string) => Promise<object>) {
  const { benchmark } = Object(json);
  const file = fileFields.find((name) => Object(benchmark)[name] !== undefined);
  if (file !== undefined)
    throw new ApiError(
      400,
      `benchmark.${file}: the server reads no files for clients. Use statelab llm judge`,
    );
  try {
    return await judge(json, "the request");
  } catch (error) {
    throw error instanceof LabError && error.kind !== "noSandbox" ? new ApiError(400, error.message) : error;
  }
}
