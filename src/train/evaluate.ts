/**
 * @file Accuracy and surprise of a model on fresh programs that it was not trained on.
 *
 * An answer is right if the argmax over the whole vocabulary is the revealed value at the position before it, or the state at the
 * position of the word after which it is asked; a value of several tokens needs all of them. Surprise is measured at the same
 * positions, in nats; a perfect tracker still pays for hidden chance:
 *
 *     over the vocabulary    Σ −ln softmax(x)_v          v: each token of the revealed value
 *     over the values        −x_v + ln Σ_u exp(x_u)      v: its first token; u: the first tokens of all values of the task
 */

import { fail } from "../core/error.ts";
import { notFinite } from "../core/json.ts";
import type { ExampleStream } from "../core/rng.ts";
import { atOnce, inTurns } from "../core/rotations.ts";
import { applyModel, type Model, type ModelShapes } from "../models/index.ts";
import { idsOfValues } from "../tasks/batch/rows.ts";
import { type Batch, batchWriter, emptyBatch, maximumLength } from "../tasks/batch.ts";
import { exampleFrom } from "../tasks/example.ts";
import type { Prepared } from "../tasks/task.ts";
import type { Tokenizer } from "../tasks/tokenizer.ts";
import {
  add,
  type Compiled,
  compile,
  correct,
  exp,
  Graph,
  log,
  logSoftmax,
  multiply,
  negate,
  node,
  oneHot,
  type Runtime,
  reshape,
  subtract,
  sum,
  type Tensor,
} from "../tensor/index.ts";
import { largest } from "../tensor/maximum.ts";

export interface Test {
  readonly prepared: Prepared;
  readonly tokenizer: Tokenizer;
  readonly stream: ExampleStream;
  readonly programs: number;
  /** Content hashes of programs that are skipped, or the long computation that finds them. */
  readonly exclude?: ReadonlySet<number> | (() => Generator<void, ReadonlySet<number>>);
  /** Called now and then by long computations (core/rotations.ts); may throw to end them. */
  readonly pause?: (() => Promise<void>) | undefined;
}

export interface Evaluation {
  /** Fewer than requested if the task has no more fresh ones; with 0, accuracies are 0 and meaningless. */
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
  /** Surprise of a model; absent for reference solvers, which give only expected accuracies. */
  readonly surprises?: Surprises;
}

/** For each program, for each of its reveals, nats. */
interface Surprises {
  /** Of the revealed value among all tokens. */
  readonly vocabulary: readonly (readonly number[])[];
  /** Among the values of the task, by their first tokens: the surprise given that a value comes next. */
  readonly values: readonly (readonly number[])[];
}

/**
 * The indices in the stream of the first `programs` examples that are distinct and not excluded; fewer if the task has fewer
 * different programs.
 */
export const freshExamples = (test: Test): number[] => [...freshHashes(test).keys()];

/** The same, each with its content hash. */
export const freshHashes = (test: Test): ReadonlyMap<number, number> => atOnce(findingFresh(test));

/** The same, yielding to other work. */
export const freshInTurns = async (test: Test): Promise<number[]> => [
  ...(await inTurns(findingFresh(test), test.pause)).keys(),
];

function* findingFresh({
  prepared,
  tokenizer,
  stream,
  programs,
  exclude,
}: Test): Generator<void, Map<number, number>> {
  const batch = emptyBatch(1, maximumLength(prepared, tokenizer));
  const write = batchWriter(prepared, tokenizer);
  const seen = new Set(typeof exclude === "function" ? yield* exclude() : exclude);
  const found = new Map<number, number>();
  const draws = Math.max(1000, 20 * programs);
  for (let i = 0; found.size < programs && i < draws; i++) {
    yield;
    write(batch, stream, i);
    const [hash] = batch.hashes;
    if (seen.has(hash)) continue;
    seen.add(hash);
    found.set(i, hash);
  }
  return found;
}

/** Batches for which another thread is worth its start. */
const BATCHES_PER_WORKER = 4;

