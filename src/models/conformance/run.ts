/**
 * @file Small models with weights of order 1, and functions to run them: in parallel, step by step, with interventions. Used by the
 * conformance suite and `statelab check`.
 */

import { type Rng, rngFrom } from "../../core/rng.ts";
import {
  compile,
  flattenParameters,
  Graph,
  type Runtime,
  type Tensor,
  type TensorData,
  withData,
} from "../../tensor/index.ts";
import {
  applyModel,
  initialParameters,
  type Model,
  type ModelParameters,
  stateShapes,
  stepModel,
} from "../index.ts";
import type { Attachments } from "../stack.ts";

export type Sequences = readonly (readonly number[])[];

/** Initial weights are too small for a wrong beta or attention to be visible; these are of order 1. */
export function varied(model: Model, seed = 1): ModelParameters {
  const rng = rngFrom(seed).fork("varied");
  const tree = initialParameters(model, rngFrom(seed));
  const entries = flattenParameters(tree).map(([path, { shape, data }]) => {
    const own = rng.fork(path);
    const centre = path.endsWith("logRate") ? -2 : 1; // a decay at which the output still depends on the distant past
    const draw =
      shape.length === 1 ? () => centre + 0.3 * own.normal() : () => 1.2 * own.normal() * shape[0] ** -0.5;
    return [path, Float32Array.from(data, draw)];
  });
  const embedding = Float32Array.from(tree.embedding.data, () => rng.normal());
  return withData(tree, { ...Object.fromEntries(entries), embedding });
}

export function parameterData(tree: ModelParameters): Record<string, Float32Array> {
  return Object.fromEntries(flattenParameters(tree).map(([path, { data }]) => [path, data]));
}

/** [B][T] tokens. */
export function tokensBelow(vocabulary: number, rng: Rng, batch: number, length: number): number[][] {
  return Array.from({ length: batch }, () => Array.from({ length }, () => rng.below(vocabulary)));
}

export interface RunAttachments {
  readonly taps?: boolean;
  readonly interventions?: Record<string, Float32Array>;
  /** 1 for each token that starts a session, else 0; without it each row is one session. */
  readonly fresh?: Sequences;
}

export interface Run {
  /** [B][T][V]. */
  readonly logits: number[][][];
  readonly taps: Record<string, { readonly shape: readonly number[]; readonly data: Float32Array }>;
}

/** Runs the whole sequence in parallel. `feeds` are the interventions; the default ones change nothing. */
export async function runParallel(
  runtime: Runtime,
  model: Model,
  tree: ModelParameters,
  tokens: Sequences,
  attachments: RunAttachments = {},
): Promise<Run> {
  const runner = await parallelRunner(runtime, model, tree, tokens.length, tokens[0].length, attachments);
  try {
    return await runner.run(tokens);
  } finally {
    await runner.release();
  }
}

/** The same for several runs with one session. */
export async function parallelRunner(
  runtime: Runtime,
  model: Model,
  tree: ModelParameters,
  batch: number,
  length: number,
  attachments: RunAttachments = {},
) {
  const graph = new Graph();
  const tapped: Record<string, Tensor> = {};
  const asked: Attachments = {
    ...(attachments.taps && {
      taps(name: string, value: Tensor) {
        tapped[name] = value;
      },
    }),
    interventions: attachments.interventions !== undefined,
    ...(attachments.fresh && { fresh: graph.input("fresh", [batch, length], "int32") }),
  };
  const input = graph.input("tokens", [batch, length], "int32");
  const logits = applyModel(model, graph.parameters(tree), input, asked);
  const outputs: Record<string, Tensor> = { logits, ...tapped };
  const compiled = await compile(graph, outputs, runtime);
  const neutral = graph.inputs.filter(({ name }) => name.startsWith("interventions."));
  const feeds: Record<string, TensorData> = {
    ...parameterData(tree),
    ...Object.fromEntries(
      neutral.map(({ name, shape }) => [name, filled(shape, name.endsWith("scale") ? 1 : 0)]),
    ),
    ...attachments.interventions,
    ...(attachments.fresh && { fresh: Int32Array.from(attachments.fresh.flat()) }),
  };
  return {
    /** `interventions` in place of those of the session. */
    async run(tokens: Sequences, interventions?: RunAttachments["interventions"]): Promise<Run> {
      const results = await compiled.run({
        ...feeds,
        ...interventions,
        tokens: Int32Array.from(tokens.flat()),
      });
      const taps = Object.fromEntries(
        Object.entries(tapped).map(([name, { shape }]) => [
          name,
          { shape, data: results[name] as Float32Array }, // every tap is float32
        ]),
      );
      return { logits: toRows(results.logits, batch, length), taps };
    },
    release: () => compiled.release(),
  };
}

