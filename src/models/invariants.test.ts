/** @file Exact identities between two mixers, or two settings of one. */

import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { dplrNaive } from "../tensor/dplr.naive.ts";
import { withData } from "../tensor/index.ts";
import {
  furthest,
  parameterData,
  type Run,
  randomTokens,
  runParallel,
  small,
  varied,
} from "./conformance.test-helper.ts";
import { DICTIONARY_CONFIG, sparseColumns, weightsInDictionary } from "./constructions/dictionary-ssm.ts";
import {
  configureModel,
  initialParameters,
  type Model,
  type ModelParameters,
  modelNamed,
  parameterShapes,
} from "./index.ts";
import { levelAt, levelCount } from "./log-linear.ts";
import { rmsNorm, sum } from "./naive.ts";

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
  const numbers = parameterData(varied(gated));
  const open = treeOf(gated, numbers, { "decay.bias": (was) => was.map(() => 200) });
  const wanted = await logitsOf(plain, treeOf(plain, numbers));
  expect(furthest(await logitsOf(gated, open), wanted)).toBeLessThan(1e-5);
  expect(furthest(await logitsOf(gated, treeOf(gated, numbers)), wanted)).toBeGreaterThan(1e-2);
});

test("log-linear attention that reads all levels alike is GLA with one decay a head, and with levels read apart it is not", async () => {
  const own = { layers: 1, heads: 2 };
  const [levels, gla] = [small("log-linear", { ...own, longest: 64 }), small("gla", own)];
  const numbers = { ...parameterData(varied(gla)), ...parameterData(varied(levels)) };
  // One decay a head, the same for all tokens; weights alike are softplus(0), of which the norm takes the size away.
  const even = treeOf(levels, numbers, {
    "mixer.decay": (was) => was.map(() => 0),
    "mixer.level": (was) => was.map(() => 0),
  });
  const perHead = numbers["layers.0.mixer.decayBias"];
  const inChannels = Float32Array.from(
    { length: gla.width },
    (_, i) => perHead[Math.floor((2 * i) / gla.width)],
  );
  const wanted = await logitsOf(
    gla,
    treeOf(
      gla,
      { ...numbers, "layers.0.mixer.decay.bias": inChannels },
      { "decay.down": (was) => was.map(() => 0) },
    ),
  );
  expect(furthest(await logitsOf(levels, even), wanted)).toBeLessThan(1e-4);
  const apart = treeOf(levels, numbers, { "mixer.decay": (was) => was.map(() => 0) });
  expect(furthest(await logitsOf(levels, apart), wanted)).toBeGreaterThan(1e-2);
});

test("a level of log-linear attention is one more than the highest bit in which two places differ: the powers of two of the past", () => {
  for (let t = 0; t < 300; t++) {
    // The past [0, t) in powers of two, from the lowest bit of t on, as a step merges them.
    const wanted = new Array<number>(t + 1).fill(0);
    for (let end = t, bit = 0; end > 0; bit++) {
      if (((end >> bit) & 1) === 0) continue;
      for (let s = end - 2 ** bit; s < end; s++) wanted[s] = bit + 1;
      end -= 2 ** bit;
    }
    expect(wanted.map((_, s) => levelAt(t, s))).toEqual(wanted);
    expect(Math.max(...wanted) + 1).toBeLessThanOrEqual(levelCount(t + 1));
  }
});

test("a text longer than log-linear attention has levels for is refused in one sentence", async () => {
  const model = small("log-linear", { longest: 16 });
  await expect(logitsOf(model, varied(model))).rejects.toThrow(
    "log-linear: expected texts of at most 16 tokens (longest), got 20",
  );
});

/** Of one layer's taps the rows [T][n] of a head, of the first sequence; [T][1] of what is one number a head. */
function rowsOfHead(taps: Run["taps"], name: string, head: number): number[][] {
  const { shape, data } = taps[`layers.0.${name}`];
  const [, length, heads, width = 1] = shape;
  return Array.from({ length }, (_, t) => {
    const start = (t * heads + head) * width;
    return Array.from(data.subarray(start, start + width));
  });
}

