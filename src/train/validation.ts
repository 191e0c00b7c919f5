/**
 * @file Held-out programs: never trained on, and evaluated repeatedly during a training.
 *
 *     samples to perfect = steps * batch at the first evaluation without a mistake, or "> N" if there was none
 *
 * With `train.stopWhenSolved` they are the first programs of a test of the configured task.
 */

import { notFinite } from "../core/json.ts";
import { exampleStream } from "../core/rng.ts";
import { applyModel, type Model, type ModelShapes } from "../models/index.ts";
import type { RunConfig } from "../schemas/run-config.ts";
import { batchWriter, emptyBatch, maximumLength } from "../tasks/batch.ts";
import type { Prepared } from "../tasks/task.ts";
import type { Tokenizer } from "../tasks/tokenizer.ts";
import { compile, correct, Graph, type Runtime, sum } from "../tensor/index.ts";
import type { Feeds } from "../tensor/session.ts";
import { freshHashes, hitsOfExample, notFiniteLogits, type Test } from "./evaluate.ts";

export interface HeldOut {
  readonly test: Test;
  /** Their indices in the stream of the test. */
  readonly places: readonly number[];
  readonly hashes: ReadonlySet<number>;
}

/**
 * `stopWhenSolved` uses the programs that a test of the configured task evaluates first, as published; `evaluateEvery` selects a
 * checkpoint, so it draws programs that no test uses.
 */
export function drawHeldOut({ config, tokenizer, variant }: Source): HeldOut | undefined {
  const { stopWhenSolved, evaluateEvery, validationExamples = 200 } = config.train;
  const [name, label, programs] =
    evaluateEvery === undefined
      ? ["stopWhenSolved", "test {}", stopWhenSolved?.examples]
      : ["evaluateEvery", "held out", validationExamples];
  if (programs === undefined) return undefined;
  const prepared = variant({}, `train.${name}`);
  const test = { prepared, tokenizer, stream: exampleStream(config.seed, label), programs };
  const fresh = freshHashes(test);
  return { test, places: [...fresh.keys()], hashes: new Set(fresh.values()) };
}

/** The data of a run. */
interface Source {
  readonly config: Pick<RunConfig, "seed" | "train">;
  readonly tokenizer: Tokenizer;
  /** The task with changed parameters. */
  variant(change: object, at: string): Prepared;
}

export interface Examiner {
  /** Share of right answers. */
  accuracy(parameters: Feeds): Promise<number>;
  release(): Promise<void>;
}

export async function examiner(
  { test, places }: HeldOut,
  model: Model,
  tree: ModelShapes,
  runtime: Runtime,
  most = 50,
): Promise<Examiner> {
  const rows = Math.min(most, places.length);
  const batch = emptyBatch(rows, maximumLength(test.prepared, test.tokenizer));
  const write = batchWriter(test.prepared, test.tokenizer);
  const graph = new Graph();
  const [tokens, targets] = ["tokens", "targets"].map((name) =>
    graph.input(name, [rows, batch.length], "int32"),
  );
  const logits = applyModel(model, graph.parameters(tree), tokens);
  const run = await compile(
    graph,
    { hits: correct(logits, targets), total: sum(logits, { axes: [0, 1, 2] }) },
    runtime,
  );
  return {
    async accuracy(parameters) {
      const all: number[] = [];
      for (let first = 0; first < places.length; first += rows) {
        // The last batch is padded with repetitions, which are not counted.
        write(batch, (row) => test.stream(places[Math.min(first + row, places.length - 1)]), 0);
        const { hits, total } = await run.run({
          ...{ tokens: batch.tokens, targets: batch.targets },
          ...parameters,
        });
        const bad = notFinite(total);
        if (bad !== undefined) notFiniteLogits("held-out programs", bad);
        for (let row = 0; row < Math.min(rows, places.length - first); row++) {
          all.push(...hitsOfExample(batch, hits as Float32Array, row)); // float32 by its graph
        }
      }
      return all.reduce((sum, hit) => sum + hit, 0) / all.length;
    },
    release: () => run.release(),
  };
}
