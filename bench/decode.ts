/**
 * @file Speed of a trained model's decoding, token by token, and whether it stays constant.
 *
 *     npm run bench -- decode
 *
 * Two sequences of one model take turns, step by step: one of them in steps 100 to 1,100, the other, which was led
 * there before, in the last 1,000 of 100,000. So whatever else runs on the machine falls on both. Target: a ratio of at most
 * 1.1 for models with a state of constant size. A Transformer's steps cost as much as there is
 * to look at, so it is measured with two sizes. The baseline is the graph of the whole sequence,
 * computed again for each token, at length 1,000; both must give the same logits. Four parallel sequences are
 * at the step of the late one, and a prompt is read in chunks and in steps, in turns, by one slot alone and by each of four.
 */

import { fail } from "../src/core/error.ts";
import { rngFrom } from "../src/core/rng.ts";
import { median } from "../src/core/statistics.ts";
import {
  applyModel,
  configureModel,
  initialParameters,
  type Model,
  modelNamed,
  stateShapes,
} from "../src/models/index.ts";
import { growingStates } from "../src/models/stack.ts";
import { compile, flattenParameters, Graph, size } from "../src/tensor/index.ts";
import { nodeRuntime } from "../src/tensor/session-node.ts";
import { type Decoder, keepsPast, openDecoder } from "../src/train/decoder.ts";
import type { BenchOptions } from "./lib/interleave.ts";

export interface DecodeRow {
  readonly model: string;
  /** Capacity of its cache in tokens; null without one. */
  readonly context: number | null;
  /** Medians in milliseconds. */
  readonly early: number;
  readonly late: number;
  /** late / early. */
  readonly ratio: number;
  /** From the median of the late steps: one sequence, and four side by side. */
  readonly tokensPerSecond: number;
  readonly tokensPerSecondOfFour: number;
  /** Of the past, which each sequence has for itself: what is read of memory for four, in gigabytes a second; null without one. */
  readonly pastReadByFour: number | null;
  /** Tokens of a prompt a second: read in chunks, and as a multiple of stepping them. */
  readonly prompt: { readonly alone: Read; readonly four: Read };
  /** Milliseconds a token if the whole sequence is computed again for it, and how many times longer that is. */
  readonly again: number;
  readonly againRatio: number;
}

export interface Read {
  readonly tokensPerSecond: number;
  readonly ofSteps: number;
}

export interface DecodeSizes {
  /** Steps in all of a model without a cache. */
  readonly steps: number;
  /** Steps of each of the two windows that are compared. */
  readonly window: number;
  /** Steps before the early window. */
  readonly warmUp: number;
  /** Tokens of the sequence that is computed again. */
  readonly length: number;
  readonly contexts: readonly number[];
}

const SIZES: DecodeSizes = {
  steps: 100_000,
  window: 1000,
  warmUp: 100,
  length: 1000,
  contexts: [1024, 4096],
};
const MODELS = ["deltanet", "lstm", "mamba", "transformer"] as const;
const VOCABULARY = 32;
const LAYERS = 2;
const WIDTH = 64;
/** Tolerance between two orders of the same sums, as a share of the largest logit. */
const TOLERANCE = 1e-3;

export async function run({ json, signal }: BenchOptions): Promise<readonly DecodeRow[]> {
  const rows: DecodeRow[] = [];
  for await (const row of measure(SIZES, signal)) {
    rows.push(row);
    if (!json) console.log(describe(row));
  }
  if (json) console.log(JSON.stringify(rows, null, 2));
  return rows;
}

function describe({
  model,
  context,
  ratio,
  tokensPerSecond,
  tokensPerSecondOfFour,
  againRatio,
  prompt,
}: DecodeRow): string {
  const count = (rate: number) => String(Math.round(rate)).padStart(6);
  return [
    `${model}${context === null ? "" : `, context ${context}`}`.padEnd(26),
    `late / early ${ratio.toFixed(3)}`,
    `${count(tokensPerSecond)} tokens/s, four at once ${count(tokensPerSecondOfFour)}`,
    `computed again: ${againRatio.toFixed(1)} times longer`,
    `prompts ${count(prompt.alone.tokensPerSecond)} tokens/s, ${prompt.alone.ofSteps.toFixed(1)} times steps; four at once ${prompt.four.ofSteps.toFixed(1)} times`,
  ].join("   ");
}

export async function* measure(sizes: DecodeSizes, signal: AbortSignal): AsyncGenerator<DecodeRow> {
  for (const name of MODELS) {
    const config = { name, layers: LAYERS, width: WIDTH };
    const model = configureModel(modelNamed(name), config, VOCABULARY, "bench/decode");
    const contexts = keepsPast(model) ? sizes.contexts : [null];
    for (const context of contexts) yield await measureModel(model, name, context, sizes, signal);
  }
}

