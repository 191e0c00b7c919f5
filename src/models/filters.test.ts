/** @file First values of the mixers that weigh the past by its age alone: S4D and the long convolution. */

import { expect, test } from "vitest";
import { rngFrom } from "../core/rng.ts";
import { compile, Graph, grad, sum } from "../tensor/index.ts";
import { parameterData, runtime, small } from "./conformance.test-helper.ts";
import { initialParameters } from "./index.ts";

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
      intervene: <T>(y: T) => y,
    };
    const filter = p.filter as typeof x; // no tree of more
    const [slope] = grad(sum(mixer.apply(p, x, own, context)), [filter]);
    const run = await compile(graph, { slope }, runtime);
    const rng = rngFrom(2);
    const { slope: data } = await run.run({
      ...parameterData(tree),
      x: Float32Array.from({ length: 128 * 16 }, () => rng.normal()),
    });
    await run.release();
    const still = [...data].filter((each) => each === 0).length / data.length;
    expect(Math.abs(still - share)).toBeLessThan(0.3);
  },
);

test("S4D begins as its paper says: lin turns evenly, inv fast and then ever slower, both fade alike", () => {
  const numbers = (start: string) => {
    const { "layers.0.mixer.frequency": w, ...rest } = parameterData(
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
