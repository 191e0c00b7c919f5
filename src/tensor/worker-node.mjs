/**
 * @file Worker thread that creates and runs sessions of ONNX Runtime, whose `run` blocks its thread. worker-node.ts sends the requests
 * and describes the shared memory.
 */

import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";

const ort = createRequire(import.meta.url)(workerData);
const sessions = new Map();
/** By id. */
const exchanges = new Map();

/** The library takes no shared memory, so tensors are in a copy of it. */
function exchangeOf({ memory, places }) {
  const local = new ArrayBuffer(memory.byteLength);
  const tensors = (wanted) =>
    Object.fromEntries(
      places
        .filter(({ kind }) => kind === wanted)
        .map(({ name, start, length, type, dims }) => {
          const data = new ort.Tensor(type, [], [0]).data.constructor;
          return [name, new ort.Tensor(type, new data(local, start, length), dims)];
        }),
    );
  return {
    shared: new Uint8Array(memory),
    local: new Uint8Array(local),
    feeds: tensors("feed"),
    fetches: tensors("fetch"),
  };
}

const answers = {
  async create({ id, model, options }) {
    sessions.set(id, await ort.InferenceSession.create(model, options));
  },
  async run({ id, exchange, inputBytes, described, rest }) {
    if (described !== undefined) exchanges.set(exchange, exchangeOf(described));
    const { shared, local, feeds, fetches } = exchanges.get(exchange);
    local.set(shared.subarray(0, inputBytes));
    const all = { ...fetches, ...Object.fromEntries(rest.map((name) => [name, null])) };
    const results = await sessions.get(id).run(feeds, all);
    shared.set(local.subarray(inputBytes), inputBytes);
    return Object.fromEntries(rest.map((name) => [name, results[name].data]));
  },
  async release({ id, unused }) {
    for (const each of unused) exchanges.delete(each);
    await sessions.get(id)?.release();
    sessions.delete(id);
  },
};

/** One request after the other: a run must end before the next one overwrites its memory. */
let last = Promise.resolve();
parentPort.on("message", ({ call, kind, ...request }) => {
  last = last
    .then(() => answers[kind](request))
    .then(
      (result) => parentPort.postMessage({ call, result }),
      (error) => parentPort.postMessage({ call, error: error.message }),
    );
});
