/**
 * @file The training step of `bench/train-step` in jax-js, compiled whole by its `jit` for its WebAssembly backend.
 *
 *     node --experimental-wasm-relaxed-simd jax-js.mjs PATH/TO/@jax-js/jax/dist/index.js PROBLEM.safetensors [--workers N]
 *
 * Speaks the line protocol of `child.ts`. jax-js has no scan (version 0.1.25), so the LSTM is unrolled; no custom
 * gradient, so R = (I + A)^-1 gets its closed form from one Newton step about a constant, R = 2 R0 - R0 (I + A) R0,
 * whose value is R0 and whose differential is -R0 dA R0. Tokens are one-hot rows, because scatter is not compiled.
 *
 * Its threads are Web Workers, which Node lacks; `--workers N` provides them on top of worker_threads.
 * Source: https://github.com/ekzhang/jax-js
 */

import { resolveObjectURL } from "node:buffer";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { Worker as NodeWorker } from "node:worker_threads";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { workers: { type: "string", default: "0" }, chunk: { type: "string", default: "32" } },
});
if (Number(options.workers) > 0) provideWorkers(Number(options.workers));

const jax = await import(pathToFileURL(positionals[0]).href);
const { numpy: np, nn, lax, jit, valueAndGrad } = jax;
await jax.init("wasm");
const EPSILON = 1e-6;
const STATE_SIZE = 16; // N of mamba2

/** The part of the Web Worker interface that jax-js uses: a source in a blob, postMessage, onmessage. */
function provideWorkers(count) {
  Object.defineProperty(globalThis, "navigator", {
    value: { hardwareConcurrency: count },
    configurable: true,
  });
  const prelude = `
    const { parentPort } = require("node:worker_threads");
    globalThis.self = globalThis;
    globalThis.postMessage = (message) => parentPort.postMessage(message);
    parentPort.on("message", (data) => self.onmessage({ data }));`;
  globalThis.Worker = class {
    #ready;

    constructor(url) {
      this.#ready = resolveObjectURL(url)
        .text()
        .then((source) => {
          const worker = new NodeWorker(prelude + source, { eval: true });
          worker.unref();
          worker.on("message", (data) => this.onmessage?.({ data }));
          worker.on("error", (error) => this.onerror?.(error));
          return worker;
        });
    }

    postMessage(message) {
      this.#ready.then((worker) => worker.postMessage(message));
    }
  };
}

/** Name -> { shape, data }, and the configuration. */
function readSafetensors(path) {
  const file = readFileSync(path);
  const length = Number(file.readBigUInt64LE(0));
  const { __metadata__, ...header } = JSON.parse(file.toString("utf8", 8, 8 + length));
  const tensors = {};
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(header)) {
    const [start, end] = data_offsets.map((offset) => 8 + length + offset);
    const bytes = file.buffer.slice(file.byteOffset + start, file.byteOffset + end);
    tensors[name] = { shape, data: dtype === "F32" ? new Float32Array(bytes) : new Int32Array(bytes) };
  }
  return { tensors, config: JSON.parse(__metadata__.config) };
}

// jax-js consumes its arguments; while tracing nothing is freed, so these helpers keep every operand usable.
const add = (a, b) => a.ref.add(b.ref ?? b);
const sub = (a, b) => a.ref.sub(b.ref ?? b);
const mul = (a, b) => a.ref.mul(b.ref ?? b);
const div = (a, b) => a.ref.div(b.ref ?? b);
const matmul = (a, b) => np.matmul(a.ref, b.ref);
const reshape = (a, shape) => a.ref.reshape(shape);
const transpose = (a, axes) => np.transpose(a.ref, axes);
const swap = (a) => np.matrixTranspose(a.ref);
const sqrt = (a) => np.sqrt(a.ref);
const sigmoid = (a) => nn.sigmoid(a.ref);
const silu = (a) => mul(a, sigmoid(a));
const split = (a, parts, axis) => np.split(a.ref, parts, axis);
const sumLast = (a) => np.sum(a.ref, -1, { keepdims: true });

