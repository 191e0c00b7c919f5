/** @file What holds of the mixers that weigh the past by its age alone: S4D and the long convolution. */

import { expect, test } from "vitest";
import { rngFrom } from "../math/rng.ts";
import { compile, Graph, grad, sum, withData } from "../tensor/index.ts";
import {
  furthest,
  numbersOf,
  randomTokens,
  runParallel,
  runtime,
  small,
  varied,
} from "./conformance.test-helper.ts";
import { initialParameters, type Model, parameterShapes } from "./index.ts";

const filters = [
  ["s4d", { stateSize: 4 }],
  ["long-convolution", { taps: 30 }],
] as const;

/** Varied weights with a token, 0, of which nothing comes in. */
function silentToken(model: Model) {
  const numbers = numbersOf(varied(model));
  numbers.embedding.fill(0, 0, model.width);
  return withData(parameterShapes(model), numbers);
}

test.each(filters)("%s: what was read counts by its age, and not by its place", async (name, config) => {
  const model = small(name, config);
  const tree = silentToken(model);
  const tokens = randomTokens(rngFrom(4), 2, 12).map((row) => row.map((token) => token || 1));
  const { logits } = await runParallel(model, tree, tokens);
  for (const before of [1, 7]) {
    const late = tokens.map((row) => [...new Array<number>(before).fill(0), ...row]);
    const moved = await runParallel(model, tree, late);
    expect(
      furthest(
        moved.logits.map((rows) => rows.slice(before)),
        logits,
      ),
    ).toBeLessThan(1e-4);
  }
});

test("of a mixer that is chosen by what it reads the same does not hold of what it weighs: Mamba selects", async () => {
  // One layer, its head's reading: to add an input adds the same in a filter, and not in Mamba.
  const read = async (name: "s4d" | "mamba", rows: readonly (readonly number[])[]) => {
    const model = small(name, { layers: 1 });
    const numbers = numbersOf(varied(model));
    const given = rows.map((row) => [...row]);
    const graph = new Graph();
    const x = graph.input("x", [1, given.length, model.width]);
    const [{ mixer, own }] = model.mixers;
    let tapped = x;
    const context = {
      ...{
        taps: () => {},
        offer: () => {},
        penalty: () => {},
        take: () => undefined,
        norm: <T>(y: T) => y,
        heads: <T>(y: T) => y,
      },
      intervene: (y: typeof x) => {
        tapped = y;
        return y;
      },
    };
    mixer.apply(graph.parameters(varied(model)).layers[0].mixer, x, own, context);
    const run = await compile(graph, { tapped }, runtime);
    const { tapped: data } = await run.run({ ...numbers, x: Float32Array.from(given.flat()) });
    await run.release();
    return [...(data as Float32Array)]; // a float32 output
  };
  const rng = rngFrom(5);
  const draw = () => Array.from({ length: 6 }, () => Array.from({ length: 8 }, () => rng.normal()));
  const [one, other] = [draw(), draw()];
  const both = one.map((row, t) => row.map((each, i) => each + other[t][i]));
  const excess = async (name: "s4d" | "mamba") => {
    const [a, b, ab] = [await read(name, one), await read(name, other), await read(name, both)];
    return furthest(
      ab,
      a.map((each, i) => each + b[i]),
    );
  };
  expect(await excess("s4d")).toBeLessThan(1e-4);
  expect(await excess("mamba")).toBeGreaterThan(0.1);
});

test("the long convolution forgets whole what is L tokens old, and not what is younger", async () => {
  const model = small("long-convolution", { layers: 1, taps: 6 });
  const tree = varied(model);
  const [tokens] = randomTokens(rngFrom(6), 1, 20);
  const other = tokens.with(4, (tokens[4] + 1) % 11);
  const [{ logits: a }, { logits: b }] = [
    await runParallel(model, tree, [tokens]),
    await runParallel(model, tree, [other]),
  ];
  const moved = a[0].map((row, t) => furthest(row, b[0][t]) > 1e-6);
  expect(moved).toEqual(tokens.map((_, t) => t >= 4 && t < 4 + 6));
});

test.each([
  [0.1, 1],
  [0.001, 0],
])(
  "squashed by %d the share of the first filter that is 0, and without gradient, is near %d",
  async (squash, share) => {
    const model = small("long-convolution", { layers: 1, width: 16, squash });
    const tree = initialParameters(model, rngFrom(1));
    const graph = new Graph();
    const x = graph.input("x", [1, 128, 16]);
    const [{ mixer, own }] = model.mixers;
    const p = graph.parameters(tree).layers[0].mixer;
    const context = {
      ...{ taps: () => {}, offer: () => {}, penalty: () => {}, take: () => undefined },
      ...{ norm: <T>(y: T) => y },
      ...{ intervene: <T>(y: T) => y, heads: <T>(y: T) => y },
    };
    const filter = p.filter as typeof x; // no tree of more
    const [slope] = grad(sum(mixer.apply(p, x, own, context)), [filter]);
    const run = await compile(graph, { slope }, runtime);
    const rng = rngFrom(2);
    const { slope: data } = await run.run({
      ...numbersOf(tree),
      x: Float32Array.from({ length: 128 * 16 }, () => rng.normal()),
    });
    await run.release();
    const still = [...data].filter((each) => each === 0).length / data.length;
    expect(Math.abs(still - share)).toBeLessThan(0.3);
  },
);

test("S4D begins as its paper says: lin turns evenly, inv fast and then ever slower, both fade alike", () => {
  const numbers = (start: string) => {
    const { "layers.0.mixer.frequency": w, ...rest } = numbersOf(
      initialParameters(small("s4d", { stateSize: 8, start }), rngFrom(1)),
    );
    expect(new Set([...rest["layers.0.mixer.logRate"]].map((each) => Math.exp(each).toFixed(5)))).toEqual(
      new Set(["0.50000"]),
    );
    const steps = [...rest["layers.0.mixer.logStep"]].map(Math.exp);
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(0.00099);
    expect(Math.max(...steps)).toBeLessThanOrEqual(0.1001);
    return [0, 1, 2, 3].map((n) => w[8 * n]);
  };
  for (const [n, each] of numbers("lin").entries()) expect(each).toBeCloseTo(Math.PI * n, 5);
  // N = 8: (8/pi) (8 - 1), (8/pi) (8/3 - 1), (8/pi) (8/5 - 1), (8/pi) (8/7 - 1)
  const inv = [17.82535, 4.24413, 1.52789, 0.36378];
  for (const [n, each] of numbers("inv").entries()) expect(each).toBeCloseTo(inv[n], 4);
});
