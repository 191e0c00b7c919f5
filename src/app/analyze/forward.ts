/**
 * @file A trained model as analyses may use it: from tokens (and changes to its heads) to logits and taps.
 *
 *     const forward = await openForward(run, rows, length);
 *     const { logits, "layers.0.beta": beta } = await forward.run(tokens, { "interventions.0.scale": scale });
 */

import type { DeclaredTap } from "../../analysis/analysis.ts";
import type { HeadPlace } from "../../analysis/recording.ts";
import { applyModel } from "../../models/index.ts";
import { compile, Graph, size, type Tensor, type TensorData } from "../../tensor/index.ts";
import { emptyData } from "../../tensor/session.ts";
import type { TrainedRun } from "../run/open.ts";

export interface Forward {
  readonly rows: number;
  /** T. */
  readonly length: number;
  readonly vocabulary: number;
  /** Shapes by name, [rows, T, ...]. */
  readonly taps: Readonly<Record<string, readonly number[]>>;
  /** Every head that can be silenced. */
  readonly heads: readonly HeadPlace[];
  /** tokens [rows, T] -> `logits` [rows, T, V] and the taps. Inputs that are not changed leave the heads as they are. */
  run(
    tokens: Int32Array,
    changes?: Readonly<Record<string, Float32Array>>,
  ): Promise<Readonly<Record<string, Float32Array>>>;
  release(): Promise<void>;
}

/** `wanted` chooses taps by name, `layers.L.NAME`. */
export async function openForward(
  { model, tree, weights, runtime }: Pick<TrainedRun, "model" | "tree" | "weights" | "runtime">,
  rows: number,
  length: number,
  wanted: (name: string) => boolean = () => true,
): Promise<Forward> {
  const graph = new Graph();
  const tokens = graph.input("tokens", [rows, length], "int32");
  const taps: Record<string, Tensor> = {};
  const logits = applyModel(model, graph.parameters(tree), tokens, {
    taps: (name, value) => {
      if (wanted(name)) taps[name] = value;
    },
    interventions: true,
  });
  const compiled = await compile(graph, { logits, ...taps }, runtime);
  const unchanged: Record<string, TensorData> = {};
  const heads: HeadPlace[] = [];
  for (const { name, shape, dtype } of compiled.inputs) {
    const input = /^interventions\.(\d+)\.(scale|replacement)$/.exec(name);
    if (input === null) continue;
    unchanged[name] = emptyData(dtype, size(shape));
    if (input[2] !== "scale") continue;
    (unchanged[name] as Float32Array).fill(1); // float32, as scales are
    for (let head = 0; head < shape[0]; head++) heads.push({ layer: Number(input[1]), head });
  }
  return {
    rows,
    length,
    vocabulary: model.vocabulary,
    taps: Object.fromEntries(Object.entries(taps).map(([name, { shape }]) => [name, shape])),
    heads,
    async run(tokenIds, changes = {}) {
      const results = await compiled.run({ tokens: tokenIds, ...unchanged, ...changes, ...weights });
      return results as Record<string, Float32Array>; // logits and taps are float32
    },
    release: () => compiled.release(),
  };
}

/** Inputs that silence one head of a layer: 0, or `mean` [dv] at every token. */
export function silencing(
  { layer, head }: HeadPlace,
  [rows, length, heads, width]: readonly number[],
  mean?: Float32Array,
): Record<string, Float32Array> {
  const scale = new Float32Array(heads).fill(1);
  scale[head] = 0;
  const replacement = new Float32Array(rows * length * heads * width);
  if (mean !== undefined) {
    for (let at = 0; at < rows * length; at++) replacement.set(mean, (at * heads + head) * width);
  }
  return { [`interventions.${layer}.scale`]: scale, [`interventions.${layer}.replacement`]: replacement };
}

/** Names of each layer's taps, with their shapes after [B, T]. */
export function declaredTaps({ model, tree }: Pick<TrainedRun, "model" | "tree">): DeclaredTap[][] {
  const graph = new Graph();
  const declared: DeclaredTap[][] = model.mixers.map(() => []);
  applyModel(model, graph.parameters(tree), graph.input("tokens", [1, 2], "int32"), {
    taps(name, { shape: [, , ...rest] }) {
      const [, layer, own] = /^layers\.(\d+)\.(.+)$/.exec(name) ?? [];
      if (own !== undefined) declared[Number(layer)].push({ name: own, rest });
    },
  });
  return declared;
}