const rmsNorm = (x, scale, width) => mul(div(x, sqrt(add(div(sumLast(mul(x, x)), width), EPSILON))), scale);
const unitNorm = (x) => div(x, sqrt(add(sumLast(mul(x, x)), EPSILON)));

/** The constants of a model: masks and tables, handed to the compiled step as arguments. */
function constantsOf(config, chunk) {
  const { model, length, width, heads } = config;
  const table = (rows, columns, f) =>
    np
      .array(Float32Array.from({ length: rows * columns }, (_, i) => f(Math.floor(i / columns), i % columns)))
      .reshape([rows, columns]);
  if (model === "transformer") {
    const dk = width / heads;
    const angle = (t, i) => t * 10000 ** (-(i % (dk / 2)) / (dk / 2));
    return {
      cosine: table(length, dk, (t, i) => Math.cos(angle(t, i))),
      sine: table(length, dk, (t, i) => Math.sin(angle(t, i)) * (i < dk / 2 ? -1 : 1)),
      mask: table(length, length, (i, j) => (j > i ? -1e9 : 0)),
    };
  }
  if (model === "mamba2") return { lower: table(chunk, chunk, (i, j) => (i >= j ? 1 : 0)) };
  if (model.endsWith("deltanet")) {
    const masks = {};
    for (let s = 1; s < chunk; s *= 2) {
      const kept = (i, j) =>
        Math.floor(i / (2 * s)) === Math.floor(j / (2 * s)) && Math.floor(i / s) > Math.floor(j / s);
      masks[`merge${s}`] = table(chunk, chunk, (i, j) => (kept(i, j) ? 1 : 0));
    }
    return {
      ...masks,
      strict: table(chunk, chunk, (i, j) => (i > j ? 1 : 0)),
      lower: table(chunk, chunk, (i, j) => (i >= j ? 1 : 0)),
      identity: table(chunk, chunk, (i, j) => (i === j ? 1 : 0)),
    };
  }
  return {};
}

