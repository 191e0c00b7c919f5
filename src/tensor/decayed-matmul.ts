/**
 * @file Products of rows of a chunk with per-channel decay between their steps.
 *
 *     P_ij = sum_c x_ic y_jc e^(l_{j+1,c} + ... + l_ic) for j <= i, else 0           l <= 0
 *
 * As e^(g_i) e^(-g_j), with running sums g, this would be one product of two matrices, but e^(-g_j) overflows float32 for channels with
 * strong decay. So the steps are divided into blocks of 2, 4, 8, ...; i and j belong to the smallest block with both of them, j in its
 * first half, which ends with step m, and i in its second:
 *
 *     e^(l_{j+1} + ... + l_i) = e^(l_{j+1} + ... + l_m) e^(l_{m+1} + ... + l_i)      both factors at most 1
 *
 * For each block size this is a product of two matrices, masked to the pairs of that size.
 */

import { exp } from "./activations.ts";
import { multiply, reshape, sum } from "./arithmetic.ts";
import { sumsBetween } from "./chunks.ts";
import type { Graph, Tensor } from "./graph.ts";
import { matmul } from "./matmul.ts";

import { isMergedAt } from "./unit-lower-inverse.ts";

/**
 * logDecay [..., C, d], or [..., C, 1] if shared by all channels -> a function of x [..., n C, d] and y [..., m C, d], with n and m
 * rows per step, one below the other: [..., n C, m C].
 */
export function fadingProducts(logDecay: Tensor): (x: Tensor, y: Tensor) => Tensor {
  return logDecay.shape.at(-1) === 1 ? evenProducts(logDecay) : unevenProducts(logDecay);
}

function evenProducts(logDecay: Tensor): (x: Tensor, y: Tensor) => Tensor {
  const decay = exp(sumsBetween(logDecay)); // [..., C, C]
  const [order] = decay.shape.slice(-1);
  const leading = decay.shape.slice(0, -2);
  const each = reshape(decay, [...leading, 1, order, 1, order]);
  return (x, y) => {
    const products = matmul(x, y, { transposeY: true }); // [..., n C, m C]
    return reshape(
      multiply(reshape(products, [...leading, -1, order, y.shape.at(-2)! / order, order]), each),
      products.shape,
    );
  };
}

function unevenProducts(logDecay: Tensor): (x: Tensor, y: Tensor) => Tensor {
  const { graph } = logDecay;
  const [order, width] = logDecay.shape.slice(-2);
  const leading = logDecay.shape.slice(0, -2);
  const halves = halvesOf(order);
  const [levels] = [halves.length];
  const toBorders = matmul(betweenBorders(graph, order, halves), logDecay); // [..., L C, d]
  const faded = exp(reshape(toBorders, [...leading, levels, 1, order, width]));
  const rows = (x: Tensor) => {
    const each = multiply(reshape(x, [...leading, 1, -1, order, width]), faded); // [..., L, n, C, d]
    return reshape(each, [...leading, levels, -1, width]);
  };
  return (x, y) => {
    const products = matmul(rows(x), rows(y), { transposeY: true }); // [..., L, n C, m C]
    const [n, m] = [x, y].map(({ shape }) => shape.at(-2)! / order);
    return sum(multiply(products, pairsOf(graph, order, halves, n, m)), { axes: [leading.length] });
  };
}

/** Half the block size of each of the L levels; 0 is a level for i = j. */
function halvesOf(order: number): number[] {
  const halves = [0];
  for (let half = 1; half < order; half *= 2) halves.push(half);
  return halves;
}

/** [L C, C]: for each level and step a row with 1 at the steps whose decay applies between it and the end of its block's first half. */
function betweenBorders(graph: Graph, order: number, halves: readonly number[]): Tensor {
  const cells = new Float32Array(halves.length * order * order);
  for (const [level, half] of halves.entries()) {
    for (let i = 0; i < order && half > 0; i++) {
      const middle = i - (i % (2 * half)) + half - 1;
      const [from, to] = i > middle ? [middle + 1, i] : [i + 1, middle];
      for (let step = from; step <= Math.min(to, order - 1); step++)
        cells[(level * order + i) * order + step] = 1;
    }
  }
  return graph.constant(cells, [halves.length * order, order]);
}

/** [L, n C, m C]: 1 where the level is that of i and j. */
function pairsOf(graph: Graph, order: number, halves: readonly number[], n: number, m: number): Tensor {
  const [rows, columns] = [n * order, m * order];
  const cells = new Float32Array(halves.length * rows * columns);
  for (const [level, half] of halves.entries()) {
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const [i, j] = [row % order, column % order];
        const belongs = half === 0 ? i === j : isMergedAt(half, i, j);
        cells[(level * rows + row) * columns + column] = Number(belongs);
      }
    }
  }
  return graph.constant(cells, [halves.length, rows, columns]);
}
