/**
 * @file Reverse-mode differentiation of a graph: appends the nodes that compute dL/dp to the same graph.
 *
 *     dL/dx = sum over the nodes y = f(..., x, ...) of  f's own gradient at dL/dy
 */

import { fail } from "../core/error.ts";
import { add } from "./arithmetic.ts";
import { isSmooth, type Node, operands, size, type Tensor } from "./graph.ts";

/** dL/dp for every parameter p; loss is a scalar. Throws for a parameter that the loss does not use. */
export function grad(loss: Tensor, parameters: readonly Tensor[]): Tensor[] {
  if (size(loss.shape) !== 1) fail("grad", "a loss with one number", loss.shape);
  const one = loss.graph.constant(Float32Array.of(1), loss.shape);
  const gradients = pullBack(loss.graph.nodes, [[loss, one]], parameters);
  return parameters.map(
    (parameter, i) => gradients[i] ?? fail("grad", "a loss that depends on every parameter", parameter.name),
  );
}

/** Declares that the caller handles the gradient of a node's operand j; used by Scan for weights from outside. */
export type Takes = (node: Node, j: number, dy: readonly (Tensor | undefined)[]) => boolean;

/**
 * Vector-Jacobian product: given dL/dy for some tensors of a graph, dL/dx for others (undefined if there is none).
 * `nodes` are the forward nodes in topological order.
 */
export function pullBack(
  nodes: readonly Node[],
  seeds: readonly (readonly [y: Tensor, dy: Tensor])[],
  wanted: readonly Tensor[],
  takes?: Takes,
): (Tensor | undefined)[] {
  const forward = [...nodes]; // gradients append to the same list
  const varying = dependents(forward, wanted);
  const sums = new Map<Tensor, Tensor>();
  const accumulate = (x: Tensor, dx: Tensor) => {
    if (x.shape.join() !== dx.shape.join()) {
      fail("grad", `a gradient of shape [${x.shape}] for ${x.name}`, dx.shape);
    }
    const before = sums.get(x);
    sums.set(x, before === undefined ? dx : add(before, dx));
  };
  for (const [y, dy] of seeds) accumulate(y, dy);
  for (let i = forward.length - 1; i >= 0; i--) {
    const node = forward[i];
    const dy = node.outputs.map((output) => sums.get(output));
    if (dy.every((each) => each === undefined)) continue;
    if (!operands(node).some((operand) => varying.has(operand))) continue;
    if (node.gradient === undefined) fail("grad", "an op with a gradient", node.op);
    for (const [j, dx] of node.gradient(dy).entries()) {
      const x = operands(node)[j];
      if (dx !== undefined && varying.has(x) && !takes?.(node, j, dy)) accumulate(x, dx);
    }
  }
  return wanted.map((x) => sums.get(x));
}

/** The tensors that depend differentiably on any of `sources`, including these: integers and booleans stop the propagation. */
function dependents(nodes: readonly Node[], sources: readonly Tensor[]): Set<Tensor> {
  const found = new Set(sources.filter(isSmooth));
  for (const node of nodes) {
    if (operands(node).some((operand) => found.has(operand))) {
      for (const output of node.outputs.filter(isSmooth)) found.add(output);
    }
  }
  return found;
}
