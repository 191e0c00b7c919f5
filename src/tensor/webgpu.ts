/**
 * @file Rewrites a graph for ONNX Runtime's WebGPU provider. Operators that the provider lacks would run on the CPU, with copies.
 *
 *     FusedMatMul         Transpose, MatMul
 *     LogSoftmax          x - max x - log sum exp(x - max x)
 *     ArgMax              the least i with x_i = max x
 *     TopK                i at rank k, where rank i = |{j : x_j > x_i}| + |{j < i : x_j = x_i}|
 *     RotaryEmbedding     with positions that are computed: rows of the tables, and products
 *     Round, Sign         floor(x + 1/2), [x > 0] - [x < 0]
 *     Sin, Cos            polynomials of x - 2 pi round(x / 2 pi): WGSL allows its own an error of 2^-11
 *     Scan                a copy of its body for each step
 *
 * The provider casts no int64: indices are float32 until they are cast to int32, and positions stay int32.
 */

import { exp, log } from "./activations.ts";
import { add, broadcast, integers, multiply, reshape, scale, shift, subtract, sum } from "./arithmetic.ts";
import { embedding, toFloat } from "./embedding.ts";
import { Graph, liveNodes, type Node, node, nodes, type Tensor, within } from "./graph.ts";
import { swapLast } from "./matmul.ts";
import { rotary } from "./rotary.ts";
import { concat } from "./shape.ts";

/** The tensors of the rewritten graph, by those of the given one. */
type Lowered = Map<Tensor, Tensor>;

/** A graph with the same inputs that computes the same outputs. */
export function lowerForWebgpu<Outputs extends string>(
  graph: Graph,
  outputs: Readonly<Record<Outputs, Tensor>>,
): { readonly graph: Graph; readonly outputs: Readonly<Record<Outputs, Tensor>> } {
  const lowered = new Graph({ portable: graph.portable });
  const known: Lowered = new Map();
  for (const input of graph.inputs) known.set(input, lowered.input(input.name, input.shape, input.dtype));
  for (const { tensor, data } of graph.constants)
    known.set(tensor, lowered.constant(data, tensor.shape, tensor.dtype));
  const named = Object.entries(outputs) as [Outputs, Tensor][]; // Object.entries forgets the key type
  within(lowered, () => {
    lowerNodes(
      graph,
      named.map(([, tensor]) => tensor),
      known,
    );
  });
  const entries = named.map(([name, tensor]) => [name, known.get(tensor)!]);
  return { graph: lowered, outputs: Object.fromEntries(entries) as Record<Outputs, Tensor> };
}

/** Adds the nodes that `wanted` needs, and their outputs to `known`. */
function lowerNodes(graph: Graph, wanted: readonly Tensor[], known: Lowered): void {
  for (const each of liveNodes(graph, wanted)) {
    const inputs = each.inputs.map((input) => known.get(input)!);
    const made = lowerNode(each, inputs, known);
    for (const [i, output] of each.outputs.entries()) known.set(output, made[i]);
  }
}

function lowerNode(given: Node, inputs: readonly Tensor[], known: Lowered): readonly Tensor[] {
  const { op, domain, attributes, outputs } = given;
  if (op === "FusedMatMul") {
    const [x, y] = inputs;
    const factors = [attributes.transA ? swapLast(x) : x, attributes.transB ? swapLast(y) : y];
    return [node("MatMul", factors, { shape: outputs[0].shape })];
  }
  if (op === "LogSoftmax") {
    const [x] = inputs;
    const shifted = subtract(x, extreme("ReduceMax", x));
    return [subtract(shifted, log(sum(exp(shifted), { axes: [-1], keep: true })))];
  }
  if (op === "ArgMax") return [argMax(inputs[0])];
  if (op === "TopK") return largest(inputs[0], outputs[0].shape.at(-1)!);
  if (op === "Round") return [round(inputs[0])];
  if (op === "Sign") {
    const [x] = inputs;
    const zero = x.graph.scalar(0);
    return [subtract(isGreater(x, zero), isGreater(zero, x))];
  }
  if (op === "Sin" || op === "Cos") {
    const [x] = inputs;
    const angle = subtract(x, scale(round(scale(x, 1 / (2 * Math.PI))), 2 * Math.PI));
    const square = multiply(angle, angle);
    return [op === "Sin" ? multiply(polynomial(square, SINE), angle) : polynomial(square, COSINE)];
  }
  if (op === "Cast" && outputs[0].dtype === "int64") return inputs; // positions
  if (op === "RotaryEmbedding" && inputs[1].dtype === "int32") {
    const [x, positions, cos, sin] = inputs;
    const shape = [x.shape[0], 1, x.shape[2], cos.shape[1]];
    const rows = (table: Tensor) => reshape(embedding(table, positions), shape);
    return [rotary(x, { cos: rows(cos), sin: rows(sin) })];
  }
  if (op === "Scan") return unroll(given, inputs, known);
  return nodes(op, inputs, { domain, attributes, outputs });
}

