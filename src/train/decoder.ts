/**
 * @file A trained model token by token, for several sequences at once: one step graph, compiled once, weights inside.
 *
 *     const decoder = await openDecoder(model, weights, runtime, { slots: 4, context: 2048 });
 *     decoder.clear(2);                                   slot 2 begins a new sequence
 *     decoder.tokens[2] = 5;  decoder.positions[2] = 0;   every slot is fed something; who is idle reads nothing
 *     const logits = await decoder.step();                [slots, V], overwritten by the step after the next
 *
 * The states lie in two sets of arrays that take turns, one read and one written, so a step allocates nothing and takes
 * as long after a hundred thousand steps as at the start. Only a model that keeps its past (the Transformer) needs a bound.
 */

import { type Model, type ModelShapes, stateShapes } from "../models/index.ts";
import { fail } from "../records/error.ts";
import { Graph, type Runtime, size, writeOnnx } from "../tensor/index.ts";
import { stepGraph } from "./export.ts";

export interface DecoderOptions {
  /** How many sequences go side by side. A slot's numbers do not depend on what the others hold. */
  readonly slots: number;
  /** How many tokens a sequence may have, prompt included. Costs memory and time only where `keepsPast(model)`. */
  readonly context: number;
}

export interface Decoder extends DecoderOptions {
  readonly vocabulary: number;
  /** What the next step reads, and where in its sequence that is, for each slot. */
  readonly tokens: Int32Array;
  readonly positions: Int32Array;
  /** Makes a slot forget its sequence. */
  clear(slot: number): void;
  /** One token for every slot; resolves to the logits after it. One step at a time. */
  step(): Promise<Float32Array>;
  release(): Promise<void>;
}

/** Whether the state grows with the sequence: then the context bounds it. */
export function keepsPast(model: Model): boolean {
  return JSON.stringify(stateShapes(model, 2)) !== JSON.stringify(stateShapes(model, 3));
}

export async function openDecoder(
  model: Model,
  weights: { readonly tree: ModelShapes; readonly data: Readonly<Record<string, Float32Array>> },
  { ort, options }: Runtime,
  { slots, context }: DecoderOptions,
): Promise<Decoder> {
  const { vocabulary } = model;
  const graph = new Graph();
  const { outputs, shapes } = stepGraph(graph, model, weights.tree, slots, context);
  const session = await ort.InferenceSession.create(writeOnnx(graph, outputs, weights.data), options);
  const tokens = new Int32Array(slots);
  const positions = new Int32Array(slots);
  const states = Object.entries(shapes).map(([name, shape]) => {
    const dimensions = [slots, ...shape];
    const arrays = [0, 1].map(() => new Float32Array(size(dimensions)));
    return { name, arrays, tensors: arrays.map((array) => new ort.Tensor("float32", array, dimensions)) };
  });
  const logits = [0, 1].map(() => new Float32Array(slots * vocabulary));
  const feeds = [0, 1].map((side) => ({
    token: new ort.Tensor("int32", tokens, [slots]),
    position: new ort.Tensor("int32", positions, [slots]),
    ...Object.fromEntries(states.map(({ name, tensors }) => [`state.${name}`, tensors[side]])),
  }));
  const fetches = [0, 1].map((side) => ({
    logits: new ort.Tensor("float32", logits[side], [slots, vocabulary]),
    ...Object.fromEntries(states.map(({ name, tensors }) => [`next.${name}`, tensors[side]])),
  }));
  let current = 0;
  let running = false;
  return {
    ...{ slots, context, vocabulary, tokens, positions },
    clear(slot) {
      for (const { arrays } of states) {
        const length = arrays[current].length / slots;
        arrays[current].fill(0, slot * length, (slot + 1) * length);
      }
    },
    async step() {
      if (running) fail("decoder.step", "one step at a time", "another before the last had ended");
      running = true;
      try {
        await session.run(feeds[current], fetches[1 - current]);
        current = 1 - current;
      } finally {
        running = false;
      }
      return logits[current];
    },
    release: () => session.release(),
  };
}
