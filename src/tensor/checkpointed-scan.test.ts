import { expect, test } from "vitest";
import { sum } from "./arithmetic.ts";
import { check } from "./check.test-helper.ts";
import { scanInGroups } from "./checkpointed-scan.ts";
import { grad } from "./gradient.ts";
import { Graph } from "./graph.ts";
import type { Numbers } from "./naive.ts";
import { scanNaive } from "./scan.naive.ts";
import { lstmInputs, lstmStep, lstmStepNaive } from "./scan.test-helper.ts";

test.each([
  ["one group", 3, 3],
  ["groups that come out even", 6, 2],
  ["a shorter last group", 7, 3],
  ["groups of one step", 4, 1],
  ["fewer steps than a group has", 2, 5],
])("%s: an LSTM of %i steps in groups of %i equals its twin, gradients too", (_, T, size) =>
  check({
    name: `groups ${T} ${size}`,
    inputs: lstmInputs(T, 2, 2),
    op: (x, h, c, W, V, bias) => {
      const step = (given: Parameters<typeof lstmStep>[0], now: Parameters<typeof lstmStep>[1]) =>
        lstmStep(given, now, W, V, bias);
      const { states, outputs } = scanInGroups([x], [h, c], step, size);
      return [...states, ...outputs];
    },
    naive: (x, h, c, W, V, bias) => {
      const step = (given: readonly Numbers[], now: readonly Numbers[]) =>
        lstmStepNaive(given, now, W, V, bias);
      const { states, outputs } = scanNaive([x], [h, c], step, {});
      return [...states, ...outputs];
    },
  }),
);

test("what is kept for the gradient are the states between groups, and no value of a step", () => {
  const graph = new Graph();
  const [T, B, d] = [20, 2, 3];
  const inputs = lstmInputs(T, B, d).map(({ shape }, i) => graph.input(`x${i}`, shape));
  const [x, h, c, W, V, bias] = inputs;
  const { outputs } = scanInGroups([x], [h, c], (given, now) => lstmStep(given, now, W, V, bias), 5);
  grad(sum(outputs[0]), inputs);
  const kept = graph.nodes
    .filter(({ op }) => op === "Scan")
    .map(({ outputs }) => outputs.map(({ shape }) => shape));
  // Forward: the last two states, the outputs, and h and c before each of four groups.
  expect(kept[0]).toEqual([
    [B, d],
    [B, d],
    [4, 5, B, d],
    [4, B, d],
    [4, B, d],
  ]);
});