/** Runs the model on every program of the test, in batches of `rows`; worker threads take some of the batches. */
export async function evaluate(
  model: Model,
  parameters: { readonly tree: ModelShapes; readonly data: Readonly<Record<string, Float32Array>> },
  test: Test,
  runtime: Runtime,
  rows = 25,
): Promise<Evaluation> {
  const places = await freshInTurns(test);
  const length = maximumLength(test.prepared, test.tokenizer);
  const write = batchWriter(test.prepared, test.tokenizer);
  const { openWorker, workers = 1 } = runtime;
  const useful = Math.floor(places.length / (rows * BATCHES_PER_WORKER));
  const opened = Array.from({ length: Math.max(0, Math.min(workers, useful) - 1) }, () =>
    openWorker!(runtime),
  ); // with several workers it is there
  // This thread comes last: its run keeps it from starting those of the others.
  const threads = await Promise.all(
    [...opened, runtime].map(async (each) => {
      const batch = emptyBatch(rows, length);
      return { batch, run: await compileAnswers(model, parameters.tree, batch, firstTokens(test), each) };
    }),
  );
  const hits: number[][] = [];
  const surprises = { vocabulary: [] as number[][], values: [] as number[][] };
  try {
    for (let start = 0; start < places.length; start += rows * threads.length) {
      await test.pause?.();
      const running = threads.map(({ batch, run }, thread) => {
        const first = start + thread * rows;
        const count = Math.max(0, Math.min(rows, places.length - first));
        if (count === 0) return { batch, count, answers: undefined };
        // The last batch is padded with repetitions, which are not counted.
        write(batch, (row) => test.stream(places[Math.min(first + row, places.length - 1)]), 0);
        const { tokens, targets } = batch;
        return { batch, count, answers: run.run({ tokens, targets, ...parameters.data }) };
      });
      const answers = await Promise.all(running.map((each) => each.answers));
      for (const [thread, { batch, count }] of running.entries()) {
        const at = answers[thread]!; // there if `count` is not 0
        for (let row = 0; row < count; row++) {
          const [from, to] = [batch.revealStarts[row], batch.revealStarts[row + 1]];
          const starts = Array.from(batch.revealPositions.subarray(from, to));
          const ends = batch.revealEnds.subarray(from, to);
          const [all, among] = [at.overVocabulary as Float32Array, at.overValues as Float32Array];
          hits.push(hitsOfExample(batch, at.hits as Float32Array, row));
          surprises.vocabulary.push(
            starts.map((start, i) => all.subarray(start, ends[i]).reduce((sum, nats) => sum + nats, 0)),
          );
          surprises.values.push(starts.map((start) => among[start]));
          const bad = notFinite([...surprises.vocabulary.at(-1)!, ...surprises.values.at(-1)!]); // just added
          if (bad !== undefined) notFiniteLogits("evaluate", bad);
        }
      }
    }
  } finally {
    for (const { run } of threads) await run.release();
    for (const each of opened) await each.close();
  }
  return { ...summarize(hits), surprises };
}

/** Refuses logits that are not finite: they are no answer, right or wrong. */
export function notFiniteLogits(at: string, value: number): never {
  const hint = "Training diverged: use an earlier checkpoint or a lower train.learningRate";
  return fail(at, "finite logits", String(value), hint, "corrupt");
}

/** The distinct first tokens of the values of a task. */
function firstTokens({ prepared, tokenizer }: Test): number[] {
  return [...new Set(idsOfValues(prepared, tokenizer).map(([first]) => first))];
}

function compileAnswers(
  model: Model,
  tree: ModelShapes,
  { rows, length }: Batch,
  values: readonly number[],
  runtime: Runtime,
): Promise<Compiled<"hits" | "overVocabulary" | "overValues">> {
  const graph = new Graph();
  const [tokens, targets] = ["tokens", "targets"].map((name) => graph.input(name, [rows, length], "int32"));
  const logits = applyModel(model, graph.parameters(tree), tokens);
  const hot = oneHot(targets, logits.shape.at(-1)!); // [B, T, V]
  const ofTarget = (x: Tensor) => sum(multiply(hot, x), { axes: [-1] }); // [B, T]
  const answers = {
    hits: correct(logits, targets),
    overVocabulary: negate(ofTarget(logSoftmax(logits))),
    overValues: subtract(logSum(columns(logits, values)), ofTarget(logits)),
  };
  return compile(graph, answers, runtime);
}

