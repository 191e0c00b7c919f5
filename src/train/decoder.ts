/**
 * @file Runs a trained model token by token, for several sequences at once: one step graph, compiled once, with the weights inside.
 *
 *     const decoder = await openDecoder(model, weights, runtime, { slots: 4, context: 2048 });
 *     decoder.clear(2);                                   slot 2 begins a new sequence
 *     decoder.tokens[2] = 5;  decoder.positions[2] = 0;   every slot needs an input; idle slots ignore theirs
 *     const logits = await decoder.step();                [slots, V], overwritten by the step after the next
 *     await decoder.read(2, prompt.slice(1, 33), 1);      32 tokens of one slot at once: [32, V]
 *
 * States of constant size have two sets of arrays that alternate, one read and one written, so a step allocates nothing and takes as
 * long after a hundred thousand steps as at the start. A growing past (the Transformer's) grows by rows (`kv-cache.ts`), and the cost of
 * a step is proportional to its length. An own model that keeps its past but cannot `extend` it copies its whole cache.
 *
 * Prompts are read in chunks, each slot separately, so a slot does not depend on the others.
 */

import { fail } from "../core/error.ts";
import { type Model, type ModelShapes, stateShapes } from "../models/index.ts";
import { canExtend } from "../models/prefill.ts";
import { growingStates } from "../models/stack.ts";
import { Graph, type Runtime, size, writeOnnx } from "../tensor/index.ts";
import { openPast } from "./kv-cache.ts";
import { extendGraph, stepGraph } from "./onnx-export.ts";

/** Tokens per chunk of a prompt. */
const CHUNK = 32;
/** Up to this length, a chunk of a stepwise layer costs about as much as its share of the steps (evidence/serving/log.md). */
const FEW_SLOTS = 4;

interface DecoderOptions {
  /** Number of parallel sequences. The results of a slot do not depend on the others. */
  readonly slots: number;
  /** Most tokens of a sequence, including the prompt. Bounds memory only if `keepsPast(model)`. */
  readonly context: number;
}

export interface Decoder extends DecoderOptions {
  readonly vocabulary: number;
  /** The next token of each slot, and its position in the sequence. */
  readonly tokens: Int32Array;
  readonly positions: Int32Array;
  /** Resets a slot. */
  clear(slot: number): void;
  /**
   * The state of a slot between steps, by name, with the shapes of the model; writable. Only states of constant size, so not the
   * past of a Transformer.
   */
  carried(slot: number): Readonly<Record<string, Float32Array>>;
  /** One token for every slot; resolves to the logits after it. One step at a time. */
  step(): Promise<Float32Array>;
  /**
   * Whether `read` is at least as fast as steps, which all slots share. A layer that computes a chunk step by step is faster than
   * steps for a single slot, and slower for many. A model that copies its cache cannot read chunks.
   */
  readonly readsAhead: boolean;
  /** Tokens per `read`. */
  readonly chunk: number;
  /** The next `chunk` tokens of one slot, from `position` on; resolves to the logits after each, [chunk, V]. Other slots are unchanged. */
  read(slot: number, tokens: readonly number[], position: number): Promise<Float32Array>;
  release(): Promise<void>;
}

/** Whether the state grows with the sequence: then the context bounds it. */
export function keepsPast(model: Model): boolean {
  return Object.keys(growingStates(model)).length > 0;
}