function unroll({ attributes, outputs }: Node, inputs: readonly Tensor[], known: Lowered): Tensor[] {
  const body = attributes.body as Graph; // of every Scan
  const scanned = attributes.num_scan_inputs as number;
  const [reverse] = attributes.scan_input_directions as readonly number[]; // scan() gives all of a node the same
  const outward = attributes.scan_output_directions as readonly number[];
  const count = inputs.length - scanned;
  const xs = inputs.slice(count);
  const length = xs[0].shape[0];
  let states = inputs.slice(0, count);
  const rows: Tensor[][] = outputs.slice(count).map(() => []);
  for (let step = 0; step < length; step++) {
    const inner: Lowered = new Map(known);
    const t = reverse ? length - 1 - step : step;
    for (const [i, state] of states.entries()) inner.set(body.inputs[i], state);
    for (const [i, x] of xs.entries()) inner.set(body.inputs[count + i], at(x, t));
    lowerNodes(body, body.outputs, inner);
    const results = body.outputs.map((tensor) => inner.get(tensor)!);
    states = results.slice(0, count);
    for (const [i, result] of results.slice(count).entries()) rows[i].push(result);
  }
  const stacked = rows.map((each, i) => stack(outward[i] ? each.toReversed() : each));
  return [...states, ...stacked];
}

/** sin(x) / x and cos(x) on [-pi, pi] as polynomials of x^2, lowest power first: Chebyshev series, within 5e-7 in float32. */
const SINE = [0.9999995999, -0.1666655264, 0.008332402989, -1.980863334e-4, 2.699714637e-6, -2.036224491e-8];
const COSINE = [
  ...[0.9999999891, -0.499999891, 0.04166648922, -0.00138878036],
  ...[2.476988356e-5, -2.707903082e-7, 1.724509175e-9],
];

function polynomial(x: Tensor, coefficients: readonly number[]): Tensor {
  const [last, ...others] = coefficients.toReversed();
  return others.reduce((sum, each) => shift(multiply(sum, x), each), x.graph.scalar(last));
}

function round(x: Tensor): Tensor {
  return node("Floor", [shift(x, 0.5)], { shape: x.shape });
}

/** 1 where x > y, else 0. */
function isGreater(x: Tensor, y: Tensor): Tensor {
  return toFloat(node("Greater", [x, y], { shape: broadcast("greater", x.shape, y.shape), dtype: "bool" }));
}

/** x [..., n] -> the first index of each row's largest entry, [...]. */
function argMax(x: Tensor): Tensor {
  const width = x.shape.at(-1)!;
  const isLargest = node("Equal", [x, extreme("ReduceMax", x)], { shape: x.shape, dtype: "bool" });
  const { graph } = x;
  const places = node("Where", [isLargest, counting(graph, width), graph.scalar(width)], { shape: x.shape });
  return reshape(extreme("ReduceMin", places), x.shape.slice(0, -1));
}

/** x [..., n] -> the values and indices of each row's largest entries, in descending order, ties in order of index: [..., count]. */
function largest(x: Tensor, count: number): Tensor[] {
  const width = x.shape.at(-1)!;
  const { graph } = x;
  const rows = x.shape.slice(0, -1);
  const isEqual = (a: Tensor, b: Tensor) =>
    toFloat(node("Equal", [a, b], { shape: broadcast("equal", a.shape, b.shape), dtype: "bool" }));
  const across = reshape(x, [...rows, 1, width]);
  const down = reshape(x, [...rows, width, 1]);
  const before = graph.constant(
    Float32Array.from({ length: width * width }, (_, i) => Number(i % width < Math.floor(i / width))),
    [width, width],
  );
  const ahead = add(isGreater(across, down), multiply(isEqual(across, down), before));
  const rank = reshape(sum(ahead, { axes: [-1] }), [...rows, 1, width]);
  const hot = isEqual(rank, reshape(counting(graph, count), [count, 1]));
  const pick = (y: Tensor) => sum(multiply(hot, y), { axes: [-1] });
  return [pick(across), pick(counting(graph, width))];
}

/** Over the last axis, which stays, with length 1. */
function extreme(op: "ReduceMax" | "ReduceMin", x: Tensor): Tensor {
  const axis = x.shape.length - 1;
  return node(op, [x, integers(x.graph, [axis])], { shape: x.shape.with(axis, 1) });
}

/** 0, 1, ..., length - 1. */
function counting(graph: Graph, length: number): Tensor {
  return graph.constant(
    Float32Array.from({ length }, (_, i) => i),
    [length],
  );
}

/** x[t] along the first axis. */
function at(x: Tensor, t: number): Tensor {
  const index = x.graph.constant(Int32Array.of(t), []);
  return node("Gather", [x, index], { shape: x.shape.slice(1), dtype: x.dtype, attributes: { axis: 0 } });
}

/** Tensors of one shape along a new first axis. */
function stack(rows: readonly Tensor[]): Tensor {
  const [{ shape }] = rows;
  const flat = shape.length === 0 ? rows.map((row) => reshape(row, [1])) : rows;
  return reshape(concat(flat, 0), [rows.length, ...shape]);
}
