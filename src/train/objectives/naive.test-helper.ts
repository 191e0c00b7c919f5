/**
 * @file The supervised loss in plain float64 numbers: the model's naive twin up to the layer that is read, and each head
 * on top of it. What the graph's loss and gradient are tested against, since slopes in float32 drown in rounding.
 */

import type { Model } from "../../models/index.ts";
import type { Row, Rows, Weights } from "../../models/naive.ts";
import { naive } from "../../models/training.test-helper.ts";
import { StateSupervision } from "../../schemas/run-config.ts";
import type { Batch } from "../../tasks/index.ts";
import type { ObjectiveCase } from "./setup.test-helper.ts";
import { ROWS, SEED } from "./setup.test-helper.ts";
import { questionsIn } from "./state/targets.test-helper.ts";
import type { StateQuestions } from "./state/targets.ts";

/** -log softmax(scores)[target]. */
export const surprise = (scores: Row, target: number) =>
  Math.log(scores.reduce((total, score) => total + Math.exp(score), 0)) - scores[target];

/** Of [weight, value]. */
export function weightedMean(pairs: readonly (readonly [number, number])[]): number {
  const total = pairs.reduce((all, [weight]) => all + weight, 0);
  return pairs.reduce((all, [weight, value]) => all + weight * value, 0) / total;
}

/** What an objective says of a case, in plain numbers. */
export type NaiveLoss = (given: ObjectiveCase, weights: Weights) => number;

const revealsNaive: NaiveLoss = ({ model, batch }, weights) =>
  meanSurprise(model, weights, batch, (at) => batch.weights[at]);
const nextTokenNaive: NaiveLoss = ({ model, batch }, weights) =>
  meanSurprise(model, weights, batch, (at) =>
    Number(at % batch.length < batch.lengths[Math.floor(at / batch.length)]),
  );
/** Of what another objective stands behind. */
export const naiveFirst = { "revealed-values": revealsNaive, "next-token": nextTokenNaive };

/** The mean surprise at the targets of a batch, position `at` counting by its weight. */
function meanSurprise(
  model: Model,
  weights: Weights,
  { rows, length, tokens, targets }: Batch,
  weightAt: (at: number) => number,
): number {
  const pairs = Array.from({ length: rows }, (_, row) => {
    const start = row * length;
    const logits = naive(model, weights, [...tokens.subarray(start, start + length)]);
    return logits.map((scores, t) => {
      const at = start + t;
      return [weightAt(at), surprise(scores, targets[at])] as const;
    });
  });
  return weightedMean(pairs.flat());
}

type Head = (weights: Weights, asked: readonly Question[], read: (text: readonly number[]) => Rows) => number;

/** A head's loss, unweighted, on what the states are by the same draws. */
export function stateLoss(head: Head) {
  return ({ config, model, batch, prepared, tokenizer }: ObjectiveCase, weights: Weights): number => {
    const form = StateSupervision.parse(config.stateSupervision);
    const { questions } = questionsIn(prepared, tokenizer, form, { rows: ROWS, seed: SEED });
    const read = readerOf(model, weights, form.layer ?? model.layers - 1);
    const hidden = Array.from({ length: batch.rows }, (_, row) =>
      read([...batch.tokens.subarray(row * batch.length, (row + 1) * batch.length)]),
    ).flat(); // [B T][d]
    return head(weights, questionsOf(questions, hidden), read);
  };
}

/** tokens [T] -> the residual stream behind a layer, of root mean square 1 [T][d]: a model of fewer layers whose head changes nothing. */
export function readerOf(model: Model, weights: Weights, layer: number) {
  const ones = new Array<number>(model.width).fill(1);
  const identity = ones.map((_, i) => ones.map((_, j) => Number(i === j)));
  const shorter = { ...weights, norm: [ones], head: identity };
  return (tokens: readonly number[]) => naive({ ...model, layers: layer + 1 }, shorter, tokens);
}

export interface Question {
  readonly row: number;
  readonly hidden: Row;
  readonly text: readonly number[];
  /** Of each variable: its value, and whether it is asked for. */
  readonly values: readonly (readonly [value: number, weight: number])[];
}

function questionsOf({ sizes, ...states }: StateQuestions, hidden: Rows): Question[] {
  const { questions, variables, text } = sizes;
  return Array.from(states.weights.keys())
    .filter((q) => states.weights[q] === 1)
    .map((q) => ({
      row: Math.floor(q / questions),
      hidden: hidden[states.positions[q]],
      text: [...states.text.subarray(q * text, q * text + states.textLengths[q])],
      values: Array.from({ length: variables }, (_, i) => {
        const at = q * variables + i;
        return [states.values[at], states.valueWeights[at]] as const;
      }),
    }));
}
