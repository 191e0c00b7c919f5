import { expect, test } from "vitest";
import { rngFrom } from "../math/rng.ts";
import { drawn, evaluate, relativeError } from "../tensor/check.test-helper.ts";
import { Graph, grad, multiply, sum } from "../tensor/index.ts";
import { readAgain } from "./cached.ts";

test.each([63, 64, 150])(
  "%i tokens read in blocks read what they read at once, gradients too",
  async (length) => {
    const graph = new Graph();
    const [batch, heads, dk, dv, segments] = [2, 2, 3, 4, 5];
    const inputs = [
      graph.input("q", [batch, length, heads, dk]),
      graph.input("shares", [batch, length, segments]),
      graph.input("memories", [batch, heads, segments * dk, dv]),
    ];
    const weights = graph.input("weights", [batch, length, heads, dv]);
    const [q, shares, memories] = inputs;
    const ways = { blocks: readAgain(q, shares, memories, 0), once: readAgain(q, shares, memories, length) };
    const outputs = Object.fromEntries(
      Object.entries(ways).flatMap(([way, o]) => {
        const gradients = grad(sum(multiply(o, weights)), inputs);
        return [[way, o] as const, ...gradients.map((dx, i) => [`${way} ${inputs[i].name}`, dx] as const)];
      }),
    );
    const rng = rngFrom(1);
    const feeds = Object.fromEntries(
      graph.inputs.map(({ name, shape }) => [name, Float32Array.from(drawn({ shape }, rng).data)]),
    );
    const results = await evaluate(graph, outputs, feeds);
    expect(relativeError(results.blocks, results.once)).toBeLessThan(1e-6);
    for (const { name } of inputs)
      expect(relativeError(results[`blocks ${name}`], results[`once ${name}`]), name).toBeLessThan(1e-5);
  },
);