export async function openDecoder(
  model: Model,
  weights: { readonly tree: ModelShapes; readonly data: Readonly<Record<string, Float32Array>> },
  runtime: Runtime,
  { slots, context }: DecoderOptions,
): Promise<Decoder> {
  const { ort, options } = runtime;
  const { vocabulary } = model;
  const canRead = canExtend(model);
  const stepwise = model.mixers.some(({ mixer }) => mixer.extend === undefined || mixer.stepwise);
  const readsAhead = canRead && (!stepwise || slots <= FEW_SLOTS);
  const grows = canRead ? Object.keys(growingStates(model)) : [];
  const shapes = Object.entries(stateShapes(model, context));
  const past = openPast(
    Object.fromEntries(
      shapes.filter(([name]) => grows.includes(name)).map(([name, shape]) => [`state.${name}`, shape]),
    ),
    slots,
    runtime,
  );
  const sessionOf = (graph: Graph, outputs: Parameters<typeof writeOnnx>[1], open = {}) =>
    ort.InferenceSession.create(writeOnnx(graph, outputs, weights.data, open), options);
  const extending = (batch: number, length: number) => {
    const graph = new Graph();
    const { outputs, open } = extendGraph(graph, model, weights.tree, { batch, length, context });
    return sessionOf(graph, outputs, open);
  };
  const stepping = () => {
    const graph = new Graph();
    return sessionOf(graph, stepGraph(graph, model, weights.tree, slots, context).outputs);
  };
  const session = await (grows.length > 0 ? extending(slots, 1) : stepping());
  let reading: ReturnType<typeof extending> | undefined; // made for the first long prompt
  const tokens = new Int32Array(slots);
  const positions = new Int32Array(slots);
  const tokenShape = grows.length > 0 ? [slots, 1] : [slots];
  const states = shapes
    .filter(([name]) => !grows.includes(name))
    .map(([name, shape]) => {
      const dimensions = [slots, ...shape];
      const arrays = [0, 1].map(() => new Float32Array(size(dimensions)));
      const tensors = arrays.map((array) => new ort.Tensor("float32", array, dimensions));
      return { name, shape, arrays, tensors };
    });
  const rows = shapes
    .filter(([name]) => grows.includes(name))
    .map(([name, [heads, , width]]) => {
      const data = new Float32Array(slots * heads * width);
      return { name, data, tensor: new ort.Tensor("float32", data, [slots, heads, 1, width]) };
    });
  const logits = [0, 1].map(() => new Float32Array(slots * vocabulary));
  const feeds = [0, 1].map((side) => ({
    token: new ort.Tensor("int32", tokens, tokenShape),
    position: new ort.Tensor("int32", positions, [slots]),
    ...Object.fromEntries(states.map(({ name, tensors }) => [`state.${name}`, tensors[side]])),
  }));
  const fetches = [0, 1].map((side) => ({
    logits: new ort.Tensor("float32", logits[side], [...tokenShape, vocabulary]),
    ...Object.fromEntries(states.map(({ name, tensors }) => [`next.${name}`, tensors[side]])),
    ...Object.fromEntries(rows.map(({ name, tensor }) => [`rows.${name}`, tensor])),
  }));
  let current = 0;
  let running = false;
  const part = ({ arrays }: (typeof states)[number], slot: number) => {
    const length = arrays[current].length / slots;
    return arrays[current].subarray(slot * length, (slot + 1) * length);
  };

  async function alone<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running) fail("decoder.step", "one step at a time", "another before the last had ended");
    running = true;
    try {
      return await work();
    } finally {
      running = false;
    }
  }

  return {
    ...{ slots, context, vocabulary, tokens, positions, chunk: CHUNK },
    readsAhead,
    clear(slot) {
      for (const state of states) part(state, slot).fill(0);
      past.clear(slot);
    },
    carried: (slot) => Object.fromEntries(states.map((state) => [state.name, part(state, slot)])),
    step: () =>
      alone(async () => {
        if (grows.length > 0) past.look(positions, 1);
        const kept = grows.length > 0 ? { ...feeds[current], ...past.feeds() } : feeds[current];
        await session.run(kept, fetches[1 - current]);
        for (const { name, data } of rows) past.add(`state.${name}`, data, 1, positions);
        current = 1 - current;
        return logits[current];
      }),
    read: (slot, read, position) =>
      alone(async () => {
        if (!canRead || read.length !== CHUNK)
          fail("decoder.read", `${CHUNK} tokens of a model that can extend its past by rows`, read.length);
        reading ??= extending(1, CHUNK);
        positions[slot] = position;
        if (grows.length > 0) past.look(positions, CHUNK);
        const own = states.map((state) => [
          `state.${state.name}`,
          new ort.Tensor("float32", part(state, slot), [1, ...state.shape]),
        ]);
        const results = await (await reading).run({
          token: new ort.Tensor("int32", Int32Array.from(read), [1, CHUNK]),
          position: new ort.Tensor("int32", Int32Array.of(position), [1]),
          ...Object.fromEntries(own),
          ...(grows.length > 0 && past.feeds(slot)),
        });
        const numbers = (name: string) => results[name].data as Float32Array; // all outputs are float32
        for (const state of states) part(state, slot).set(numbers(`next.${state.name}`));
        for (const { name } of rows)
          past.add(`state.${name}`, numbers(`rows.${name}`), CHUNK, positions, slot);
        return numbers("logits");
      }),
    async release() {
      await session.release();
      await (await reading)?.release();
    },
  };
}