/** Mixers: x is [B T, d], p the layer's weights, c the constants. Each returns [B T, d]. */
const mixers = {
  transformer(x, p, c, { batch, length, width, heads }) {
    const dk = width / heads;
    const qkv = transpose(reshape(matmul(x, p.qkv), [batch, length, 3, heads, dk]), [2, 0, 3, 1, 4]);
    const [q, k, v] = split(qkv, 3, 0).map((y) => reshape(y, [batch * heads, length, dk]));
    const rotate = (y) => {
      const [left, right] = split(y, 2, -1);
      return add(mul(y, c.cosine), mul(np.concatenate([right, left], -1), c.sine));
    };
    const scores = add(mul(matmul(rotate(q), swap(rotate(k))), dk ** -0.5), c.mask);
    const mixed = reshape(matmul(nn.softmax(scores, -1), v), [batch, heads, length, dk]);
    return matmul(reshape(transpose(mixed, [0, 2, 1, 3]), [batch * length, width]), p.out);
  },

  deltanet: (x, p, c, config) => matmul(delta(x, p, c, config), p.out),

  "gated-deltanet"(x, p, c, config) {
    const { batch, length, heads, chunk } = config;
    const step = nn.softplus(add(matmul(x, p["decay.weight"]), p["decay.bias"]));
    const logDecay = transpose(
      reshape(mul(step, mul(np.exp(p["decay.logRate"].ref), np.array(-1))), [
        batch,
        length / chunk,
        chunk,
        heads,
      ]),
      [1, 0, 3, 2],
    );
    return matmul(mul(delta(x, p, c, config, logDecay), silu(matmul(x, p.gate))), p.out);
  },

  mamba2(x, p, c, { batch, length, width, heads, chunk }) {
    const [count, channels, N] = [length / chunk, 2 * width, STATE_SIZE];
    const columns = (y, start, end) => y.ref.slice([], [start, end]);
    const all = matmul(x, p.input);
    const inputs = reshape(columns(all, channels, 2 * channels + 2 * N), [batch, length, -1]);
    const mixed = reshape(silu(add(convolve(inputs, p.convolution, length), p.convolutionBias)), [
      batch * length,
      channels + 2 * N,
    ]);
    const u = columns(mixed, 0, channels);
    // Chunks in front, then sequences and heads: [n, B h, C, ...].
    const perHead = (y) =>
      reshape(transpose(reshape(y, [batch, count, chunk, heads, -1]), [1, 0, 3, 2, 4]), [
        count,
        batch * heads,
        chunk,
        -1,
      ]);
    const shared = (y) => {
      const once = transpose(reshape(y, [batch, count, chunk, 1, N]), [1, 0, 3, 2, 4]);
      return reshape(mul(once, np.ones([1, 1, heads, 1, 1])), [count, batch * heads, chunk, N]);
    };
    const write = shared(columns(mixed, channels, channels + N));
    const read = shared(columns(mixed, channels + N, channels + 2 * N));
    const step = nn.softplus(
      add(columns(all, 2 * channels + 2 * N, 2 * channels + 2 * N + heads), p.stepBias),
    );
    const decay = decays(perHead(mul(step, mul(np.exp(p.logRate.ref), np.array(-1)))), c);
    const values = mul(perHead(u), perHead(step));
    const [keys, lasts, each] = [
      mul(write, decay.toEnd),
      split(decay.whole, count, 0),
      split(values, count, 0),
    ];
    let state = np.zeros([1, batch * heads, N, channels / heads]);
    const states = [];
    for (const [n, key] of split(swap(keys), count, 0).entries()) {
      states.push(state);
      state = add(mul(state, lasts[n]), matmul(key, each[n]));
    }
    const scores = mul(matmul(read, swap(write)), decay.between);
    const o = add(
      matmul(
        mul(read, decay.fromStart),
        np.concatenate(
          states.map((y) => y.ref),
          0,
        ),
      ),
      matmul(scores, values),
    );
    const rows = transpose(reshape(o, [count, batch, heads, chunk, -1]), [1, 0, 3, 2, 4]);
    const skipped = mul(reshape(u, [batch * length, heads, -1]), reshape(p.skip, [heads, 1]));
    const sum = reshape(add(reshape(rows, [batch * length, heads, -1]), skipped), [batch * length, channels]);
    return matmul(rmsNorm(mul(sum, silu(columns(all, 0, channels))), p.norm, channels), p.out);
  },

  lstm(x, p, _, { batch, length, width }) {
    const gates = add(matmul(x, p.input), p.bias);
    const byTime = transpose(reshape(gates, [batch, length, 4 * width]), [1, 0, 2]);
    const inputs = split(byTime, length, 0);
    let [h, c] = [np.zeros([batch, width]), np.zeros([batch, width])];
    const outputs = [];
    for (const input of inputs) {
      const gate = add(reshape(input, [batch, 4 * width]), matmul(h, p.hidden));
      const [i, f, g, o] = split(gate, 4, -1);
      c = add(mul(sigmoid(f), c), mul(sigmoid(i), np.tanh(g.ref)));
      h = mul(sigmoid(o), np.tanh(c.ref));
      outputs.push(reshape(h, [batch, 1, width]));
    }
    return matmul(reshape(np.concatenate(outputs, 1), [batch * length, width]), p.out);
  },
};

/** y_t = sum_j taps[j] o x_{t-3+j}; x: [B, T, n], taps: [4, n]. */
function convolve(x, taps, length) {
  const padded = np.pad(x.ref, [
    [0, 0],
    [3, 0],
    [0, 0],
  ]);
  return split(taps, 4, 0)
    .map((tap, j) => mul(padded.ref.slice([], [j, j + length], []), tap))
    .reduce(add);
}

/** Log decays [n, B h, C, 1] -> the decays between two steps of a chunk, to its end, from its start, and of the whole chunk. */
function decays(logDecay, c) {
  const g = sumLast(mul(c.lower, swap(logDecay))); // a cumulative sum
  const last = np.sum(logDecay.ref, 2, { keepdims: true });
  const between = mul(np.exp(mul(sub(g, swap(g)), c.lower)), c.lower);
  return { between, toEnd: np.exp(sub(last, g)), fromStart: np.exp(g.ref), whole: np.exp(last.ref) };
}

