/** The recurrences in parts, each from the memory of the previous one, compared with the naive recurrence over the whole. */

import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { between, check, eachHead, type Input, onlyNumber } from "./check.test-helper.ts";
import { deltaRuleNaive } from "./delta-rule.naive.ts";
import { anyBeta, type DrawKey, oneKey, randomKey, swapKey } from "./delta-rule.test-helper.ts";
import { deltaRuleFrom } from "./delta-rule.ts";
import { gatedDeltaRuleNaive } from "./gated-delta-rule.naive.ts";
import { gatedDeltaRuleFrom } from "./gated-delta-rule.ts";
import { Graph, type Tensor } from "./graph.ts";
import { matrixMemoryNaive } from "./matrix-memory.naive.ts";
import { matrixMemoryFrom } from "./matrix-memory.ts";
import { concat, full, slice } from "./shape.ts";

const [B, h, dk, dv] = [1, 2, 3, 2];

/** Steps of each part, and per chunk. */
const cuts: readonly (readonly [readonly number[], number])[] = [
  [[1, 1, 3], 32],
  [[16, 5], 32],
  [[7, 9], 4],
];

/** Applies `part` to each stretch of the inputs, [B, T, h, ...], and concatenates the outputs. */
function inParts<Memory>(
  lengths: readonly number[],
  inputs: readonly Tensor[],
  start: Memory,
  part: (memory: Memory, given: readonly Tensor[]) => { readonly output: Tensor; readonly memory: Memory },
): Tensor {
  let memory = start;
  let at = 0;
  const outputs = lengths.map((length) => {
    const given = inputs.map((each) => slice(each, 1, at, at + length));
    at += length;
    const { output, memory: after } = part(memory, given);
    memory = after;
    return output;
  });
  return concat(outputs, 1);
}

const total = (lengths: readonly number[]) => lengths.reduce((sum, length) => sum + length, 0);

function inputsOf(T: number, draw: DrawKey, beta: NonNullable<Input["draw"]>): Input[] {
  const rng = rngFrom(T);
  const keys = Array.from({ length: B * T * h }, (_, n) => draw(rng, dk, n)).flat();
  let next = 0;
  return [
    { shape: [B, T, h, dk] },
    { shape: [B, T, h, dk], draw: () => keys[next++ % keys.length] },
    { shape: [B, T, h, dv] },
    { shape: [B, T, h], draw: beta },
  ];
}

const kinds = [
  ["any beta, random keys", anyBeta, randomKey],
  ["beta 1.99, one key throughout", () => 1.99, oneKey],
  ["beta 1.99, the keys of three swaps", () => 1.99, swapKey],
] as const;

test.each(cuts.map((cut, i) => [...cut, ...kinds[i]] as const))(
  "the delta rule over %j steps in chunks of %d goes on from its memory, gradients too: %s",
  (lengths, chunk, _, beta, draw) =>
    check({
      name: `delta rule in parts ${lengths}`,
      inputs: inputsOf(total(lengths), draw, beta),
      op: (...given) =>
        inParts(lengths, given, full(given[0].graph, [B, h, dk, dv], 0), (before, [q, k, v, b]) => {
          const { o, S } = deltaRuleFrom(before, q, k, v, b, { chunk });
          return { output: o, memory: S };
        }),
      naive: (...given) => eachHead((q, k, v, b) => deltaRuleNaive(q, k, v, onlyNumber(b)), given),
    }),
);

test.each(cuts)(
  "the gated delta rule over %j steps in chunks of %d goes on from its memory",
  (lengths, chunk) =>
    check({
      name: `gated delta rule in parts ${lengths}`,
      inputs: [
        ...inputsOf(total(lengths), swapKey, anyBeta),
        { shape: [B, total(lengths), h], draw: (rng) => [-1e-3, -3 * rng.next(), -100][rng.below(3)] },
      ],
      op: (...given) =>
        inParts(lengths, given, full(given[0].graph, [B, h, dk, dv], 0), (before, [q, k, v, b, a]) => {
          const { o, S } = gatedDeltaRuleFrom(before, q, k, v, b, a, { chunk });
          return { output: o, memory: S };
        }),
      naive: (...given) =>
        eachHead((q, k, v, b, a) => gatedDeltaRuleNaive(q, k, v, onlyNumber(b), onlyNumber(a)), given),
    }),
);

test.each(cuts)(
  "the matrix memory over %j steps in chunks of %d goes on from its memory",
  (lengths, chunk) => {
    const T = total(lengths);
    const vectors = { shape: [B, T, h, dk], draw: between(0.2, 1.2) };
    return check({
      name: `matrix memory in parts ${lengths}`,
      inputs: [
        ...[vectors, vectors, { shape: [B, T, h, dv] }],
        { shape: [B, T, h], draw: between(-20, 20) },
        { shape: [B, T, h], draw: (rng) => [-1e-3, -3 * rng.next(), -100][rng.below(3)] },
      ],
      op: (...given) => {
        const { graph } = given[0];
        const empty = { S: full(graph, [B, h, dk, dv + 1], 0), m: full(graph, [B, h, 1, 1], 0) };
        return inParts(lengths, given, empty, (before, [q, k, v, i, f]) => {
          const { h: output, ...memory } = matrixMemoryFrom(before, q, k, v, i, f, { chunk });
          return { output, memory };
        });
      },
      naive: (...given) =>
        eachHead((q, k, v, i, f) => matrixMemoryNaive(q, k, v, onlyNumber(i), onlyNumber(f)), given),
    });
  },
);

test("what is not of the shapes of a rule is refused by its own name", () => {
  const x = new Graph().input("x", [1, 2]);
  expect(() => deltaRuleFrom(x, x, x, x, x)).toThrow("deltaRuleFrom: expected k of shape [B, T, h, dk]");
});
