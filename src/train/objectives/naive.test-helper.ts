/**
 * @file The supervised loss in plain float64 numbers: the model's naive twin up to the layer that is read, and each head
 * on top of it. What the graph's loss and gradient are tested against, since slopes in float32 drown in rounding.
 */

import { configureModel, type Model, modelNamed } from "../../models/index.ts";
import { dot, linear, type Row, type Rows, sum, unit, type Weights } from "../../models/naive.ts";
import { naive } from "../../models/training.test-helper.ts";
import { StateSupervision } from "../../records/run.ts";
import type { Batch } from "../../tasks/index.ts";
import type { ObjectiveCase } from "./conformance.test-helper.ts";
import { ROWS, SEED } from "./conformance.test-helper.ts";
import { DECODER } from "./decoder.ts";
import type { ObjectiveName } from "./index.ts";
import { questionsIn } from "./state/questions.test-helper.ts";
import type { StateQuestions } from "./state/questions.ts";
import { STATE_HEAD } from "./state/supervision.ts";

/** -log softmax(scores)[target]. */
const surprise = (scores: Row, target: number) =>
  Math.log(scores.reduce((total, score) => total + Math.exp(score), 0)) - scores[target];

/** Of [weight, value]. */
function weightedMean(pairs: readonly (readonly [number, number])[]): number {
  const total = pairs.reduce((all, [weight]) => all + weight, 0);
  return pairs.reduce((all, [weight, value]) => all + weight * value, 0) / total;
}

/** What each objective says of a case, in plain numbers. */
export const naiveLoss: Record<ObjectiveName, (given: ObjectiveCase, weights: Weights) => number> = {
  reveals: ({ model, batch }, weights) => meanSurprise(model, weights, batch, (at) => batch.weights[at]),
  "next-token": ({ model, batch }, weights) =>
    meanSurprise(model, weights, batch, (at) =>
      Number(at % batch.length < batch.lengths[Math.floor(at / batch.length)]),
    ),
  linear: stateLoss((weights, asked) => linearNaive(weights, asked)),
  decoder: stateLoss((weights, asked) => decoderNaive(weights, asked)),
  contrastive: stateLoss((weights, asked, read) =>
    contrastiveNaive(weights, asked, (text) => read(text).at(-1)!),
  ),
};

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
function stateLoss(head: Head) {
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
function readerOf(model: Model, weights: Weights, layer: number) {
  const ones = new Array<number>(model.width).fill(1);
  const identity = ones.map((_, i) => ones.map((_, j) => Number(i === j)));
  const shorter = { ...weights, norm: [ones], head: identity };
  return (tokens: readonly number[]) => naive({ ...model, layers: layer + 1 }, shorter, tokens);
}

interface Question {
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

function linearNaive(weights: Weights, asked: readonly Question[]): number {
  const [bias] = weights[`${STATE_HEAD}.bias`];
  const pairs = asked.map(({ hidden, values }) => {
    const logits = sum(linear(hidden, weights[`${STATE_HEAD}.weight`]), bias);
    const classes = logits.length / values.length;
    return values.map(([value, weight], i) => {
      const own = logits.slice(i * classes, (i + 1) * classes);
      return [weight, surprise(own, value)] as const;
    });
  });
  return weightedMean(pairs.flat());
}

function decoderNaive(weights: Weights, asked: readonly Question[]): number {
  const prefix = `${STATE_HEAD}.decoder.`;
  const own = Object.fromEntries(
    Object.entries(weights)
      .filter(([path]) => path.startsWith(prefix))
      .map(([path, rows]) => [path.slice(prefix.length), rows]),
  );
  const end = own.embedding.length - 1;
  const decoder = configureModel(modelNamed(DECODER.name), DECODER, end + 1, "decoder");
  const pairs = asked.map(({ hidden, text }) => {
    // The hidden vector is one word more.
    const first = linear(hidden, weights[`${STATE_HEAD}.input`]);
    const logits = naive(decoder, { ...own, embedding: [...own.embedding, first] }, [end + 1, ...text]);
    return [...text, end].map((target, i) => [1, surprise(logits[i], target)] as const);
  });
  return weightedMean(pairs.flat());
}

function contrastiveNaive(
  weights: Weights,
  asked: readonly Question[],
  readLast: (text: readonly number[]) => Row,
): number {
  const temperature = Math.exp(weights[`${STATE_HEAD}.logScale`][0][0]);
  const projected = (side: string, x: Row) => unit(linear(x, weights[`${STATE_HEAD}.${side}`]));
  const u = asked.map(({ hidden }) => projected("program", hidden));
  const v = asked.map(({ text }) => projected("state", readLast(text)));
  const pairs = asked.map(({ row, text }, i) => {
    const rivals = [...asked.keys()].filter(
      (j) => i === j || (asked[j].row === row && asked[j].text.join() !== text.join()),
    );
    const own = rivals.indexOf(i);
    const toStates = rivals.map((j) => temperature * dot(u[i], v[j]));
    const toPrograms = rivals.map((j) => temperature * dot(u[j], v[i]));
    return [1, (surprise(toStates, own) + surprise(toPrograms, own)) / 2] as const;
  });
  return weightedMean(pairs);
}
