/** @file The two blocks of xLSTM: their feed-forward layers and their first biases. */

import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { numbersOf, small } from "./conformance.test-helper.ts";
import { describeModel, initialParameters, parameterShapes } from "./index.ts";
import { feedForwardOf } from "./stack.ts";

test("only sLSTM blocks have a feed-forward layer, of 4/3 of the width, whatever the model's is", () => {
  for (const feedForward of [0, 12, 100]) {
    const model = small("hybrid", {
      ...{ width: 16, feedForward, layers: 3 },
      pattern: ["mlstm-block", "slstm-block", "gru"],
    });
    const [mlstm, slstm, gru] = [0, 1, 2].map((layer) => parameterShapes(model).layers[layer].feedForward);
    expect(mlstm).toBeUndefined();
    expect(slstm).toEqual({ gateAndUp: { shape: [16, 44] }, down: { shape: [22, 16] } });
    expect(gru?.down.shape).toEqual(feedForward === 0 ? undefined : [feedForward, 16]);
    expect(model.mixers.map((each) => feedForwardOf(model, each).gate)).toEqual(["silu", "gelu", "silu"]);
    expect(describeModel(model).feedForward).toBe(feedForward);
  }
});

test.each([
  [0, 0.3],
  [1, 0.95],
  [2, 1.6],
])("in layer %d of 3 the first forget biases fall from 5 to -7 with the power %d", (layer, power) => {
  const model = small("slstm-block", { layers: 3, width: 16, heads: 2 });
  const { [`layers.${layer}.mixer.bias`]: bias } = numbersOf(initialParameters(model, rngFrom(1)));
  const forget = bias.subarray(16, 32);
  for (const [i, each] of forget.entries()) expect(each).toBeCloseTo(5 - 12 * ((i % 8) / 7) ** power, 5);
  expect(new Set([...bias.subarray(0, 16), ...bias.subarray(32)])).toEqual(new Set([0]));
});
