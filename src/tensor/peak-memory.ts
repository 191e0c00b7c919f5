/**
 * @file Estimates a graph's peak memory: the largest sum of live tensors, if the nodes run in order of creation and each tensor is
 * freed after its last use.
 */

import { type DataType, type Graph, liveNodes, operands, size, type Tensor } from "./graph.ts";

const bytesOf: Record<DataType, number> = { float32: 4, int32: 4, int64: 8, bool: 1 };

/** Bytes, including all inputs and constants. An estimate: ONNX Runtime reuses buffers and reorders nodes. */
export function peakBytes(graph: Graph, outputs: readonly Tensor[]): number {
  const nodes = liveNodes(graph, outputs);
  const bytes = ({ shape, dtype }: Tensor) => size(shape) * bytesOf[dtype];
  const lastUse = new Map<Tensor, number>();
  for (const [i, node] of nodes.entries()) for (const tensor of operands(node)) lastUse.set(tensor, i);
  for (const output of outputs) lastUse.set(output, nodes.length);
  const given = new Set([...graph.inputs, ...graph.constants.map(({ tensor }) => tensor)]);
  let alive = [...given].reduce((total, tensor) => total + bytes(tensor), 0);
  let peak = alive;
  for (const [i, node] of nodes.entries()) {
    // A reshape and an Identity share their input's memory.
    const shares = node.op === "Reshape" || node.op === "Identity";
    if (!shares) alive += node.outputs.reduce((total, output) => total + bytes(output), 0);
    peak = Math.max(peak, alive);
    for (const tensor of new Set(operands(node))) {
      const made = tensor.graph === graph && !given.has(tensor);
      if (made && lastUse.get(tensor) === i && !shares) alive -= bytes(tensor);
    }
  }
  return peak;
}