test("Gated KalmaNet that takes none of the regression is gated linear attention, and with some of it is not", async () => {
  const model = small("gka", { layers: 1 });
  const numbers = parameterData(varied(model));
  const read = async (bias: number) => {
    const tree = treeOf(model, numbers, {
      "mixer.share": (was) => was.map(() => 0),
      shareBias: (was) => was.map(() => bias),
      "mixer.norm": (was) => was.map(() => 1),
    });
    const { taps } = await runParallel(model, tree, [tokens[0]], { taps: true });
    let most = 0;
    for (const head of [0, 1]) {
      const [q, k, v] = ["query", "key", "value"].map((name) => rowsOfHead(taps, name, head));
      const strength = rowsOfHead(taps, "strength", head);
      const logs = rowsOfHead(taps, "decay", head).map(([a]) => k[0].map(() => Math.log(a)));
      const written = k.map((row, t) => row.map((each) => each * strength[t][0] ** 2));
      const wanted = dplrNaive(q, written, v, logs).map((row) =>
        rmsNorm(
          row,
          row.map(() => 1),
        ),
      );
      most = Math.max(most, furthest(rowsOfHead(taps, "heads", head), wanted));
    }
    return most;
  };
  expect(await read(-200)).toBeLessThan(1e-4);
  expect(await read(0)).toBeGreaterThan(1e-2);
});

test("the memories that SSE chooses from have no names: in another order they give the same", async () => {
  const model = small("sse", { partitions: 4, chosen: 2 });
  const numbers = parameterData(varied(model));
  const order = [2, 0, 3, 1];
  const renamed = (was: Float32Array) => was.map((_, i) => was[i - (i % 4) + order[i % 4]]);
  const wanted = await logitsOf(model, treeOf(model, numbers));
  expect(furthest(await logitsOf(model, treeOf(model, numbers, { router: renamed })), wanted)).toBeLessThan(
    1e-5,
  );
  const other = treeOf(model, numbers, { router: (was) => was.map((each) => -each) });
  expect(furthest(await logitsOf(model, other), wanted)).toBeGreaterThan(1e-2);
});

test("SSE whose tokens all choose the same memory, whole, is the sum of two gated linear attentions", async () => {
  const [partitions, chosen] = [3, 2];
  const model = small("sse", { layers: 1, partitions, chosen: 1 });
  const numbers = parameterData(varied(model));
  // The first channel of x is large and positive at all tokens, and the router sees nothing else.
  const tree = treeOf(model, numbers, {
    embedding: (was) => was.map((each, i) => (i % model.width === 0 ? 4 : each)),
    mixerNorm: (was) => was.map(Math.abs),
    router: (was) => was.map((_, i) => (i === chosen ? 1000 : 0)),
    "mixer.norm": (was) => was.map(() => 1),
  });
  const { taps } = await runParallel(model, tree, [tokens[0]], { taps: true });
  for (const [i, each] of taps["layers.0.share"].data.entries())
    expect(each).toBe(Number(i % partitions === chosen));
  const { "layers.0.decay": decays } = taps;
  const own = model.width / 2;
  for (const head of [0, 1]) {
    const logs = (memory: number) =>
      tokens[0].map((_, t) => {
        const start = (t * (1 + partitions) + memory) * model.width + head * own;
        return Array.from(decays.data.subarray(start, start + own), Math.log);
      });
    const [q, k, v, sparseQ, sparseK] = ["query", "key", "value", "sparseQuery", "sparseKey"].map((name) =>
      rowsOfHead(taps, name, head),
    );
    const one = dplrNaive(q, k, v, logs(0));
    const other = dplrNaive(sparseQ, sparseK, v, logs(1 + chosen));
    const ones = new Array<number>(own).fill(1);
    const wanted = one.map((row, t) => rmsNorm(sum(row, other[t]), ones));
    expect(furthest(rowsOfHead(taps, "heads", head), wanted)).toBeLessThan(1e-4);
  }
});

test.each(["gla", "deltanet", "gated-deltanet"] as const)(
  "memory caching over %s in a single segment is that layer, and in several it is not",
  async (base) => {
    const alone = small(base, {});
    const whole = small("cached", { base, segment: 20, longest: 20 });
    const parts = small("cached", { base, segment: 7, longest: 21 });
    const numbers = parameterData(varied(whole));
    const own = Object.fromEntries(Object.entries(numbers).filter(([path]) => !path.includes(".segment")));
    const wanted = await logitsOf(alone, treeOf(alone, own));
    expect(furthest(await logitsOf(whole, treeOf(whole, numbers)), wanted)).toBeLessThan(1e-4);
    expect(furthest(await logitsOf(parts, treeOf(parts, numbers)), wanted)).toBeGreaterThan(1e-2);
  },
);

