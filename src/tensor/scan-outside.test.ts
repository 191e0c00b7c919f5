import { describe, test } from "vitest";
import { check, type Input } from "./check.test-helper.ts";
import { directions, scanCase } from "./scan.test-helper.ts";

const shapes = (...given: number[][]): Input[] => given.map((shape) => ({ shape }));
const words = (...shape: number[]): Input => ({ shape, integer: true, draw: (rng) => rng.below(3) });

/** Steps that read tensors from outside, words, and scans in steps. */
describe.each(directions)("%j", (options) => {
  test.each([
    scanCase(
      "one tensor as input, as start and from outside",
      shapes([3, 3], [3, 3]),
      ({ scan, tanh, add, matmul }, x, S) =>
        scan(
          [x],
          [S],
          ([state], [now]) => ({ states: [tanh(add(matmul(state, S), add(now, x)))], outputs: [] }),
          options,
        ).states,
    ),
    scanCase(
      "a weight that is the right factor of two products",
      shapes([4, 2, 3], [2, 3], [3, 3]),
      ({ scan, tanh, add, matmul }, x, h, W) =>
        scan(
          [x],
          [h],
          ([a], [b]) => {
            const next = tanh(add(matmul(a, W), matmul(tanh(b), W)));
            return { states: [next], outputs: [next] };
          },
          options,
        ).outputs,
    ),
    scanCase(
      "a weight that is a right factor and something else besides",
      shapes([4, 3, 3], [3, 3], [3, 3]),
      ({ scan, tanh, add, multiply, matmul }, x, h, W) =>
        scan(
          [x],
          [h],
          ([a], [b]) => {
            const next = tanh(add(matmul(a, W), multiply(matmul(W, b, { transposeX: true }), W)));
            return { states: [next], outputs: [next] };
          },
          options,
        ).outputs,
    ),
    scanCase(
      "a weight that is multiplied by itself",
      shapes([4, 3, 3], [3, 3], [3, 3]),
      ({ scan, tanh, add, multiply, matmul }, x, h, W) =>
        scan(
          [x],
          [h],
          ([a], [b]) => ({ states: [tanh(add(multiply(a, matmul(W, W)), b))], outputs: [] }),
          options,
        ).states,
    ),
    scanCase(
      "a weight that is the right factor of a batch of products, of a tensor from outside among them",
      shapes([4, 2, 1, 3], [2, 1, 3], [3, 3], [2, 1, 3]),
      ({ scan, tanh, add, matmul }, x, h, W, outer) =>
        scan(
          [x],
          [h],
          ([a], [b]) => ({ states: [tanh(add(matmul(add(a, b), W), matmul(outer, W)))], outputs: [] }),
          options,
        ).states,
    ),
    scanCase(
      "words as input, read from a table outside and as one-hot vectors",
      [words(6, 2), ...shapes([2, 3], [3, 3], [3])],
      ({ scan, tanh, add, multiply, embedding, oneHot }, given, h, table, w) =>
        scan(
          [given],
          [h],
          ([a], [word]) => {
            const next = tanh(add(multiply(a, embedding(table, word)), multiply(oneHot(word, 3), w)));
            return { states: [next], outputs: [next] };
          },
          options,
        ).outputs,
    ),
    scanCase(
      "a word as state",
      [words(5, 2), words(2), ...shapes([2, 3], [3, 3])],
      ({ scan, tanh, add, multiply, embedding }, given, first, h, table) =>
        scan(
          [given],
          [first, h],
          ([before, a], [word]) => {
            const next = tanh(multiply(embedding(table, before), add(a, embedding(table, word))));
            return { states: [word, next], outputs: [next] };
          },
          options,
        ).outputs,
    ),
    scanCase(
      "a scan in the step of a scan",
      shapes([3, 4, 2], [2], [2, 2], [2]),
      ({ scan, tanh, add, multiply, matmul, reshape }, x, h, W, bias) => {
        const { states, outputs } = scan(
          [x],
          [h],
          ([outer], [rows]) => {
            const inner = scan(
              [rows],
              [outer],
              ([a], [row]) => {
                const mixed = reshape(matmul(reshape(a, [1, 2]), W), [2]);
                const next = tanh(add(add(mixed, multiply(row, outer)), bias));
                return { states: [next], outputs: [next] };
              },
              options,
            );
            return { states: [multiply(inner.states[0], outer)], outputs: [inner.outputs[0], tanh(outer)] };
          },
          options,
        );
        return [...states, ...outputs];
      },
    ),
    scanCase(
      "a scan in a step that reads only tensors from outside",
      shapes([3, 2], [4, 2], [2]),
      ({ scan, tanh, add, multiply }, x, rows, h) =>
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
    ),
  ])("$name equals its twin, gradients too", check);
});