/** x [..., V] -> [..., n], the columns with these indices. */
function columns(x: Tensor, indices: readonly number[]): Tensor {
  const list = x.graph.constant(Int32Array.from(indices), [indices.length]);
  return node("Gather", [x, list], {
    shape: [...x.shape.slice(0, -1), indices.length],
    attributes: { axis: x.shape.length - 1 },
  });
}

/** ln Σ_i exp(x_i) over the last axis. */
function logSum(x: Tensor): Tensor {
  const most = largest(x);
  const rest = log(sum(exp(subtract(x, most)), { axes: [-1] }));
  return add(reshape(most, rest.shape), rest);
}

/** hits: for each program and reveal, 1, 0, or an expected accuracy between. */
export function summarize(hits: readonly (readonly number[])[]): Evaluation {
  const positions = hits.reduce((most, program) => Math.max(most, program.length), 0);
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

/**
 * Surprise of the exact filter at each reveal of the programs of a test, the least possible on average; undefined for a task
 * without hidden chance.
 */
export const exactSurprises = (test: Test): number[][] | undefined => atOnce(findingSurprises(test));

/** The same, yielding to other work. */
export const surprisesInTurns = (test: Test): Promise<number[][] | undefined> =>
  inTurns(findingSurprises(test), test.pause);

function* findingSurprises(test: Test): Generator<void, number[][] | undefined> {
  if (test.prepared.posterior === undefined) return undefined;
  const surprises: number[][] = [];
  for (const place of (yield* findingFresh(test)).keys()) {
    yield;
    const { reveals } = exampleFrom(test.prepared, test.stream(place));
    surprises.push(
      reveals.map(({ posterior, value }) => {
        const share = posterior![value]; // a task with a posterior gives it to every reveal
        if (!(share > 0)) fail("posterior", `a probability above 0 for ${value}, which was revealed`, share);
        return -Math.log(share);
      }),
    );
  }
  return surprises;
}

/** Mean over all reveals of all programs; 0 if there are none. */
export function meanNats(surprises: readonly (readonly number[])[]): number {
  const all = surprises.flat();
  return all.reduce((total, each) => total + each, 0) / Math.max(1, all.length);
}

/** The reference solvers of a task on the programs of a test. */
export const evaluateReferences = (test: Test): Record<string, Evaluation> => atOnce(solving(test));

/** The same, yielding to other work. */
export const referencesInTurns = (test: Test): Promise<Record<string, Evaluation>> =>
  inTurns(solving(test), test.pause);

function* solving(test: Test): Generator<void, Record<string, Evaluation>> {
  const solvers = Object.entries(test.prepared.references ?? {});
  const expected = solvers.map((): number[][] => []);
  for (const place of (yield* findingFresh(test)).keys()) {
    const example = exampleFrom(test.prepared, test.stream(place));
    for (const [i, [name, solver]] of solvers.entries()) {
      yield;
      const shares = solver(example);
      const bad = shares.find((share) => !(share >= 0 && share <= 1));
      if (bad !== undefined) fail(`references.${name}`, "expected accuracies from 0 to 1", String(bad));
      expected[i].push(shares);
    }
  }
  return Object.fromEntries(solvers.map(([name], i) => [name, summarize(expected[i])]));
}

/** For each reveal of an example, 1 if every token of its value is hit, else 0. */
export function hitsOfExample(batch: Batch, hits: ArrayLike<number | bigint>, example: number): number[] {
  const right: number[] = [];
  for (let i = batch.revealStarts[example]; i < batch.revealStarts[example + 1]; i++) {
    let all = 1;
    for (let at = batch.revealPositions[i]; at < batch.revealEnds[i]; at++) all *= Number(hits[at]);
    right.push(all);
  }
  return right;
}
