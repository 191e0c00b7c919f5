/**
 * @file Repeat-first across sessions that stand end to end: after each word, which was the first of the session?
 *
 *     written    c a b a    b b    a c c        one row
 *     asked        c c c      b      a a
 *
 * Whoever sees over the border of a session answers with the first word of another one, or is at least moved by it.
 * Source: RepeatFirst of POPGym, Morad et al. 2023, arXiv:2303.01859, as S5 with resets is tried on it (arXiv:2303.03982).
 */

import { expect, test } from "vitest";
import { z } from "zod";
import { applyModel, parameterShapes } from "../models/index.ts";
import { RunConfig } from "../schemas/run-config.ts";
import { allocateBatch, emptyBatch } from "../tasks/batch.ts";
import { defineTask } from "../tasks/task.ts";
import { compile, Graph } from "../tensor/index.ts";
import { recordsOf, runtime, savedFrom, withTrainer } from "./fixture.test-helper.ts";
import type { Saved, Trainer } from "./trainer.ts";

const WORDS = ["a", "b", "c", "d"];
const LONGEST = 9;

const repeatFirst = defineTask({
  name: "repeat-first",
  summary: "words; which was the first?",
  source: "arXiv:2303.01859",
  params: z.strictObject({}),
  prepare: () => ({
    words: WORDS,
    variables: ["first"],
    values: WORDS,
    asks: "states" as const,
    maximumWords: LONGEST,
    write(rng, sink) {
      const length = 2 + rng.below(LONGEST - 1);
      let first = 0;
      for (let t = 0; t < length; t++) {
        const word = rng.below(WORDS.length);
        if (t === 0) first = word;
        sink.word(word);
        sink.state([first]);
        if (t > 0) sink.target(0, first);
      }
    },
  }),
});

const BATCH = 16;
const ROOM = 20;

const configOf = (model: object, train: object) =>
  RunConfig.parse({
    seed: 5,
    task: { name: "repeat-first" },
    model: { layers: 1, width: 16, ...model },
    train: { steps: 70, batch: BATCH, learningRate: 0.01, warmupSteps: 0, ...train },
  });

const models = [
  { name: "s5", stateSize: 16 },
  { name: "rnn" },
  { name: "gru" },
  { name: "lstm" },
  { name: "transformer" },
  { name: "deltanet" },
  { name: "gated-deltanet" },
];

test.each(models)(
  "the loss of packed rows is that of rows of their own, with the same weights, while it is learned: $name",
  async (model) => {
    const from = <T>(train: object, saved: Saved | undefined, use: (trainer: Trainer) => Promise<T>) =>
      withTrainer(configOf(model, train), use, saved, { task: repeatFirst });
    let saved: Saved | undefined;
    const losses: number[] = [];
    for (const steps of [0, 1, 30, 30]) {
      saved = await from({ packedLength: ROOM }, saved, async (trainer) => {
        if (steps > 0) await recordsOf(trainer, steps);
        return savedFrom(trainer);
      });
      const next = (train: object) => from(train, saved, (trainer) => recordsOf(trainer, 1));
      const [[packed], [apart]] = [await next({ packedLength: ROOM }), await next({})];
      expect(Math.abs(packed.loss - apart.loss)).toBeLessThan(1e-5);
      expect(packed.gradientNorm / apart.gradientNorm).toBeCloseTo(1, 4);
      expect([packed.accuracy, packed.tokens]).toEqual([apart.accuracy, apart.tokens]);
      losses.push(packed.loss);
    }
    expect(losses[3]).toBeLessThan(losses[0] - 0.1); // so that there was something to be told apart
  },
);

test.each(models)("no session is moved by what stands before it: $name", (model) =>
  withTrainer(
    configOf(model, { packedLength: ROOM }),
    async ({ model, data, parameters, steps }) => {
      for await (const _ of steps());
      const [stage] = data.stages;
      const [{ rows, length }] = stage.partsOf(1);
      const batch = emptyBatch(rows.length, length, BATCH);
      stage.fill(batch, 1, { rows });
      const logitsOf = async (tokens: Int32Array, fresh: Int32Array | undefined) => {
        const graph = new Graph();
        const input = graph.input("tokens", [rows.length, length], "int32");
        const borders = fresh && { fresh: graph.input("fresh", [rows.length, length], "int32") };
        const logits = applyModel(model, graph.parameters(parameterShapes(model)), input, borders);
        const run = await compile(graph, { logits }, runtime);
        const results = await run.run({ tokens, ...(fresh && { fresh }), ...parameters });
        await run.release();
        return results.logits;
      };
      // The first word of the first session of each row, which all its answers are.
      const other = batch.tokens.slice();
      const firstOfRows = rows.map((_, row) => row * length);
      const [a, b] = WORDS.map((word) => data.tokenizer.encode(word)[0]);
      for (const at of firstOfRows) other[at] = other[at] === a ? b : a;
      const fresh = allocateBatch(batch);
      const [before, after] = [await logitsOf(batch.tokens, fresh), await logitsOf(other, fresh)];
      const [seen, moved] = [await logitsOf(batch.tokens, undefined), await logitsOf(other, undefined)];
      const width = model.vocabulary;
      let behind = 0;
      for (const [i, start] of batch.starts.entries()) {
        const of = (logits: typeof before) =>
          [...logits.subarray(start * width, (start + batch.lengths[i]) * width)].map(Number);
        if (firstOfRows.includes(start)) {
          expect(of(after)).not.toEqual(of(before));
        } else {
          behind++;
          expect(of(after), `session ${i}`).toEqual(of(before));
          expect(of(moved), `session ${i}, without borders`).not.toEqual(of(seen));
        }
      }
      expect(behind).toBeGreaterThan(5);
    },
    undefined,
    { task: repeatFirst },
  ),
);
