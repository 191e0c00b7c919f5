import { describe, test } from "vitest";
import { activationsNaive, eachNaive } from "./activations.naive.ts";
import { tanh } from "./activations.ts";
import { add, multiply, reshape } from "./arithmetic.ts";
import { type Case, check } from "./check.test-helper.ts";
import { embeddingNaive, oneHotNaive } from "./embedding.naive.ts";
import { embedding, oneHot } from "./embedding.ts";
import type { Tensor } from "./graph.ts";
import { matmulNaive } from "./matmul.naive.ts";
import { matmul } from "./matmul.ts";
import type { Numbers } from "./naive.ts";
import { scanNaive } from "./scan.naive.ts";
import { directions, plus, times } from "./scan.test-helper.ts";
import { scan } from "./scan.ts";

const { tanh: t } = activationsNaive;

/** Steps that read tensors from outside, words, and scans in steps. */
describe.each(directions)("%j", (options) => {
  const cases: Case[] = [
    {
      name: "one tensor as input, as start and from outside",
      inputs: [{ shape: [3, 3] }, { shape: [3, 3] }],
      op: (x, S) =>
        scan(
          [x],
          [S],
          ([state], [now]) => ({ states: [tanh(add(matmul(state, S), add(now, x)))], outputs: [] }),
          options,
        ).states,
      naive: (x, S) =>
        scanNaive(
          [x],
          [S],
          ([state], [now]) => ({
            states: [eachNaive(plus(matmulNaive(state, S), plus(now, x)), t)],
            outputs: [],
          }),
          options,
        ).states,
    },
    {
      name: "a weight that is the right factor of two products",
      inputs: [{ shape: [4, 2, 3] }, { shape: [2, 3] }, { shape: [3, 3] }],
      op: (x, h, W) =>
        scan(
          [x],
          [h],
          ([a], [b]) => {
            const next = tanh(add(matmul(a, W), matmul(tanh(b), W)));
            return { states: [next], outputs: [next] };
          },
          options,
        ).outputs,
      naive: (x, h, W) =>
        scanNaive(
          [x],
          [h],
          ([a], [b]) => {
            const next = eachNaive(plus(matmulNaive(a, W), matmulNaive(eachNaive(b, t), W)), t);
            return { states: [next], outputs: [next] };
          },
          options,
        ).outputs,
    },
    {
      name: "a weight that is a right factor and something else besides",
      inputs: [{ shape: [4, 3, 3] }, { shape: [3, 3] }, { shape: [3, 3] }],
      op: (x, h, W) =>
        scan(
          [x],
          [h],
          ([a], [b]) => {
            const next = tanh(add(matmul(a, W), multiply(matmul(W, b, { transposeX: true }), W)));
            return { states: [next], outputs: [next] };
          },
          options,
        ).outputs,
      naive: (x, h, W) =>
        scanNaive(
          [x],
          [h],
          ([a], [b]) => {
            const next = eachNaive(
              plus(matmulNaive(a, W), times(matmulNaive(W, b, { transposeX: true }), W)),
              t,
            );
            return { states: [next], outputs: [next] };
          },
          options,
        ).outputs,
    },
    {
      name: "a weight that is multiplied by itself",
      inputs: [{ shape: [4, 3, 3] }, { shape: [3, 3] }, { shape: [3, 3] }],
      op: (x, h, W) =>
        scan(
          [x],
          [h],
          ([a], [b]) => ({ states: [tanh(add(multiply(a, matmul(W, W)), b))], outputs: [] }),
          options,
        ).states,
      naive: (x, h, W) =>
        scanNaive(
          [x],
          [h],
          ([a], [b]) => ({ states: [eachNaive(plus(times(a, matmulNaive(W, W)), b), t)], outputs: [] }),
          options,
        ).states,
    },
    {
      name: "a weight that is the right factor of a batch of products, of a tensor from outside among them",
      inputs: [{ shape: [4, 2, 1, 3] }, { shape: [2, 1, 3] }, { shape: [3, 3] }, { shape: [2, 1, 3] }],
      op: (x, h, W, outer) =>
        scan(
          [x],
          [h],
          ([a], [b]) => {
            const next = tanh(add(matmul(add(a, b), W), matmul(outer, W)));
            return { states: [next], outputs: [] };
          },
          options,
        ).states,
      naive: (x, h, W, outer) =>
        scanNaive(
          [x],
          [h],
          ([a], [b]) => {
            const next = eachNaive(plus(matmulNaive(plus(a, b), W), matmulNaive(outer, W)), t);
            return { states: [next], outputs: [] };
          },
          options,
        ).states,
    },
    {
      name: "words as input, read from a table outside and as one-hot vectors",
      inputs: [
        { shape: [6, 2], integer: true, draw: (rng) => rng.below(3) },
        { shape: [2, 3] },
        { shape: [3, 3] },
        { shape: [3] },
      ],
      op: (words, h, table, w) =>
        scan(
          [words],
          [h],
          ([a], [word]) => {
            const next = tanh(add(multiply(a, embedding(table, word)), multiply(oneHot(word, 3), w)));
            return { states: [next], outputs: [next] };
          },
          options,
        ).outputs,
      naive: (words, h, table, w) =>
        scanNaive(
          [words],
          [h],
          ([a], [word]) => {
            const next = eachNaive(
              plus(times(a, embeddingNaive(table, word)), times(oneHotNaive(word, 3), w)),
              t,
            );
            return { states: [next], outputs: [next] };
          },
          options,
        ).outputs,
    },
    {
      name: "a word as state",
      inputs: [
        { shape: [5, 2], integer: true, draw: (rng) => rng.below(3) },
        { shape: [2], integer: true, draw: (rng) => rng.below(3) },
        { shape: [2, 3] },
        { shape: [3, 3] },
      ],
      op: (words, first, h, table) =>
        scan(
          [words],
          [first, h],
          ([before, a], [word]) => {
            const next = tanh(multiply(embedding(table, before), add(a, embedding(table, word))));
            return { states: [word, next], outputs: [next] };
          },
          options,
        ).outputs,
      naive: (words, first, h, table) =>
        scanNaive(
          [words],
          [first, h],
          ([before, a], [word]) => {
            const next = eachNaive(
              times(embeddingNaive(table, before), plus(a, embeddingNaive(table, word))),
              t,
            );
            return { states: [word, next], outputs: [next] };
          },
          options,
        ).outputs,
    },
    {
      name: "a scan in the step of a scan",
      inputs: [{ shape: [3, 4, 2] }, { shape: [2] }, { shape: [2, 2] }, { shape: [2] }],
      op: (x, h, W, bias) => {
        const inner = (start: Tensor, rows: Tensor, outer: Tensor) =>
          scan(
            [rows],
            [start],
            ([a], [row]) => {
              const mixed = reshape(matmul(reshape(a, [1, 2]), W), [2]);
              const next = tanh(add(add(mixed, multiply(row, outer)), bias));
              return { states: [next], outputs: [next] };
            },
            options,
          );
        const { states, outputs } = scan(
          [x],
          [h],
          ([a], [rows]) => {
            const { states, outputs } = inner(a, rows, a);
            return { states: [multiply(states[0], a)], outputs: [outputs[0], tanh(a)] };
          },
          options,
        );
        return [...states, ...outputs];
      },
      naive: (x, h, W, bias) => {
        const inner = (start: Numbers, rows: Numbers, outer: Numbers) =>
          scanNaive(
            [rows],
            [start],
            ([a], [row]) => {
              const mixed = matmulNaive({ shape: [1, 2], data: a.data }, W);
              const sum = plus(plus({ shape: [2], data: mixed.data }, times(row, outer)), bias);
              const next = eachNaive(sum, t);
              return { states: [next], outputs: [next] };
            },
            options,
          );
        const { states, outputs } = scanNaive(
          [x],
          [h],
          ([a], [rows]) => {
            const { states, outputs } = inner(a, rows, a);
            return { states: [times(states[0], a)], outputs: [outputs[0], eachNaive(a, t)] };
          },
          options,
        );
        return [...states, ...outputs];
      },
    },
    {
      name: "a scan in a step that reads only tensors from outside",
      inputs: [{ shape: [3, 2] }, { shape: [4, 2] }, { shape: [2] }],
      op: (x, rows, h) =>
        scan(
          [x],
          [h],
          ([a], [b]) => {
            const { states } = scan([rows], [h], ([c], [row]) => ({
              states: [tanh(add(multiply(c, a), row))],
              outputs: [],
            }));
            return { states: [tanh(add(states[0], b))], outputs: [] };
          },
          options,
        ).states,
      naive: (x, rows, h) =>
        scanNaive(
          [x],
          [h],
          ([a], [b]) => {
            const { states } = scanNaive([rows], [h], ([c], [row]) => ({
              states: [eachNaive(plus(times(c, a), row), t)],
              outputs: [],
            }));
            return { states: [eachNaive(plus(states[0], b), t)], outputs: [] };
          },
          options,
        ).states,
    },
  ];
  test.each(cases)("$name equals its twin, gradients too", check);
});
