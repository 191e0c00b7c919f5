/**
 * @file Utilization of a training step: the floating-point operations of its matrix
 * products, relative to the rate of one large product.
 *
 *     X [m, k] Y [k, n]    2 m k n operations
 *     share = (operations of a step / its seconds) / (2 N^3 / seconds of a product of two N x N matrices)
 */

import { rngFrom } from "../../src/core/rng.ts";
import { median } from "../../src/core/statistics.ts";
import { liveNodes, type Node } from "../../src/tensor/graph.ts";
import { compile, Graph, matmul, size, type Tensor } from "../../src/tensor/index.ts";
import { nodeRuntime } from "../../src/tensor/session-node.ts";

const ORDER = 1024;
const RUNS = 9;
const PRODUCTS = new Set(["MatMul", "Gemm", "FusedMatMul"]);

/** Operations of all matrix products that `outputs` need; a Scan's body counts once for each of its steps. */
export function productOperations(graph: Graph, outputs: readonly Tensor[]): number {
  return liveNodes(graph, outputs).reduce((total, node) => total + operationsOf(node), 0);
}

function operationsOf({ op, inputs, outputs, attributes }: Node): number {
  if (PRODUCTS.has(op)) {
    const [x] = inputs;
    const inner = x.shape.at(attributes.transA === 1 ? -2 : -1)!;
    return 2 * size(outputs[0].shape) * inner;
  }
  const { body, num_scan_inputs: scanned } = attributes;
  if (!(body instanceof Graph) || typeof scanned !== "number") return 0;
  const [steps] = inputs[inputs.length - scanned].shape;
  return steps * productOperations(body, body.outputs);
}

/** Operations a second of ONNX Runtime's product of two matrices of order 1,024, median of 9. */
export async function machineRate(threads: number): Promise<number> {
  const graph = new Graph();
  const [x, y] = ["x", "y"].map((name) => graph.input(name, [ORDER, ORDER]));

  const { run, release } = await compile(graph, { z: matmul(x, y) }, nodeRuntime({ threads }));
  const rng = rngFrom(0);
  const numbers = () => Float32Array.from({ length: ORDER * ORDER }, () => rng.next() - 0.5);
  const feeds = { x: numbers(), y: numbers() };
  const into = { z: new Float32Array(ORDER * ORDER) };
  const seconds: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    const start = performance.now();
    await run(feeds, into);
    seconds.push((performance.now() - start) / 1000);
  }
  await release();
  return (2 * ORDER ** 3) / median(seconds);
}
