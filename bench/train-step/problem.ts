/**
 * @file The training problem that every contender of `bench/train-step` solves: one configuration, its initial weights
 * and one batch, all drawn from a seed; written to a safetensors file for contenders in other languages.
 *
 *     x = embedding[tokens]
 *     x = x + mixer(rmsNorm(x)), x = x + swiglu(rmsNorm(x))      for every layer
 *     loss = mean over all positions of crossEntropy(rmsNorm(x) head, targets)
 *
 * Linear weights are [in, out]. The names and shapes are in `shapes` below, the equations in bench/README.md.
 * Source of the file format: https://github.com/huggingface/safetensors (u64 length, JSON header, raw data).
 */

export const modelNames = ["transformer", "deltanet", "lstm", "gated-deltanet", "mamba2"] as const;
export type ModelName = (typeof modelNames)[number];

export interface Config {
  readonly model: ModelName;
  /** d; heads are 32 wide (mamba2: 64, of 2 d channels), the SwiGLU is 2 d wide inside. */
  readonly width: number;
  readonly batch: number; // B
  readonly length: number; // T
  readonly layers: number;
  readonly heads: number; // h
  readonly vocabulary: number; // V
}

export interface Weight {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** tokens[b, t] is read, targets[b, t] = tokens[b, t + 1] is to be predicted. Both [B, T], row by row. */
export interface Batch {
  readonly tokens: Int32Array;
  readonly targets: Int32Array;
}

export interface Problem {
  readonly config: Config;
  readonly weights: Readonly<Record<string, Weight>>;
  readonly batch: Batch;
}

/** N of mamba2, its default. */
const STATE_SIZE = 16;

export function benchmarkConfig(
  model: ModelName,
  width: number,
  batch: number,
  length = 256,
  layers = 2,
): Config {
  return { model, width, batch, length, layers, heads: width / 32, vocabulary: 32 };
}

/** "deltanet d=64 L=2 B=8 T=256" */
export function configName({ model, width, batch, length, layers }: Config): string {
  return `${model} d=${width} L=${layers} B=${batch} T=${length}`;
}

/** Shape of every weight by name, in the order in which they are drawn. */
export function shapes(config: Config): Record<string, readonly number[]> {
  const { width: d, heads, vocabulary } = config;
  const mixers: Record<ModelName, Record<string, readonly number[]>> = {
    // q, then k, then v; each split into heads that are contiguous.
    transformer: { qkv: [d, 3 * d], out: [d, d] },
    // convolution[j] multiplies x_{t-3+j}; norm is shared by the heads.
    deltanet: { qkv: [d, 3 * d], convolution: [4, 3 * d], beta: [d, heads], norm: [d / heads], out: [d, d] },
    // Gates in the order i, f, g, o.
    lstm: { input: [d, 4 * d], hidden: [d, 4 * d], bias: [4 * d], out: [d, d] },
    "gated-deltanet": {
      ...{ qkv: [d, 3 * d], convolution: [4, 3 * d], beta: [d, heads], norm: [d / heads], out: [d, d] },
      ...{ gate: [d, d], "decay.weight": [d, heads], "decay.bias": [heads], "decay.logRate": [heads] },
    },
    // input: z, u [2 d], B, C [N], l [h]; the convolution is over u, B, C.
    mamba2: {
      ...{ input: [d, 4 * d + 2 * STATE_SIZE + heads], convolution: [4, 2 * d + 2 * STATE_SIZE] },
      ...{ convolutionBias: [2 * d + 2 * STATE_SIZE], stepBias: [heads], logRate: [heads], skip: [heads] },
      ...{ norm: [2 * d], out: [2 * d, d] },
    },
  };
  const all: Record<string, readonly number[]> = { embedding: [vocabulary, d] };
  for (let layer = 0; layer < config.layers; layer++) {
    const prefix = `layers.${layer}.`;
    all[`${prefix}mixerNorm`] = [d];
    for (const [name, shape] of Object.entries(mixers[config.model])) all[`${prefix}mixer.${name}`] = shape;
    all[`${prefix}feedNorm`] = [d];
    all[`${prefix}feed.gate`] = [d, 2 * d];
    all[`${prefix}feed.up`] = [d, 2 * d];
    all[`${prefix}feed.down`] = [2 * d, d];
  }
  return { ...all, norm: [d], head: [d, vocabulary] };
}

/** Norm scales and skips 1, most biases 0, all else normal; uniformly random tokens. */
export function makeProblem(config: Config, seed = 1): Problem {
  const { normal, below } = generator(seed);
  const weights: Record<string, Weight> = {};
  for (const [name, shape] of Object.entries(shapes(config))) {
    const data = new Float32Array(shape.reduce((product, n) => product * n, 1));
    const { mean = 0, deviation = 0 } = initial(name);
    for (let i = 0; i < data.length; i++) data[i] = mean + deviation * normal();
    weights[name] = { shape, data };
  }
  const { batch: rows, length, vocabulary } = config;
  const tokens = new Int32Array(rows * length);
  const targets = new Int32Array(rows * length);
  for (let row = 0; row < rows; row++) {
    let next = below(vocabulary);
    for (let t = row * length; t < (row + 1) * length; t++) {
      tokens[t] = next;
      next = below(vocabulary);
      targets[t] = next;
    }
  }
  return { config, weights, batch: { tokens, targets } };
}

function initial(name: string): { readonly mean?: number; readonly deviation?: number } {
  if (/(norm|skip)$/i.test(name)) return { mean: 1 };
  if (/(stepBias|decay\.bias)$/.test(name)) return { mean: -3, deviation: 1 }; // memories that last some 20 steps
  if (/bias$/i.test(name)) return {};
  return { deviation: /(convolution|logRate)$/.test(name) ? 0.3 : 0.02 };
}

/** The problem as the bytes of a safetensors file; the configuration is JSON in the metadata under "config". */
export function encodeProblem({ config, weights, batch }: Problem): Uint8Array {
  const header: Record<string, unknown> = { __metadata__: { config: JSON.stringify(config) } };
  const parts: Uint8Array[] = [];
  let offset = 0;
  const add = (name: string, dtype: string, shape: readonly number[], data: Float32Array | Int32Array) => {
    header[name] = { dtype, shape, data_offsets: [offset, offset + data.byteLength] };
    parts.push(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
    offset += data.byteLength;
  };
  for (const [name, { shape, data }] of Object.entries(weights)) add(name, "F32", shape, data);
  add("tokens", "I32", [config.batch, config.length], batch.tokens);
  add("targets", "I32", [config.batch, config.length], batch.targets);

  const json = new TextEncoder().encode(JSON.stringify(header));
  const padded = Math.ceil(json.length / 8) * 8; // data starts aligned, as the format asks; padded with spaces
  const file = new Uint8Array(8 + padded + offset).fill(0x20, 8, 8 + padded);
  new DataView(file.buffer).setBigUint64(0, BigInt(padded), true);
  file.set(json, 8);
  let at = 8 + padded;
  for (const part of parts) {
    file.set(part, at);
    at += part.length;
  }
  return file;
}

/** mulberry32 and Box-Muller: small and seeded. The bench shares no generator with what it measures. */
function generator(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  return { normal, below: (n: number) => Math.floor(next() * n) };
}
