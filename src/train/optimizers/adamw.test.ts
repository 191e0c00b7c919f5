import { expect, test } from "vitest";
import { rngFrom } from "../../core/rng.ts";
import { compile, Graph } from "../../tensor/index.ts";
import { nodeRuntime } from "../../tensor/session-node.ts";
import { adamw } from "./adamw.ts";
import { withMovingAverage } from "./moving-average.ts";
import { type OptimizerConfig, stateName } from "./optimizer.ts";

const usual: OptimizerConfig = { beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.1, maxGradNorm: 1 };

/** Two of three parameters have other settings; the path of a parameter is its start. */
const groups = [
  { match: "0", learningRateRatio: 0.3, weightDecay: 0.4, beta1: 0.8 },
  { match: "0|6", learningRateRatio: 2, beta2: 0.99 },
];

/** Of one matrix, or of parameters of other shapes. */
function optimizerOf(
  values: Float32Array<ArrayBuffer>,
  { ema, ...config }: OptimizerConfig & { readonly ema?: number },
  shapes = [[1, values.length]],
) {
  let start = 0;
  const ranges = shapes.map((shape) => {
    const from = start;
    start += shape.reduce((product, each) => product * each, 1);
    return { path: String(from), shape, start: from, end: start };
  });
  const plain = adamw({ values, ranges }, config);
  return ema === undefined ? plain : withMovingAverage(plain, { values, ranges }, ema);
}

/** Algorithm 2 of arXiv:1711.05101 (eta = 1), line by line, in float64, with the gradient clipped beforehand. */
function paperAdamW(
  theta: number[],
  gradients: readonly number[][],
  alpha: number,
  config: OptimizerConfig,
): number[] {
  let m = theta.map(() => 0);
  let v = theta.map(() => 0);
  let parameters = theta;
  for (const [before, raw] of gradients.entries()) {
    const t = before + 1;
    const norm = Math.hypot(...raw);
    const g = raw.map((each) => (norm > config.maxGradNorm ? (each / norm) * config.maxGradNorm : each));
    m = m.map((each, i) => config.beta1 * each + (1 - config.beta1) * g[i]);
    v = v.map((each, i) => config.beta2 * each + (1 - config.beta2) * g[i] ** 2);
    const mHat = m.map((each) => each / (1 - config.beta1 ** t));
    const vHat = v.map((each) => each / (1 - config.beta2 ** t));
    parameters = parameters.map(
      (each, i) =>
        each - (alpha * mHat[i]) / (Math.sqrt(vHat[i]) + config.epsilon) - alpha * config.weightDecay * each,
    );
  }
  return parameters;
}

test("fifty updates with random gradients, clipped and not, are the paper's", () => {
  const rng = rngFrom(1);
  const length = 17;
  const start = Array.from({ length }, () => Math.fround(rng.normal()));
  // Norms from 0.04 to 20, on both sides of the clip.
  const gradients = Array.from({ length: 50 }, () => {
    const size = 10 ** (3 * rng.next() - 2);
    return Array.from({ length }, () => Math.fround(size * rng.normal()));
  });
  for (const config of [
    usual,
    { ...usual, beta1: 0, beta2: 0.999, epsilon: 1e-3, weightDecay: 0, maxGradNorm: 5 },
  ]) {
    const parameters = Float32Array.from(start);
    const { update } = optimizerOf(parameters, config);
    for (const [i, gradient] of gradients.entries()) {
      const norm = update(Float32Array.from(gradient), 0.02, i + 1);
      expect(norm).toBeCloseTo(Math.hypot(...gradient), 5);
    }
    const wanted = paperAdamW(start, gradients, 0.02, config);
    for (const [i, each] of parameters.entries()) expect(Math.abs(each - wanted[i])).toBeLessThan(1e-5);
  }
});