/** One token at a time, from zeros; `bound` is the maximum length, for models with a growing state. */
export async function runSteps(
  runtime: Runtime,
  model: Model,
  tree: ModelParameters,
  tokens: Sequences,
  bound: number,
): Promise<Run> {
  const batch = tokens.length;
  const length = tokens[0].length;
  const graph = new Graph();
  const shapes = stateShapes(model, bound);
  const states = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [name, graph.input(`state.${name}`, [batch, ...shape])]),
  );
  const token = graph.input("token", [batch], "int32");
  const position = graph.input("position", [batch], "int32");
  const tapped: Record<string, Tensor> = {};
  const after = stepModel(model, graph.parameters(tree), token, position, states, {
    taps(name, value) {
      tapped[name] = value;
    },
  });
  const outputs: Record<string, Tensor> = { logits: after.logits };
  for (const [name, value] of Object.entries(tapped)) outputs[`tap.${name}`] = value;
  for (const [name, value] of Object.entries(after.states)) outputs[`next.${name}`] = value;
  const compiled = await compile(graph, outputs, runtime);
  let state: Record<string, TensorData> = Object.fromEntries(
    Object.entries(shapes).map(([name, shape]) => [`state.${name}`, filled([batch, ...shape], 0)]),
  );
  const logits: number[][][] = tokens.map(() => []);
  const taps = Object.fromEntries(
    Object.entries(tapped).map(([name, { shape }]) => [
      name,
      { shape: shape.with(1, length), data: filled(shape.with(1, length), 0) },
    ]),
  );
  try {
    for (let t = 0; t < length; t++) {
      const now = {
        token: Int32Array.from(tokens, (row) => row[t]),
        position: new Int32Array(batch).fill(t),
      };
      const results = await compiled.run({ ...parameterData(tree), ...state, ...now });
      for (const [row, [each]] of toRows(results.logits, batch, 1).entries()) logits[row].push(each);
      for (const [name, { data }] of Object.entries(taps)) {
        const got = results[`tap.${name}`] as Float32Array; // every tap is float32
        const width = got.length / batch;
        for (let row = 0; row < batch; row++) {
          data.set(got.subarray(row * width, (row + 1) * width), (row * length + t) * width);
        }
      }
      state = Object.fromEntries(
        Object.keys(shapes).map((name) => [`state.${name}`, results[`next.${name}`]]),
      );
    }
  } finally {
    await compiled.release();
  }
  return { logits, taps };
}

export function filled(shape: readonly number[], value: number): Float32Array {
  return new Float32Array(shape.reduce((product, each) => product * each, 1)).fill(value);
}

/** Flat [B, T, V] -> [B][T][V]. */
export function toRows(data: TensorData, batch: number, length: number): number[][][] {
  const width = data.length / (batch * length);
  return Array.from({ length: batch }, (_, row) =>
    Array.from({ length }, (_, t) => {
      const start = (row * length + t) * width;
      return Array.from(data.subarray(start, start + width) as Float32Array);
    }),
  );
}

/** The largest difference between two nested lists of numbers of equal shape; NaN counts as infinite. */
export function furthest(got: unknown, wanted: unknown): number {
  if (Array.isArray(got) && Array.isArray(wanted) && got.length === wanted.length) {
    return got.reduce<number>((most, each, i) => Math.max(most, furthest(each, wanted[i])), 0);
  }
  const difference = Math.abs(Number(got) - Number(wanted));
  return Number.isNaN(difference) ? Number.POSITIVE_INFINITY : difference;
}