async function measureModel(
  model: Model,
  name: string,
  context: number | null,
  sizes: DecodeSizes,
  signal: AbortSignal,
): Promise<DecodeRow> {
  const { window, warmUp, length } = sizes;
  const steps = context ?? sizes.steps;
  const open = (slots: number) =>
    openDecoder(model, weightsOf(model), nodeRuntime(), { slots, context: steps });
  const [early, late, four] = [await open(1), await open(1), await open(4)];
  const again = await recompute(model, length);
  try {
    const feed = feeder();
    const rounds = Math.min(window, steps - warmUp);
    for (let at = 0; at < steps - rounds; at++) {
      if (at % 1000 === 0) signal.throwIfAborted();
      await feed(late, at);
    }
    for (let at = 0; at < warmUp; at++) {
      await feed(early, at);
      await feed(four, context === null ? at : steps - rounds - warmUp + at);
    }
    const times = { early: [] as number[], late: [] as number[], four: [] as number[] };
    const timed = async (decoder: Decoder, at: number, into: number[]) => {
      const start = performance.now();
      await feed(decoder, at);
      into.push(performance.now() - start);
    };
    for (let i = 0; i < rounds; i++) {
      const turns = [
        () => timed(early, warmUp + i, times.early),
        () => timed(late, steps - rounds + i, times.late),
      ];
      // The second of a pair finds the processor's cache changed: each is second equally often.
      for (const turn of i % 2 === 0 ? turns : turns.reverse()) await turn();
    }
    // The cost depends on the size of the cache, not on its content: four sequences need not be decoded to its end.
    for (let i = 0; i < rounds; i++)
      await timed(four, (context === null ? warmUp : steps - rounds) + i, times.four);
    const prompt = { alone: await readPrompt(early, steps), four: await readPrompt(four, steps) };
    const whole = await again.run(signal);
    checkAgreement(name, await stepped(model, length, steps), whole.logits);
    const [first, last] = [median(times.early), median(times.late)];
    return {
      ...{ model: name, context, early: first, late: last, ratio: last / first },
      tokensPerSecond: 1000 / last,
      tokensPerSecondOfFour: 4000 / median(times.four),
      pastReadByFour: context === null ? null : (4e-6 * pastBytes(model, context)) / median(times.four),
      prompt,
      ...{ again: whole.milliseconds, againRatio: whole.milliseconds / first },
    };
  } finally {
    await Promise.all([early, late, four, again].map((each) => each.release()));
  }
}

/** Bytes of the past that a token of one sequence looks at, when it is `length` long. */
function pastBytes(model: Model, length: number): number {
  const shapes = stateShapes(model, length);
  return Object.keys(growingStates(model)).reduce((bytes, name) => bytes + 4 * size(shapes[name]), 0);
}

/** A prompt of every slot, chunk by chunk: by `read` and by steps, in turns. */
async function readPrompt(decoder: Decoder, context: number): Promise<Read> {
  const { slots, chunk } = decoder;
  const tokens = Array.from({ length: chunk }, (_, at) => tokenAt(at));
  const times = { read: [] as number[], stepped: [] as number[] };
  const feed = feeder();
  for (let at = 0, round = 0; round < 12 && at + 2 * chunk <= context; at += 2 * chunk, round++) {
    const start = performance.now();
    for (let slot = 0; slot < slots; slot++) await decoder.read(slot, tokens, at);
    const between = performance.now();
    for (let i = 0; i < chunk; i++) await feed(decoder, at + chunk + i);
    if (round < 2 && at + 4 * chunk <= context) continue; // the first ones make the graph, and warm it
    times.read.push(between - start);
    times.stepped.push(performance.now() - between);
  }
  const read = median(times.read);
  return { tokensPerSecond: (1000 * slots * chunk) / read, ofSteps: median(times.stepped) / read };
}

/** The same tokens for everyone: token t of every sequence. */
const tokenAt = (at: number) => (at * 7 + (at >> 3)) % VOCABULARY;

function feeder() {
  return (decoder: Decoder, at: number) => {
    decoder.tokens.fill(tokenAt(at));
    decoder.positions.fill(at);
    return decoder.step();
  };
}

/** The logits after a whole sequence, step by step; undefined if a cache is too small for it. */
async function stepped(model: Model, length: number, context: number): Promise<Float32Array | undefined> {
  if (length > context) return undefined;
  const decoder = await openDecoder(model, weightsOf(model), nodeRuntime(), { slots: 1, context });
  const feed = feeder();
  let logits = new Float32Array();
  for (let at = 0; at < length; at++) logits = new Float32Array(await feed(decoder, at));
  await decoder.release();
  return logits;
}

async function recompute(model: Model, length: number) {
  const { tree, data } = weightsOf(model);
  const graph = new Graph();
  const tokens = graph.input("tokens", [1, length], "int32");
  const logits = applyModel(model, graph.parameters(tree), tokens);
  const compiled = await compile(graph, { logits }, nodeRuntime());
  const feeds = { ...data, tokens: Int32Array.from({ length }, (_, at) => tokenAt(at)) };
  return {
    async run(signal: AbortSignal) {
      const times: number[] = [];
      let last = new Float32Array();
      for (let i = 0; i < 12; i++) {
        signal.throwIfAborted();
        const start = performance.now();
        const result = await compiled.run(feeds);
        if (i >= 2) times.push(performance.now() - start);
        last = (result.logits as Float32Array).slice(-VOCABULARY); // logits are float32
      }
      return { milliseconds: median(times), logits: last };
    },
    release: () => compiled.release(),
  };
}

function checkAgreement(name: string, stepped: Float32Array | undefined, whole: Float32Array): void {
  if (stepped === undefined) return;
  const scale = Math.max(...whole.map(Math.abs));
  const apart = Math.max(...whole.map((logit, i) => Math.abs(logit - stepped[i])));
  if (!(apart <= TOLERANCE * scale))
    fail("bench/decode", `${name} to give the same logits step by step`, apart / scale);
}

function weightsOf(model: Model) {
  const tree = initialParameters(model, rngFrom(1));
  return { tree, data: Object.fromEntries(flattenParameters(tree).map(([path, { data }]) => [path, data])) };
}