/** The (gated) delta rule's outputs after their norm, [B T, d]. logDecay: [n, B, h, C]. */
function delta(x, p, c, { batch, length, width, heads, chunk }, logDecay) {
  const dk = width / heads;
  const count = length / chunk;
  const qkv = reshape(matmul(x, p.qkv), [batch, length, 3 * width]);
  // [3, chunks, B h, C, dk]: chunks in front, so that one is a contiguous slice.
  const parts = transpose(
    reshape(silu(convolve(qkv, p.convolution, length)), [batch, count, chunk, 3, heads, dk]),
    [3, 1, 0, 4, 2, 5],
  );
  const flat = [count, batch * heads, chunk, dk];
  const [q, k, v] = split(parts, 3, 0).map((y) => reshape(y, flat));
  const key = unitNorm(k);
  const query = mul(unitNorm(q), dk ** -0.5);
  const logits = reshape(matmul(x, p.beta), [batch, count, chunk, heads]);
  const beta = mul(
    reshape(sigmoid(transpose(logits, [1, 0, 3, 2])), [count, batch * heads, chunk, 1]),
    np.array(2),
  );
  const keyBeta = mul(key, beta);
  const decay = logDecay && decays(reshape(logDecay, [count, batch * heads, chunk, 1]), c);
  const times = (y, name) => (decay ? mul(y, decay[name]) : y);
  const a = mul(times(matmul(keyBeta, swap(key)), "between"), c.strict);
  const r = inverse(a, c, chunk);
  const solved = matmul(r, np.concatenate([times(keyBeta, "fromStart").ref, mul(v, beta)], -1));
  const [w, u] = split(solved, 2, -1);
  const each = (y) => split(y, count, 0).map((z) => reshape(z, z.shape.slice(1)));
  const [ws, us, keys] = [each(w), each(u), each(swap(times(key, "toEnd")))];
  const lasts = decay && each(decay.whole);
  let state = np.zeros([batch * heads, dk, dk]);
  const states = [];
  const deltas = [];
  for (let n = 0; n < count; n++) {
    const delta = sub(us[n], matmul(ws[n], state));
    states.push(state);
    deltas.push(delta);
    if (n + 1 < count) state = add(lasts ? mul(state, lasts[n]) : state, matmul(keys[n], delta));
  }
  const stack = (list) =>
    np.concatenate(
      list.map((y) => reshape(y, [1, ...y.shape])),
      0,
    );
  const scores = mul(times(matmul(query, swap(key)), "between"), c.lower);
  const o = add(matmul(times(query, "fromStart"), stack(states)), matmul(scores, stack(deltas)));
  const normed = reshape(rmsNorm(o, p.norm, dk), [count, batch, heads, chunk, dk]);
  return reshape(transpose(normed, [1, 0, 3, 2, 4]), [batch * length, width]);
}

/** (I + A)^-1 of strictly lower triangular A by merging blocks, with the gradient of its closed form. */
function inverse(a, c, chunk) {
  const fixed = lax.stopGradient(a.ref);
  let r = sub(c.identity, mul(fixed, c.merge1));
  for (let s = 2; s < chunk; s *= 2) r = sub(r, matmul(matmul(r, mul(fixed, c[`merge${s}`])), r));
  return sub(add(r, r), matmul(matmul(r, add(a, c.identity)), r));
}

function lossOf(p, tokens, targets, c, config) {
  const { model, width, layers, batch, length } = config;
  let x = matmul(tokens, p.embedding); // tokens: [B T, V], one-hot
  for (let layer = 0; layer < layers; layer++) {
    const prefix = `layers.${layer}.`;
    const own = {};
    for (const name of Object.keys(p)) {
      if (name.startsWith(`${prefix}mixer.`)) own[name.slice(prefix.length + 6)] = p[name];
    }
    x = add(x, mixers[model](rmsNorm(x, p[`${prefix}mixerNorm`], width), own, c, config));
    const y = rmsNorm(x, p[`${prefix}feedNorm`], width);
    const hidden = mul(silu(matmul(y, p[`${prefix}feed.gate`])), matmul(y, p[`${prefix}feed.up`]));
    x = add(x, matmul(hidden, p[`${prefix}feed.down`]));
  }
  const logits = matmul(rmsNorm(x, p.norm, width), p.head);
  return div(np.sum(mul(nn.logSoftmax(logits, -1), targets)), -batch * length);
}

