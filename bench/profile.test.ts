import { expect, test } from "vitest";
import { profileTraining, summary } from "./profile.ts";
import { productOperations } from "./train-step/matmul-flops.ts";
import { benchmarkConfig } from "./train-step/problem.ts";
import { buildGraph, operationsOfStep } from "./train-step/statelab.ts";

const event = (op: string, ts: number, dur: number) => ({
  cat: "Node",
  name: `${op}_kernel_time`,
  ts,
  dur,
  args: { op_name: op },
});
const modelRun = (ts: number, dur: number) => ({ cat: "Session", name: "model_run", ts, dur });

test("nodes inside a Scan are counted with it, warm-up runs not at all", () => {
  const events = [
    modelRun(0, 100),
    event("Mul", 10, 50),
    modelRun(200, 100),
    event("MatMul", 210, 30),
    event("Scan", 240, 40),
    event("Add", 250, 10),
    event("Mul", 285, 10),
  ];
  const { rows, milliseconds, products } = summary("x", events, 1);
  expect(rows.map(({ op, calls }) => [op, calls])).toEqual([
    ["Scan", 1],
    ["MatMul", 1],
    ["Mul", 1],
  ]);
  expect(milliseconds).toBeCloseTo(0.08, 10);
  expect(products).toBeCloseTo(30 / 80, 10);
});

test("a real profile names the kernels of a step", async () => {
  const { rows, products, unprofiled } = await profileTraining(benchmarkConfig("deltanet", 64, 1, 64), 10);
  const calls = Object.fromEntries(rows.map(({ op, calls }) => [op, calls]));
  expect(calls.Scan).toBe(4); // two layers, forward and backward
  expect(calls.Gemm).toBeGreaterThan(10);
  expect(products).toBeGreaterThan(0.1);
  expect(products).toBeLessThan(0.95);
  expect(unprofiled).toBeGreaterThan(0);
});

test("a step's products are three times those of its linear layers, and attention's", () => {
  const config = benchmarkConfig("lstm", 64, 2, 32);
  const [d, rows] = [64, 64];
  // Per layer: input and recurrent 4 d^2 each, out d^2, SwiGLU 6 d^2; then the head. Forward, and twice that backward.
  const weights = 2 * (4 + 4 + 1 + 6) * d * d + d * 32;
  const exact = 3 * 2 * rows * weights;
  const counted = operationsOfStep(config);
  expect(counted / exact).toBeGreaterThan(0.95);
  expect(counted / exact).toBeLessThan(1.05);
});

test("a Scan's body counts once for each step", () => {
  const operations = (length: number) => {
    const { graph, outputs } = buildGraph(benchmarkConfig("lstm", 64, 2, length));
    return productOperations(graph, Object.values(outputs));
  };
  expect(operations(64) / operations(32)).toBeCloseTo(2, 1);
});
