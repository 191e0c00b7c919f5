/**
 * @file ONNX Runtime in a worker thread, with the interface of the one in this thread: its sessions compute at the same time.
 *
 * Inputs and outputs pass through shared memory, with one block for each run in flight:
 *
 *     this thread     copies inputs into the block     |                                            | copies outputs from it
 *     worker thread                                    | copies inputs, runs, copies outputs back   |
 */

import { Worker } from "node:worker_threads";
import type { InferenceSession } from "onnxruntime-common";
import type { TensorData } from "./graph.ts";
import { onnxRuntimePath } from "./onnx-runtime-node.ts";
import type { Runtime, WorkerRuntime } from "./session.ts";

/** A tensor of ONNX Runtime. */
interface Held {
  readonly type: string;
  readonly data: TensorData;
  readonly dims: readonly number[];
}
type Feeds = Readonly<Record<string, Held>>;
/** Without a tensor the output is new. */
type Fetches = Readonly<Record<string, Held | null>>;

/** Shared memory of a run: inputs from 0 to `inputBytes`, then outputs. */
interface Exchange {
  readonly id: number;
  readonly inputBytes: number;
  readonly views: Readonly<Record<"feed" | "fetch", Readonly<Record<string, TensorData>>>>;
  /** For the worker, until it has received them. */
  described?: { readonly memory: SharedArrayBuffer; readonly places: readonly object[] } | undefined;
}

interface Reply {
  readonly call: number;
  readonly result?: Readonly<Record<string, TensorData>>;
  readonly error?: string;
}

/** Starts a worker thread. Errors of its sessions are those of ONNX Runtime; if the thread ends, pending runs fail. */
export function openWorkerRuntime({ device, ort, options }: Runtime): WorkerRuntime {
  const worker = new Worker(new URL("./worker-node.mjs", import.meta.url), {
    workerData: onnxRuntimePath(),
    execArgv: [],
  });
  worker.unref();
  const pending = new Map<number, { done(result: Reply["result"]): void; failed(error: Error): void }>();
  let ids = 0;
  const settle = (call: number) => {
    const found = pending.get(call);
    pending.delete(call);
    if (pending.size === 0) worker.unref(); // an idle thread does not keep the process alive
    return found;
  };
  let broken: Error | undefined;
  const failAll = (error: Error) => {
    broken ??= error;
    for (const call of [...pending.keys()]) settle(call)?.failed(error);
  };
  worker.on("message", ({ call, result, error }: Reply) => {
    if (error === undefined) settle(call)?.done(result);
    else settle(call)?.failed(new Error(error));
  });
  worker.on("error", failAll);
  worker.on("exit", () => failAll(new Error("the worker thread of ONNX Runtime has ended")));
  const ask = (kind: string, request: object) =>
    new Promise<Reply["result"]>((done, failed) => {
      if (broken !== undefined) return failed(broken);
      ids++;
      pending.set(ids, { done, failed });
      worker.ref();
      return worker.postMessage({ call: ids, kind, ...request });
    });

  async function create(model: Uint8Array, options?: Runtime["options"]): Promise<InferenceSession> {
    ids++;
    const id = ids;
    await ask("create", { id, model, options });
    const exchanges: Exchange[] = [];
    /** By the outputs that have a tensor. */
    const free = new Map<string, Exchange[]>();
    function open(feeds: Feeds, fetches: Fetches): Exchange {
      ids++;
      const made = exchangeOf(ids, feeds, fetches);
      exchanges.push(made);
      return made;
    }
    const session: Pick<InferenceSession, "run" | "release"> = {
      async run(given: unknown, wanted: unknown) {
        const [feeds, fetches] = [given as Feeds, wanted as Fetches]; // `compile` passes both, of the same shapes each time
        const rest = Object.keys(fetches).filter((name) => fetches[name] === null);
        const unused = free.get(rest.join()) ?? [];
        free.set(rest.join(), unused);
        const exchange = unused.pop() ?? open(feeds, fetches);
        const { views, described, inputBytes } = exchange;
        for (const [name, { data }] of Object.entries(feeds)) views.feed[name].set(data as never);
        exchange.described = undefined;
        const found = await ask("run", { id, exchange: exchange.id, inputBytes, described, rest });
        for (const [name, target] of Object.entries(fetches)) target?.data.set(views.fetch[name] as never);
        unused.push(exchange);
        return Object.fromEntries(
          Object.entries(fetches).map(([name, target]) => [name, target ?? { data: found?.[name] }]),
        ) as never;
      },
      async release() {
        await ask("release", { id, unused: exchanges.map(({ id }) => id) });
      },
    };
    return session as InferenceSession; // nothing else of it is used
  }

  return {
    ...{ device, options },
    ort: { Tensor: ort.Tensor, InferenceSession: { create } },
    close: async () => void (await worker.terminate()),
  };
}

/** Alignment of arrays, in bytes. */
const ALIGNED = 64;

function exchangeOf(id: number, feeds: Feeds, fetches: Fetches): Exchange {
  let bytes = 0;
  const places: { kind: "feed" | "fetch"; name: string; start: number; length: number; held: Held }[] = [];
  const place = (kind: "feed" | "fetch", held: Feeds | Fetches) => {
    for (const [name, each] of Object.entries(held)) {
      if (each === null) continue;
      places.push({ kind, name, start: bytes, length: each.data.length, held: each });
      bytes += Math.ceil(each.data.byteLength / ALIGNED) * ALIGNED;
    }
    return bytes;
  };
  const inputBytes = place("feed", feeds);
  place("fetch", fetches);
  const memory = new SharedArrayBuffer(bytes);
  const viewsOf = (wanted: string) =>
    Object.fromEntries(
      places
        .filter(({ kind }) => kind === wanted)
        .map(({ name, start, length, held: { data } }) => {
          const OfSameType = data.constructor as Float32ArrayConstructor;
          return [name, new OfSameType(memory, start, length) as TensorData];
        }),
    );
  const sent = places.map(({ held: { type, dims }, ...place }) => ({ ...place, type, dims }));
  return {
    ...{ id, inputBytes },
    views: { feed: viewsOf("feed"), fetch: viewsOf("fetch") },
    described: { memory, places: sent },
  };
}