test("linear attention whose segments begin anew, and are all read alike, is linear attention; where they go on, what is old counts many times", async () => {
  const alone = small("gla", { decay: false });
  const own = { base: "gla", decay: false, mode: "residual", segment: 6, longest: 24 };
  const numbers = parameterData(varied(alone));
  const wanted = await logitsOf(alone, treeOf(alone, numbers));
  const read = (writing: string) => {
    const model = small("cached", { ...own, writing });
    return logitsOf(model, treeOf(model, numbers));
  };
  expect(furthest(await read("independent"), wanted)).toBeLessThan(2e-5);
  expect(furthest(await read("checkpoint"), wanted)).toBeGreaterThan(1e-2);
});

test("memory caching that may choose as many segments as there are weighs all of them", async () => {
  const own = { segment: 4, longest: 20 };
  const [all, few] = [small("cached", own), small("cached", { ...own, mode: "sparse", chosen: 1 })];
  const many = small("cached", { ...own, mode: "sparse", chosen: 5 });
  const numbers = parameterData(varied(all));
  const wanted = await logitsOf(all, treeOf(all, numbers));
  expect(await logitsOf(many, treeOf(many, numbers))).toEqual(wanted);
  expect(furthest(await logitsOf(few, treeOf(few, numbers)), wanted)).toBeGreaterThan(1e-2);
});

test("memory caching refuses a text longer than it keeps, and a field that its base does not have", async () => {
  const model = small("cached", { longest: 16 });
  await expect(logitsOf(model, varied(model))).rejects.toThrow(
    "cached: expected texts of at most 16 tokens (longest), got 20",
  );
  expect(() => varied(small("cached", { base: "gla", betaMax: 2 }))).toThrow("model (base: gla)");
});

test("LaCT knows of a chunk what was in it, and not in which order: no later answer changes with it", async () => {
  const model = small("lact", { layers: 1, chunk: 8, window: 0 });
  const tree = varied(model);
  const [text] = tokens;
  const mixed = [...text.slice(0, 8).toReversed(), ...text.slice(8)];
  const other = text.with(3, (text[3] + 1) % 11);
  const run = async (given: readonly number[]) =>
    (await runParallel(model, tree, [given])).logits[0].slice(8);
  const wanted = await run(text);
  expect(furthest(await run(mixed), wanted)).toBeLessThan(2e-5);
  expect(furthest(await run(other), wanted)).toBeGreaterThan(1e-3);
});

test("LaCT in a single chunk is the network that it began as: no token knows of another", async () => {
  const model = small("lact", { layers: 1, chunk: 20, window: 0 });
  const { logits } = await runParallel(model, varied(model), [tokens[0], tokens[0].toReversed()]);
  expect(furthest(logits[1].toReversed(), logits[0])).toBeLessThan(1e-5);
  const parts = small("lact", { layers: 1, chunk: 10, window: 0 });
  const { logits: read } = await runParallel(parts, varied(parts), [tokens[0]]);
  expect(furthest(read[0].slice(0, 10), logits[0].slice(0, 10))).toBeLessThan(1e-5);
  expect(furthest(read[0].slice(10), logits[0].slice(10))).toBeGreaterThan(1e-2);
});

test("LaCT's orthogonal steps do not ask how large its rates are; its plain ones do", async () => {
  const read = async (orthogonal: boolean, bias: number) => {
    const model = small("lact", { layers: 1, chunk: 6, window: 0, momentum: false, orthogonal });
    // All tokens at one rate, softplus(bias).
    const change = { "mixer.rate": zeros, rateBias: (was: Float32Array) => was.map(() => bias) };
    return logitsOf(model, treeOf(model, parameterData(varied(model)), change));
  };
  const zeros = (was: Float32Array) => was.map(() => 0);
  expect(furthest(await read(true, -2), await read(true, 1))).toBeLessThan(5e-3);
  expect(furthest(await read(false, -2), await read(false, 1))).toBeGreaterThan(1e-2);
});

