/**
 * @file The contrastive state head: pulls the hidden vector after a line toward the state of the program there, away from its other
 * states. The same model reads a state, as a separate text.
 *
 *     z_ij = u_i . v_j / 0.07        u_i: of the program up to line i; v_j: of state j; both of length 1
 *     loss = (mean_i -log softmax_j(z_ij)[i] + mean_j -log softmax_i(z_ij)[j]) / 2
 *
 * i and j run over the lines of one program, so that the texts differ in the state alone; of equal states only that of the line
 * counts, and the others are left out of the sum. It has no parameters.
 *
 * Source: Grounding Code Understanding in Step-by-Step Execution (2024), after Radford et al. 2021, arXiv:2103.00020, whose
 * initial temperature is kept.
 */

import { weightOf } from "../../tensor/cross-entropy.ts";
import {
  add,
  correct,
  crossEntropy,
  divide,
  matmul,
  multiply,
  reshape,
  scale,
  sum,
  transpose,
  unitNorm,
} from "../../tensor/index.ts";
import { type StateHead, stateObjective } from "./state/supervision.ts";
import type { StateQuestions } from "./state/targets.ts";

const TEMPERATURE = 0.07;
/** The weight of the paper. */
const USUAL_WEIGHT = 0.1;
/** Added to excluded entries of a softmax. */
const NEVER = -1e9;

export const contrastiveState = stateObjective("contrastive", contrastiveHead);

export function contrastiveHead() {
  const head: StateHead = { usualWeight: USUAL_WEIGHT, init: () => ({}), loss, feeds };
  return head;

  function loss(
    _: unknown,
    { graph, rows, sizes, hidden, read }: Parameters<StateHead["loss"]>[1],
  ): ReturnType<StateHead["loss"]> {
    const { questions, text } = sizes;
    const tokens = graph.input("state.text", [rows * questions, text], "int32");
    const last = graph.input("state.last", [rows * questions], "int32");
    const weights = graph.input("state.weights", [rows, questions]);
    const others = graph.input("state.others", [rows, questions, questions]); // 0 or NEVER, symmetric
    const side = (x: typeof hidden) => reshape(unitNorm(x), [rows, questions, x.shape[1]]);
    const u = side(hidden);
    const v = side(read(tokens, last));
    const similarity = scale(matmul(u, v, { transposeY: true }), 1 / TEMPERATURE); // [B, Q, Q]
    const own = graph.constant(
      Int32Array.from({ length: rows * questions }, (_, i) => i % questions),
      [rows, questions],
    );
    const toStates = add(similarity, others);
    const toPrograms = add(transpose(similarity, [0, 2, 1]), others);
    const both = add(crossEntropy(toStates, own, weights), crossEntropy(toPrograms, own, weights));
    const right = sum(multiply(correct(toStates, own), weights));
    return { loss: scale(both, 1 / 2), accuracy: divide(right, weightOf(weights)) };
  }

  function feeds({ sizes: { questions, text: width }, text, textLengths, weights }: StateQuestions) {
    const others = new Float32Array(weights.length * questions);
    const names = Array.from(textLengths, (used, i) => text.subarray(i * width, i * width + used).join());
    for (let i = 0; i < weights.length; i++) {
      const row = i - (i % questions);
      for (let k = 0; k < questions; k++) {
        const j = row + k;
        const negative = weights[j] === 1 && weights[i] === 1 && names[i] !== names[j];
        others[i * questions + k] = i === j || negative ? 0 : NEVER;
      }
    }
    const last = Int32Array.from(textLengths, (used, i) => i * width + Math.max(0, used - 1));
    return { "state.text": text, "state.last": last, "state.weights": weights, "state.others": others };
  }
}
