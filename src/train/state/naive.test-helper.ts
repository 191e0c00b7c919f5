/**
 * @file The supervised loss in plain float64 numbers: the model's naive twin up to the layer that is read, and each head
 * on top of it. What the graph's loss and gradient are tested against, since slopes in float32 drown in rounding.
 */

import { configureModel, type Model, modelNamed } from "../../models/index.ts";
import { dot, linear, type Row, type Rows, sum, unit, type Weights } from "../../models/naive.ts";
import { naive } from "../../models/training.test-helper.ts";
import type { StateSupervision } from "../../records/run.ts";
import type { Batch, StateQuestions } from "../../tasks/index.ts";
import { DECODER } from "./decoder.ts";
import { STATE_HEAD } from "./index.ts";

/** -log softmax(scores)[target]. */
const surprise = (scores: Row, target: number) =>
  Math.log(scores.reduce((total, score) => total + Math.exp(score), 0)) - scores[target];

/** Of [weight, value]. */
function weightedMean(pairs: readonly (readonly [number, number])[]): number {
  const total = pairs.reduce((all, [weight]) => all + weight, 0);
  return pairs.reduce((all, [weight, value]) => all + weight * value, 0) / total;
}

/** The mean surprise at the next token, over all positions of a batch. */
export function lossNaive(model: Model, weights: Weights, { rows, length, ...batch }: Batch): number {
  const pairs = Array.from({ length: rows }, (_, row) => {
    const start = row * length;
    const logits = naive(model, weights, [...batch.tokens.subarray(start, start + length)]);
    return logits.map((scores, t) => {
      const at = start + t;
      return [batch.weights[at], surprise(scores, batch.targets[at])] as const;
    });
  });
  return weightedMean(pairs.flat());
}

/** The head's loss, unweighted. */
export function stateLossNaive(
  { head, layer }: StateSupervision,
  model: Model,
  weights: Weights,
  { rows, length, tokens, states }: Batch,
): number {
  const read = readerOf(model, weights, layer ?? model.layers - 1);
  const hidden = Array.from({ length: rows }, (_, row) =>
    read([...tokens.subarray(row * length, (row + 1) * length)]),
  ).flat(); // [B T][d]
  const asked = questionsOf(states!, hidden); // the callers' tasks tell their states
  switch (head) {
    case "linear":
      return linearNaive(weights, asked);
    case "decoder":
      return decoderNaive(weights, asked);
    case "contrastive":
      return contrastiveNaive(weights, asked, (text) => read(text).at(-1)!);
    default:
      return head satisfies never;
  }
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
