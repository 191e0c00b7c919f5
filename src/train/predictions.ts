/**
 * @file The answer of a model at each reveal of the programs of a test: the argmax over the whole vocabulary, and its margin, the
 * difference of the two largest logits.
 *
 *     >>> print('c', c)
 *     c _                    answer "2", margin 3.1: the next best token is 3.1 nats less
 *
 * The prompts are texts that end before the value, so that other models can be asked the same. Each token of a longer value is asked
 * after the true ones before it, up to the first wrong one, where a greedy decoder would diverge.
 */

import { notFinite } from "../core/json.ts";
import { applyModel, type Model, type ModelShapes } from "../models/index.ts";
import type { RevealRecord } from "../schemas/test-result.ts";
import { batchWriter, emptyBatch, maximumLength } from "../tasks/batch.ts";
import { exampleFrom } from "../tasks/example.ts";
import type { Tokenizer } from "../tasks/tokenizer.ts";
import { compile, Graph, type Runtime } from "../tensor/index.ts";
import { freshInTurns, notFiniteLogits, type Test } from "./evaluate.ts";

/** Programs per batch. */
const ROWS = 8;

export type Answer = Omit<RevealRecord, "version" | "id" | "change">;

/** Answers for each reveal of each program of the test. */
export async function* predictAnswers(
  model: Model,
  parameters: { readonly tree: ModelShapes; readonly data: Readonly<Record<string, Float32Array>> },
  test: Test,
  runtime: Runtime,
): AsyncGenerator<Answer[]> {
  const { prepared, tokenizer, stream } = test;
  const length = maximumLength(prepared, tokenizer);
  const batch = emptyBatch(ROWS, length);
  const write = batchWriter(prepared, tokenizer);
  const graph = new Graph();
  const tokens = graph.input("tokens", [ROWS, length], "int32");
  const run = await compile(
    graph,
    { logits: applyModel(model, graph.parameters(parameters.tree), tokens) },
    runtime,
  );
  try {
    const places = await freshInTurns(test);
    for (let first = 0; first < places.length; first += ROWS) {
      const chosen = places.slice(first, first + ROWS);
      const examples = chosen.map((place) => exampleFrom(prepared, stream(place)));
      // The last batch is padded with repetitions, which are not read.
      write(batch, (row) => stream(chosen[Math.min(row, chosen.length - 1)]), 0);
      const { targets, revealStarts, revealPositions, revealEnds } = batch;
      const { logits } = await run.run({ ...parameters.data, tokens: batch.tokens });
      const logitsAt = (position: number) =>
        (logits as Float32Array).subarray(position * model.vocabulary, (position + 1) * model.vocabulary);
      yield* examples.map(({ text, reveals }, row) =>
        reveals.map(({ start, value, commands }, i) => {
          const wanted = { prompt: text.slice(0, start), expected: value, commands };
          const reveal = revealStarts[row] + i;
          const [from, to] = [revealPositions[reveal], revealEnds[reveal]];
          return { ...wanted, ...answerAt(targets.subarray(from, to), tokenizer, (k) => logitsAt(from + k)) };
        }),
      );
    }
  } finally {
    await run.release();
  }
}

/** The answer to a value of the tokens `ids`; `logitsAt(k)` are those of token k. */
function answerAt(ids: Int32Array, { kind, tokens }: Tokenizer, logitsAt: (k: number) => Float32Array) {
  let answer = "";
  let margin = Number.POSITIVE_INFINITY;
  for (const [i, id] of ids.entries()) {
    const logits = logitsAt(i);
    const bad = notFinite(logits);
    if (bad !== undefined) notFiniteLogits("answersOf", bad);
    const { best, lead } = twoBest(logits);
    answer += tokens[best];
    margin = Math.min(margin, lead);
    if (best !== id) break;
  }
  // A language model's tokens may contain the white space around an answer.
  return { tokens: ids.length, answer: kind === "file" ? answer.trim() : answer, margin };
}

function twoBest(logits: Float32Array): { readonly best: number; readonly lead: number } {
  let best = 0;
  for (let i = 1; i < logits.length; i++) if (logits[i] > logits[best]) best = i;
  let second = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < logits.length; i++) if (i !== best) second = Math.max(second, logits[i]);
  return { best, lead: logits[best] - second };
}