test("KDA whose channels fade alike is gated DeltaNet, as far as its heads read", async () => {
  // One layer: the gates after the heads differ.
  const own = { layers: 1, heads: 4 };
  const [even, gated] = [small("kda", own), small("gated-deltanet", own)];
  const numbers = { ...parameterData(varied(even)), ...parameterData(varied(gated)) };
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
  const { "layers.0.mixerNorm": norm, "layers.0.mixer.input": input } = parameterData(fresh);
  // The first channel of x is the same for all tokens and large, and m follows it: sigmoid(m) = 1.
  const columns = input.length / model.width;
  const tree = treeOf(model, parameterData(fresh), {
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
    const skip = parameterData(tree)["layers.0.mixer.skip"][head];
    const wanted = read.map((row, t) => row.map((each, c) => each + skip * u[t][c]));
    expect(furthest(rows("heads", own, head), wanted)).toBeLessThan(1e-4);
  }
});

test("PD-SSM set by hand is any automaton of as many states as places, those that bring states together included", async () => {
  const rng = rngFrom(41);
  const [states, letters, length] = [14, 5, 10_000];
  // Words: <s>, the letters, and the states, which are only named.
  const next = Array.from({ length: letters }, () => Array.from({ length: states }, () => rng.below(states)));
  const count = 1 + letters + states;
  const code = (word: number) => Array.from({ length: count }, (_, i) => Number(i === word));
  const stay = Array.from({ length: states }, (_, i) => i);
  const chosen = {
    words: Array.from({ length: count }, (_, w) => ({ code: code(w), goals: next[w - 1] ?? stay })),
    writes: [[1]],
    logits: Array.from({ length: count }, (_, w) => ({
      places: stay.map((state) => Number(w === 1 + letters + state)),
    })),
  };
  const model = configureModel(
    modelNamed("pd-ssm"),
    { name: "pd-ssm", layers: 1, width: 64, feedForward: 0, ...DICTIONARY_CONFIG },
    count,
    "model",
  );
  const rows = weightsInDictionary(64, chosen, sparseColumns);
  const fresh = parameterData(initialParameters(model, rngFrom(0)));
  const numbers = Object.fromEntries(
    Object.entries(fresh).map(([path, { length }]) => [
      path,
      /[nN]orm$/.test(path)
        ? new Float32Array(length).fill(1)
        : Float32Array.from(rows[path]?.flat() ?? new Float32Array(length)),
    ]),
  );
  const word = Array.from({ length }, () => 1 + rng.below(letters));
  const { logits } = await runParallel(model, treeOf(model, numbers), [[0, ...word]]);
  let state = 0;
  const wrong = word.filter((letter, t) => {
    state = next[letter - 1][state];
    const row = logits[0][t + 1];
    return row.indexOf(Math.max(...row)) !== 1 + letters + state;
  });
  expect(wrong).toEqual([]);
  expect(next.every((own) => new Set(own).size < states)).toBe(true); // each letter brings states together
});

test("FoX whose gates are open is attention without positions, and it forgets where they are not", async () => {
  const model = small("fox", { layers: 1 });
  const numbers = parameterData(varied(model));
  const { heads } = model.mixers[0].own as { heads: number };
  const read = async (bias: number) => {
    const tree = treeOf(model, numbers, {
      "mixer.forget": (was) => was.map(() => 0),
      forgetBias: (was) => was.map(() => bias),
    });
    const { taps } = await runParallel(model, tree, tokens, { taps: true });
    const { "layers.0.query": q, "layers.0.key": k, "layers.0.value": v, "layers.0.heads": o } = taps;
    const [, length, , width] = q.shape;
    const row = ({ data }: typeof q, t: number, head: number) =>
      data.subarray((t * heads + head) * width, (t * heads + head + 1) * width);
    let most = 0;
    for (let t = 0; t < length; t++)
      for (let head = 0; head < heads; head++) {
        const scores = Array.from({ length: t + 1 }, (_, s) =>
          Math.exp(
            row(k, s, head).reduce((sum, each, i) => sum + each * row(q, t, head)[i], 0) / Math.sqrt(width),
          ),
        );
        const total = scores.reduce((sum, each) => sum + each, 0);
        const mean = Array.from(row(v, 0, head), (_, i) =>
          scores.reduce((sum, each, s) => sum + (each * row(v, s, head)[i]) / total, 0),
        );
        most = Math.max(most, furthest(mean, [...row(o, t, head)]));
      }
    return most;
  };
  expect(await read(200)).toBeLessThan(1e-5);
  expect(await read(0)).toBeGreaterThan(1e-2);
});

test.each(["transformer", "fox", "path"] as const)(
  "%s reads words that are all the same alike, however many: where no first word is another, one layer cannot tell their parity",
  async (name) => {
    const model = small(name, { layers: 1 });
    const { logits } = await runParallel(model, varied(model), [new Array<number>(30).fill(3)]);
    const most = Math.max(...logits[0].map((row) => furthest(row, logits[0][0])));
    expect(most).toBeLessThan(1e-4); // it is a mean of values that are all the same
    const gru = small("gru", { layers: 1 });
    const { logits: others } = await runParallel(gru, varied(gru), [new Array<number>(30).fill(3)]);
    expect(furthest(others[0][1], others[0][0])).toBeGreaterThan(1e-2);
  },
);
