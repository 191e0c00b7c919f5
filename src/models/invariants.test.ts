/** @file What holds exactly between two mixers, or two settings of one: each is a witness of the other. */

import { expect, test } from "vitest";
import { rngFrom } from "../math/rng.ts";
import { dplrNaive } from "../tensor/dplr.naive.ts";
import { withData } from "../tensor/index.ts";
import { furthest, numbersOf, randomTokens, runParallel, small, varied } from "./conformance.test-helper.ts";
import { type Model, type ModelParameters, parameterShapes } from "./index.ts";

const tokens = randomTokens(rngFrom(31), 2, 20);
const logitsOf = async (model: Model, tree: ModelParameters) =>
  (await runParallel(model, tree, tokens)).logits;

type Numbers = Readonly<Record<string, Float32Array>>;

/** The tree of `model` with numbers of these names; of `change` those that end so are made from what they are. */
function treeOf(
  model: Model,
  numbers: Numbers,
  change: Readonly<Record<string, (was: Float32Array) => Float32Array>> = {},
): ModelParameters {
  const entries = Object.entries(numbers).map(([path, data]) => {
    const end = Object.keys(change).find((each) => path.endsWith(each));
    return [path, end === undefined ? data : change[end](data)];
  });
  return withData(parameterShapes(model), Object.fromEntries(entries));
}

test("GLA whose gates are open is plain linear attention", async () => {
  const [gated, plain] = [small("gla", {}), small("gla", { decay: false })];
  const numbers = numbersOf(varied(gated));
  const open = treeOf(gated, numbers, { "decay.bias": (was) => was.map(() => 200) });
  const wanted = await logitsOf(plain, treeOf(plain, numbers));
  expect(furthest(await logitsOf(gated, open), wanted)).toBeLessThan(1e-5);
  expect(furthest(await logitsOf(gated, treeOf(gated, numbers)), wanted)).toBeGreaterThan(1e-2);
});

test("KDA whose channels fade alike is gated DeltaNet, as far as its heads read", async () => {
  // One layer: the gates behind the heads are others.
  const own = { layers: 1, heads: 4 };
  const [even, gated] = [small("kda", own), small("gated-deltanet", own)];
  const numbers = { ...numbersOf(varied(even)), ...numbersOf(varied(gated)) };
  const perHead = numbers["layers.0.mixer.decay.bias"]; // the same for all tokens: nothing of x is in it
  const heads = async (model: Model, tree: ModelParameters) =>
    (await runParallel(model, tree, tokens, { taps: true })).taps["layers.0.heads"];
  const wanted = await heads(gated, treeOf(gated, numbers, { "decay.weight": (was) => was.map(() => 0) }));
  const inChannels = {
    ...numbers,
    "layers.0.mixer.decay.bias": new Float32Array(8).map((_, i) => perHead[i >> 1]),
  };
  const read = (end: string) => heads(even, treeOf(even, inChannels, { [end]: (was) => was.map(() => 0) }));
  expect(furthest([...(await read("decay.up")).data], [...wanted.data])).toBeLessThan(1e-4);
  expect(furthest([...(await read("none")).data], [...wanted.data])).toBeGreaterThan(1e-2);
});

test("Mamba-3 that does not turn and writes at once has the memory of Mamba-2: one decay a head, read and written by D B u'", async () => {
  const [heads, N, own] = [2, 4, 8];
  const model = small("mamba3", { layers: 1, stateSize: N, turning: 0 });
  const fresh = varied(model);
  const { "layers.0.mixerNorm": norm, "layers.0.mixer.input": input } = numbersOf(fresh);
  // The first channel of x is the same for all tokens and large, and m follows it: sigmoid(m) = 1.
  const columns = input.length / model.width;
  const tree = treeOf(model, numbersOf(fresh), {
    embedding: (was) => was.map((each, i) => (i % model.width === 0 ? 4 : each)),
    "mixer.input": (was) => was.map((each, i) => (i >= columns - heads && i < columns ? 1000 : each)),
    mixerNorm: () => norm.map(Math.abs),
  });
  const { taps } = await runParallel(model, tree, [tokens[0]], { taps: true });
  const of = (name: string) => Array.from(taps[`layers.0.${name}`].data);
  expect(Math.min(...of("share"))).toBe(1);
  const T = tokens[0].length;
  const rows = (name: string, width: number, head: number) =>
    Array.from({ length: T }, (_, t) => {
      const start = (t * heads + head) * width;
      return of(name).slice(start, start + width);
    });
  for (let head = 0; head < heads; head++) {
    const [[steps], [decays]] = [[rows("step", 1, head)], [rows("decay", 1, head)]];
    const k = rows("write", N, head).map((row, t) => row.map((each) => each * steps[t][0]));
    const logs = decays.map(([a]) => new Array<number>(N).fill(Math.log(a)));
    const u = rows("value", own, head);
    const read = dplrNaive(rows("read", N, head), k, u, logs);
    const skip = numbersOf(tree)["layers.0.mixer.skip"][head];
    const wanted = read.map((row, t) => row.map((each, c) => each + skip * u[t][c]));
    expect(furthest(rows("heads", own, head), wanted)).toBeLessThan(1e-4);
  }
});
