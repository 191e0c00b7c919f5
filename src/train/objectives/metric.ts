/**
 * @file The metric state head: distances of hidden vectors approximate distances of program states.
 *
 *     loss = mean over pairs i != j of (|u_i - u_j| - d_ij)^2        u = W h
 *
 *     d_ij    share of the variables with different values; one without a value differs from one with a value
 *     |x|     sqrt(x . x + 1e-6), which has a slope at 0
 *
 * Pairs range over all lines of all programs of a batch, so that histories with equal states are pulled together. A prediction is
 * right if the nearest other vector has a state to which no other state is nearer. Source: bisimulation as an
 * auxiliary loss; the paper's distance is a recursion over reward and next state, ours is that of the states, which are known here.
 */

import { fail } from "../../core/error.ts";
import { normal } from "../../models/layers.ts";
import { shift } from "../../tensor/arithmetic.ts";
import {
  add,
  linear,
  matmul,
  maximum,
  multiply,
  negate,
  reshape,
  scale,
  sqrt,
  subtract,
  sum,
} from "../../tensor/index.ts";
import { atLeast, largest } from "../../tensor/maximum.ts";
import { type HeadSetting, type StateHead, stateObjective } from "./state/supervision.ts";
import type { StateQuestions } from "./state/targets.ts";

const WIDTH = 64;
/** Added to excluded entries of a maximum. */
const NEVER = -1e9;
const SLOPE_AT_0 = 1e-6;
/** Most questions of a batch: pairs need matrices with so many rows and columns. */
const MOST_QUESTIONS = 4096;

export const metricState = stateObjective("metric", metricHead);

export function metricHead({ model, prepared }: HeadSetting) {
  if (prepared.writtenStates !== undefined) {
    const expected = '"decoder" or "contrastive" for a task whose variables change';
    fail("stateSupervision.head", expected, "metric", "It needs fixed variables");
  }
  const head: StateHead<ReturnType<typeof init>> = { init, loss, feeds };
  return head;

  function init(rng: Parameters<StateHead["init"]>[0]) {
    return { weight: normal(rng.fork("weight"), [model.width, WIDTH], model.width ** -0.5) };
  }

  function loss(
    p: Parameters<typeof head.loss>[0],
    { graph, rows, sizes, hidden }: Parameters<typeof head.loss>[1],
  ) {
    const n = rows * sizes.questions;
    if (n > MOST_QUESTIONS) {
      const expected = `at most ${MOST_QUESTIONS} states asked for in a batch, all pairs of which are compared`;
      fail("stateSupervision.head", expected, n, "Lower train.batch, or take shorter programs");
    }
    const wanted = graph.input("state.distances", [n, n]);
    const pairs = graph.input("state.pairs", [n, n]); // sum 1, or 0 where nothing is asked
    const others = graph.input("state.others", [n, n]); // 0, or NEVER where they are no pair
    const nearest = graph.input("state.nearest", [n, n]); // 0, or NEVER where another pair of i has nearer states
    const asked = graph.input("state.paired", [n, 1]); // sum 1, or 0
    const u = linear(hidden, p.weight);
    const squares = sum(multiply(u, u), { axes: [-1], keep: true }); // [n, 1]
    const apart = subtract(
      add(squares, reshape(squares, [1, n])),
      scale(matmul(u, u, { transposeY: true }), 2),
    );
    const distance = sqrt(shift(maximum(apart, graph.constant(Float32Array.of(0), [1])), SLOPE_AT_0));
    const miss = subtract(distance, wanted);
    const near = add(negate(distance), others);
    const right = atLeast(largest(add(near, nearest)), largest(near));
    return { loss: sum(multiply(multiply(miss, miss), pairs)), accuracy: sum(multiply(right, asked)) };
  }

  function feeds({ sizes: { variables }, values, valueWeights, weights }: StateQuestions) {
    const n = weights.length;
    const distances = new Float32Array(n * n);
    const pairs = new Float32Array(n * n);
    const others = new Float32Array(n * n).fill(NEVER);
    const nearest = new Float32Array(n * n).fill(NEVER);
    const paired = new Float32Array(n);
    const asked = [...weights.keys()].filter((i) => weights[i] === 1);
    const pairCount = asked.length * (asked.length - 1);
    if (pairCount > 0) {
      for (const i of asked) {
        paired[i] = 1 / asked.length;
        let least = Number.POSITIVE_INFINITY;
        for (const j of asked) {
          if (i === j) continue;
          const distance = Math.fround(stateDistance(i, j)); // rounded as stored, to compare equal
          distances[i * n + j] = distance;
          pairs[i * n + j] = 1 / pairCount;
          others[i * n + j] = 0;
          least = Math.min(least, distance);
        }
        for (const j of asked) if (i !== j && distances[i * n + j] === least) nearest[i * n + j] = 0;
      }
    }
    return {
      "state.distances": distances,
      "state.pairs": pairs,
      "state.others": others,
      "state.nearest": nearest,
      "state.paired": paired,
    };

    function stateDistance(i: number, j: number): number {
      let different = 0;
      for (let v = 0; v < variables; v++) {
        const [a, b] = [i * variables + v, j * variables + v];
        if (valueWeights[a] !== valueWeights[b] || (valueWeights[a] === 1 && values[a] !== values[b])) {
          different++;
        }
      }
      return different / variables;
    }
  }
}