test("each group follows the paper with its own rate, decay and betas; the first that matches counts", () => {
  const rng = rngFrom(5);
  const shapes = [[2, 3], [4], [5, 1]];
  const values = Float32Array.from({ length: 15 }, () => rng.normal());
  const gradients = Array.from({ length: 20 }, () =>
    Array.from({ length: 15 }, () => Math.fround(rng.normal())),
  );
  const config = { ...usual, maxGradNorm: 1e9 }; // without a clip no parameter depends on the others
  const wanted = [
    { from: 0, to: 6, rate: 0.006, settings: { weightDecay: 0.4, beta1: 0.8 } },
    { from: 6, to: 10, rate: 0.04, settings: { weightDecay: 0, beta2: 0.99 } }, // a vector
    { from: 10, to: 15, rate: 0.02, settings: {} },
  ].flatMap(({ from, to, rate, settings }) =>
    paperAdamW(
      [...values.slice(from, to)],
      gradients.map((each) => each.slice(from, to)),
      rate,
      { ...config, ...settings },
    ),
  );
  const { update } = optimizerOf(values, { ...config, groups }, shapes);
  for (const [i, gradient] of gradients.entries()) update(Float32Array.from(gradient), 0.02, i + 1);
  for (const [i, each] of values.entries()) expect(Math.abs(each - wanted[i])).toBeLessThan(1e-5);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY])(
  "a gradient with %d in it changes nothing, nor one of zeros",
  (bad) => {
    const parameters = Float32Array.of(1, 2);
    const { update, state } = optimizerOf(parameters, usual);
    update(Float32Array.of(0.1, -0.1), 0.1, 1);
    const before = structuredClone({ parameters, state });
    expect(update(Float32Array.of(0.1, bad), 0.1, 2)).toBe(bad);
    expect(update(new Float32Array(2), 0.1, 2)).toBe(0);
    expect({ parameters, state }).toEqual(before);
  },
);

test.each([
  ["one group", {}],
  ["three", { groups }],
  ["no decay", { weightDecay: 0 }],
  ["a moving average", { ema: 0.9 }],
])(
  "as nodes of a graph it changes parameters and state as the loop does, clipped and not: %s",
  async (_, more) => {
    const rng = rngFrom(2);
    const shapes = [[2, 3], [4]]; // one decays
    const values = Float32Array.from({ length: 10 }, () => rng.normal());
    const loop = optimizerOf(values, { ...usual, ...more }, shapes);
    const graph = new Graph();
    const paths = ["0", "6"];
    const inputs = paths.map((path, i) => graph.input(path, shapes[i]));
    const gradients = Object.fromEntries(
      inputs.map(({ name, shape }) => [name, graph.input(`gradient.${name}`, shape)]),
    );
    const outputs = loop.onDevice.append(graph, gradients);
    const run = await compile(graph, outputs, nodeRuntime());
    let held: Record<string, Float32Array> = {
      ...{ 0: values.slice(0, 6), 6: values.slice(6) },
      ...Object.fromEntries(
        Object.entries(loop.state).map(([name, data]) => [stateName(name), data.slice()]),
      ),
    };
    for (let step = 1; step <= 20; step++) {
      const gradient = Float32Array.from({ length: 10 }, () => (step % 2) * rng.normal() + 0.01);
      const { gradientNorm, ...next } = await run.run({
        ...held,
        ...{ "gradient.0": gradient.slice(0, 6), "gradient.6": gradient.slice(6) },
        ...loop.onDevice.feeds(0.02, step),
      });
      expect(gradientNorm[0]).toBeCloseTo(loop.update(gradient, 0.02, step), 5);
      held = next as typeof held; // float32 by its graph
    }
    await run.release();
    held[stateName("values")] = Float32Array.of(...held[0], ...held[6]);
    for (const [name, numbers] of Object.entries({ ...loop.state, values }))
      for (const [i, each] of numbers.entries())
        expect(Math.abs(held[stateName(name)][i] - each), name).toBeLessThan(1e-5);
  },
);
