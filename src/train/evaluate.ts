/**
 * @file How often a model names what a task asks for, on fresh programs that it was not trained on.
 *
 * Right means: the argmax over the whole vocabulary is the revealed value, at the position before it; or the state, at
 * the position of the word after which it is asked.
 */

import { applyModel, type Model, type ModelParameters } from "../models/index.ts";
import { type Batch, batchWriter, emptyBatch, maximumLength } from "../tasks/batch.ts";
import { exampleFrom } from "../tasks/example.ts";
import type { ExampleStream } from "../tasks/stream.ts";
import type { Example, Prepared } from "../tasks/task.ts";
import type { Tokenizer } from "../tasks/tokenizer.ts";
import { type Compiled, compile, correct, Graph, type Runtime } from "../tensor/index.ts";

export interface Test {
  readonly prepared: Prepared;
  readonly tokenizer: Tokenizer;
  readonly stream: ExampleStream;
  readonly programs: number;
  /** Content hashes that must not occur: such programs are passed over. */
  readonly exclude?: ReadonlySet<number>;
}

export interface Evaluation {
  /** Fewer than asked for where the task has no more fresh ones; with 0, accuracies are 0 and say nothing. */
  readonly programs: number;
  readonly reveals: number;
  /** Over all reveals. */
  readonly accuracy: number;
  /** Over the last reveal of each program. */
  readonly accuracyLast: number;
  /** By position of the reveal, over the programs that have one there. */
  readonly accuracyByReveal: readonly number[];
  /** For each program, for each of its reveals, 1 or 0. */
  readonly hits: readonly (readonly number[])[];
}

/**
 * The places in the stream of the first `programs` examples that are distinct and not excluded; fewer, where a task has
 * only so many different programs, and none where all of them are excluded.
 */
export function freshExamples({ prepared, tokenizer, stream, programs, exclude }: Test): number[] {
  const batch = emptyBatch(1, maximumLength(prepared, tokenizer));
  const write = batchWriter(prepared, tokenizer, "reveals");
  const seen = new Set(exclude);
  const found: number[] = [];
  const draws = Math.max(1000, 20 * programs);
  for (let i = 0; found.length < programs && i < draws; i++) {
    write(batch, stream, i);
    if (seen.has(batch.hashes[0])) continue;
    seen.add(batch.hashes[0]);
    found.push(i);
  }
  return found;
}

/** Runs the model on every program of the test; `rows` at a time. */
export async function evaluate(
  model: Model,
  parameters: { readonly tree: ModelParameters; readonly data: Readonly<Record<string, Float32Array>> },
  test: Test,
  runtime: Runtime,
  rows = 25,
): Promise<Evaluation> {
  const places = freshExamples(test);
  const batch = emptyBatch(rows, maximumLength(test.prepared, test.tokenizer));
  const write = batchWriter(test.prepared, test.tokenizer, "reveals");
  const run = await compileHits(model, parameters.tree, batch, runtime);
  const hits: number[][] = [];
  try {
    for (let first = 0; first < places.length; first += rows) {
      // The last batch is filled up with repetitions, which are not counted.
      write(batch, (row) => test.stream(places[Math.min(first + row, places.length - 1)]), 0);
      const { tokens, targets } = batch;
      const { hits: at } = await run.run({ tokens, targets, ...parameters.data });
      for (let row = 0; row < Math.min(rows, places.length - first); row++) {
        const positions = batch.revealPositions.subarray(
          batch.revealStarts[row],
          batch.revealStarts[row + 1],
        );
        hits.push(Array.from(positions, (position) => Number(at[position])));
      }
    }
  } finally {
    await run.release();
  }
  return summarize(hits);
}

function compileHits(
  model: Model,
  tree: ModelParameters,
  { rows, length }: Batch,
  runtime: Runtime,
): Promise<Compiled<"hits">> {
  const graph = new Graph();
  const [tokens, targets] = ["tokens", "targets"].map((name) => graph.input(name, [rows, length], "int32"));
  const logits = applyModel(model, graph.parameters(tree), tokens);
  return compile(graph, { hits: correct(logits, targets) }, runtime);
}

/** hits: for each program, for each reveal, how right it was (1, 0, or an expected accuracy between). */
export function summarize(hits: readonly (readonly number[])[]): Evaluation {
  const positions = Math.max(0, ...hits.map((program) => program.length));
  const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / Math.max(1, values.length);
  return {
    programs: hits.length,
    reveals: hits.reduce((total, program) => total + program.length, 0),
    accuracy: mean(hits.flat()),
    accuracyLast: mean(hits.flatMap((program) => program.slice(-1))),
    accuracyByReveal: Array.from({ length: positions }, (_, i) =>
      mean(hits.flatMap((program) => (i < program.length ? [program[i]] : []))),
    ),
    hits,
  };
}

/** The references of a task on the very programs of a test. */
export function evaluateReferences(test: Test): Record<string, Evaluation> {
  const examples = freshExamples(test).map((place) => exampleFrom(test.prepared, test.stream(place)));
  const solve = (solver: (example: Example) => number[]) => summarize(examples.map(solver));
  return Object.fromEntries(
    Object.entries(test.prepared.references ?? {}).map(([name, solver]) => [name, solve(solver)]),
  );
}
