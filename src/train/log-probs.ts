/** @file What a model says, by a graph without a loss: log p(word) at each position. One graph is kept for each size. */

import { applyModel, type Model, parameterShapes } from "../models/index.ts";
import { type Compiled, compile, Graph, logSoftmax, type Runtime } from "../tensor/index.ts";

export interface Speaker {
  /** tokens int32 [B, T] -> [B, T, V], by weights under their paths. */
  logProbabilities(
    rows: number,
    tokens: Int32Array,
    weights: Readonly<Record<string, Float32Array>>,
  ): Promise<Float32Array>;
  release(): Promise<void>;
}

export function speakerOf(model: Model, runtime: Runtime): Speaker {
  const known = new Map<string, Compiled<"said">>();
  return {
    async logProbabilities(rows, tokens, weights) {
      const length = tokens.length / rows;
      const size = `${rows} x ${length}`;
      let run = known.get(size);
      if (run === undefined) {
        const graph = new Graph();
        const given = graph.input("tokens", [rows, length], "int32");
        const logits = applyModel(model, graph.parameters(parameterShapes(model)), given);
        run = await compile(graph, { said: logSoftmax(logits) }, runtime);
        known.set(size, run);
      }
      const own = Object.fromEntries(run.inputs.map(({ name }) => [name, weights[name]]));
      return (await run.run({ ...own, tokens })).said as Float32Array; // by its graph
    },
    async release() {
      for (const run of known.values()) await run.release();
      known.clear();
    },
  };
}
