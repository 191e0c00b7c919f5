/** @file What holds of the two blocks of xLSTM: their feed-forward layers, their first biases, and the cells inside of them. */

import { expect, test } from "vitest";
import { rngFrom } from "../math/rng.ts";
import { withData } from "../tensor/index.ts";
import { furthest, numbersOf, randomTokens, runParallel, small, varied } from "./conformance.test-helper.ts";
import { describeModel, feedForwardOf, initialParameters, parameterShapes } from "./index.ts";

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

test("an sLSTM block without convolution holds what the sLSTM holds whose projections stay within heads", async () => {
  const own = { layers: 1, heads: 2 };
  const [block, cell] = [small("slstm-block", { ...own, convolution: 0 }), small("slstm", own)];
  const tree = varied(block);
  const numbers = numbersOf(tree);
  const path = "layers.0.mixer.";
  const input = new Float32Array(8 * 32);
  for (const [gate, name] of ["input", "forget", "cell", "output"].entries())
    for (let from = 0; from < 8; from++)
      for (let unit = 0; unit < 4; unit++)
        input[from * 32 + gate * 8 + (from < 4 ? unit : 4 + unit)] = numbers[path + name][from * 4 + unit];
  const given = numbersOf(varied(cell));
  const same = withData(parameterShapes(cell), {
    ...given,
    ...Object.fromEntries(
      Object.entries(numbers).filter(([name]) => given[name]?.length === numbers[name].length),
    ),
    [`${path}input`]: input,
    [`${path}norm`]: given[`${path}norm`],
  });
  const tokens = randomTokens(rngFrom(2), 2, 20);
  const [a, b] = await Promise.all(
    [[block, tree] as const, [cell, same] as const].map(([model, weights]) =>
      runParallel(model, weights, tokens, { taps: true }),
    ),
  );
  for (const tap of ["hidden", "cell", "normalizer"]) {
    const [got, wanted] = [a, b].map(({ taps }) => [...taps[`layers.0.${tap}`].data]);
    expect(furthest(got, wanted), tap).toBeLessThan(1e-4);
    expect(Math.max(...got.map(Math.abs)), tap).toBeGreaterThan(0.1);
  }
});

test("a block of the mLSTM mixes no channels of other blocks in its queries, keys and values", async () => {
  // Of the first block of 4 channels the projections are closed, and with them the first 4 numbers of each.
  const model = small("mlstm-block", { layers: 1, heads: 4, blockSize: 4 });
  const numbers = numbersOf(varied(model));
  for (const name of ["query", "key", "value"]) numbers[`layers.0.mixer.${name}`].fill(0, 0, 16);
  const tree = withData(parameterShapes(model), numbers);
  const { taps } = await runParallel(model, tree, randomTokens(rngFrom(3), 2, 9), { taps: true });
  for (const name of ["query", "key", "value"]) {
    const heads = [...taps[`layers.0.${name}`].data].map(
      (each, i) => [Math.floor((i % 16) / 4), each] as const,
    );
    expect(heads.every(([head, each]) => (head === 0) === (each === 0))).toBe(true);
  }
});
