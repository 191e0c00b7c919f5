/**
 * @file The decoder state head: a small Transformer, with the hidden vector h after a line as first embedding, spells the state, each
 * token from those before it.
 *
 *     read      h    a    2
 *     spelled   a    2    end        loss: mean of -log p over all tokens, the end too
 */

import { configureModel, initialParameters, modelNamed } from "../../models/index.ts";
import { norm, normal } from "../../models/layers.ts";
import { applyBlocks } from "../../models/stack.ts";
import { weightOf } from "../../tensor/cross-entropy.ts";
import {
  concat,
  correct,
  crossEntropy,
  divide,
  embedding,
  linear,
  multiply,
  reshape,
  sum,
} from "../../tensor/index.ts";
import { type HeadSetting, type StateHead, stateObjective } from "./state/supervision.ts";
import type { StateQuestions } from "./state/targets.ts";

const WIDTH = 64;
export const DECODER = { name: "transformer", layers: 2, width: WIDTH, heads: 2 };

export const decoderState = stateObjective("decoder", decoderHead);

function decoderHead({ model, tokenizer }: HeadSetting) {
  const end = tokenizer.tokens.length;
  const decoder = configureModel(modelNamed(DECODER.name), DECODER, end + 1, "stateSupervision");
  const head: StateHead<ReturnType<typeof init>> = { init, loss, feeds };
  return head;

  function init(rng: Parameters<StateHead["init"]>[0]) {
    return {
      input: normal(rng.fork("input"), [model.width, WIDTH]),
      decoder: initialParameters(decoder, rng.fork("decoder")),
    };
  }

  function loss(
    p: Parameters<typeof head.loss>[0],
    { graph, rows, sizes, hidden }: Parameters<typeof head.loss>[1],
  ) {
    const questions = rows * sizes.questions;
    const length = sizes.text + 1;
    const text = graph.input("state.text", [questions, sizes.text], "int32");
    const targets = graph.input("state.targets", [questions, length], "int32");
    const weights = graph.input("state.targetWeights", [questions, length]);
    const first = reshape(linear(hidden, p.input), [questions, 1, WIDTH]);
    const x = concat([first, embedding(p.decoder.embedding, text)], 1);
    const logits = linear(norm(applyBlocks(decoder, p.decoder, x), p.decoder.norm), p.decoder.head);
    const right = sum(multiply(correct(logits, targets), weights));
    return { loss: crossEntropy(logits, targets, weights), accuracy: divide(right, weightOf(weights)) };
  }

  function feeds({ sizes, text, textLengths, weights }: StateQuestions) {
    const length = sizes.text + 1;
    const targets = new Int32Array(textLengths.length * length);
    const targetWeights = new Float32Array(targets.length);
    for (const [question, used] of textLengths.entries()) {
      if (weights[question] === 0) continue;
      const start = question * length;
      targets.set(text.subarray(question * sizes.text, question * sizes.text + used), start);
      targets[start + used] = end;
      targetWeights.fill(1, start, start + used + 1);
    }
    return { "state.text": text, "state.targets": targets, "state.targetWeights": targetWeights };
  }
}