/** One AdamW step over every parameter, gradients clipped to norm 1. `correction`: [1 - beta1^t, 1 - beta2^t]. */
function update(p, m, v, gradients, correction1, correction2) {
  const squares = Object.values(gradients).map((g) => np.sum(mul(g, g)));
  const norm = sqrt(squares.reduce(add));
  const coefficient = np.minimum(div(np.array(1), add(norm, 1e-6)), 1);
  const next = { p: {}, m: {}, v: {} };
  for (const [name, g] of Object.entries(gradients)) {
    const clipped = mul(g, coefficient);
    const decay = p[name].shape.length > 1 ? 1 - 1e-3 * 0.01 : 1;
    const first = add(mul(m[name], 0.9), mul(clipped, 0.1));
    const second = add(mul(v[name], 0.95), mul(mul(clipped, clipped), 0.05));
    const move = div(div(first, correction1), add(sqrt(div(second, correction2)), 1e-8));
    next.p[name] = sub(mul(p[name], decay), mul(move, 1e-3));
    next.m[name] = first;
    next.v[name] = second;
  }
  return next;
}

function trainerOf(tensors, problem, chunk) {
  const config = { ...problem, chunk };
  const oneHot = ({ data }) => {
    const rows = new Float32Array(data.length * config.vocabulary);
    for (const [i, token] of data.entries()) rows[i * config.vocabulary + token] = 1;
    return np.array(rows).reshape([data.length, config.vocabulary]);
  };
  const [tokens, targets] = [oneHot(tensors.tokens), oneHot(tensors.targets)];
  const constants = constantsOf(config, chunk);
  const state = { p: {}, m: {}, v: {} };
  for (const [name, { shape, data }] of Object.entries(tensors)) {
    if (name === "tokens" || name === "targets") continue;
    state.p[name] = np.array(data).reshape(shape);
    state.m[name] = np.zeros(shape);
    state.v[name] = np.zeros(shape);
  }
  const gradient = valueAndGrad((p, x, y, c) => lossOf(p, x, y, c, config));
  const compiled = jit((p, m, v, x, y, c, correction1, correction2) => {
    const [loss, gradients] = gradient(jax.tree.ref(p), x, y, c);
    return { loss, ...update(p, m, v, gradients, correction1, correction2) };
  });
  let t = 0;
  return async function step() {
    t++;
    const { loss, ...next } = compiled(
      state.p,
      state.m,
      state.v,
      tokens.ref,
      targets.ref,
      jax.tree.ref(constants),
      np.array(1 - 0.9 ** t),
      np.array(1 - 0.95 ** t),
    );
    Object.assign(state, next);
    await jax.blockUntilReady(state);
    return (await loss.data())[0];
  };
}

const { tensors, config } = readSafetensors(positionals[1]);
const started = performance.now();
const step = trainerOf(tensors, config, Number(options.chunk));
const firstLosses = [await step()];
const compiling = (performance.now() - started) / 1000;
while (firstLosses.length < 3) firstLosses.push(await step());
const threads = Number(options.workers) || 1;
const notes = `${threads === 1 ? "1 thread" : `${threads} workers`}, first step with compilation ${compiling.toFixed(1)} s`;
console.log(
  JSON.stringify({ firstLosses, variants: [threads === 1 ? "1 thread" : `${threads} threads`], notes }),
);

for await (const line of createInterface({ input: process.stdin })) {
  const steps = Number(line.split(" ")[1]);
  const seconds = [];
  for (let i = 0; i < steps; i++) {
    const start = performance.now();
    await step();
    seconds.push((performance.now() - start) / 1000);
  }
  console.log(JSON.stringify({ seconds }));
}
