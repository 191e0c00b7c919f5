/**
 * @file Graphs of ONNX nodes: an op is a function that appends a node, with its gradient in terms of other ops.
 *
 *     const graph = new Graph();
 *     const x = graph.input("x", [2, 3]);              // a handle: shape and dtype, no data
 *     const y = node("Sigmoid", [x], { shape: x.shape, gradient: (dy, y) => [mul(dy, mul(y, subtract(one, y)))] });
 *
 * Nodes are kept in order of creation, which is topological. Equal nodes are created once.
 * A graph can be the body of a Scan: then it has a parent, and its nodes may use the tensors of all its ancestors.
 */

import { fail, Words } from "../core/error.ts";
import { isLeaf, type Leaves, type Shape, type ShapeTree } from "./parameters.ts";

/** The tree of parameters as tensors of a graph. */
export type TensorTree<P> = Leaves<P, Tensor>;

export type DataType = "float32" | "int32" | "int64" | "bool";
export type { Shape };
export type TensorData = Float32Array | Int32Array | BigInt64Array | Uint8Array;

/** A symbolic value of a graph. */
export interface Tensor {
  readonly name: string;
  readonly shape: Shape;
  readonly dtype: DataType;
  readonly graph: Graph;
}

export type Attribute = number | { readonly float: number } | string | readonly number[] | Graph;

/**
 * One gradient per operand (inputs, then captured tensors); undefined if there is none.
 * dy[i] is undefined if the loss does not use output i.
 */
export type Gradient = (dy: readonly (Tensor | undefined)[]) => readonly (Tensor | undefined)[];

export interface Node {
  readonly op: string;
  /** "" is the standard ONNX operator set. */
  readonly domain: "" | "com.microsoft";
  readonly inputs: readonly Tensor[];
  /**
   * Further operands, which ONNX does not list as inputs of the node: outer tensors used in a Scan's body, or the arguments of a closed
   * form (`withGradient`). Mutable like the outputs.
   */
  readonly captured: Tensor[];
  /** Mutable: a Scan gains outputs when its gradient needs values of its body. */
  readonly outputs: Tensor[];
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly gradient: Gradient | undefined;
}

export interface Constant {
  readonly tensor: Tensor;
  readonly data: TensorData;
}

export class Graph {
  readonly parent: Graph | undefined;
  readonly depth: number;
  /** Use only operators of the ONNX standard: slower here, portable. */
  readonly portable: boolean;
  readonly nodes: Node[] = [];
  readonly inputs: Tensor[] = [];
  /** Outputs of a Scan's body; a root graph's outputs are named when it is compiled. */
  readonly outputs: Tensor[] = [];
  readonly constants: Constant[] = [];
  readonly #known = new Map<string, Tensor[]>();
  readonly #producers = new Map<Tensor, Node>();
  readonly #knownConstants = new Map<string, Constant[]>();
  readonly #constantNames = new Set<string>();
  /** Shared by a root and its bodies: ONNX resolves names from the inside out, so names must be unique. */
  readonly #names: { next: number; readonly taken: Set<string> };

  constructor(options: { portable?: boolean; parent?: Graph } = {}) {
    this.parent = options.parent;
    this.depth = options.parent === undefined ? 0 : options.parent.depth + 1;
    this.portable = options.portable ?? options.parent?.portable ?? false;
    this.#names = options.parent === undefined ? { next: 0, taken: new Set() } : options.parent.#names;
  }

  /** A value to feed at every run. */
  input(name: string, shape: Shape, dtype: DataType = "float32"): Tensor {
    if (this.#names.taken.has(name)) fail("Graph.input", "a new name", name);
    this.#names.taken.add(name);
    return this.#newInput(name, shape, dtype);
  }

  /** An unnamed input: of a Scan's body. */
  formal(shape: Shape, dtype: DataType = "float32"): Tensor {
    return this.#newInput(this.freshName("formal"), shape, dtype);
  }

  #newInput(name: string, shape: Shape, dtype: DataType): Tensor {
    const tensor = { name, shape, dtype, graph: this };
    this.inputs.push(tensor);
    return tensor;
  }

  /** Inputs for all parameters of a tree, in the same shape. */
  parameters<P extends ShapeTree>(tree: P, prefix = ""): TensorTree<P> {
    const entries = Object.entries(tree).map(([key, value]) => {
      const path = prefix === "" ? key : `${prefix}.${key}`;
      return [key, isLeaf(value) ? this.input(path, value.shape) : this.parameters(value, path)];
    });
    // The mapped type follows the keys of the tree, which Object.entries does not express.
    return Object.fromEntries(entries) as TensorTree<P>;
  }

  /** Numbers known at graph construction. Equal constants are stored once, at the root. */
  constant(data: TensorData, shape: Shape, dtype: DataType = tensorDtype(data)): Tensor {
    if (this.parent !== undefined) return this.parent.constant(data, shape, dtype);
    if (data.length !== size(shape)) fail("Graph.constant", `${size(shape)} numbers`, data.length);
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    const key = `${dtype}[${shape}]${hash(bytes)}`;
    const alike = this.#knownConstants.get(key) ?? [];
    const known = alike.find((other) => sameBytes(bytes, other.data));
    if (known !== undefined) return known.tensor;
    const tensor = { name: this.freshName("constant"), shape, dtype, graph: this };
    const constant = { tensor, data };
    this.constants.push(constant);
    this.#constantNames.add(tensor.name);
    this.#knownConstants.set(key, [...alike, constant]);
    return tensor;
  }

  /** Whether this graph, or a related one, has a tensor with the name. */
  isTaken(name: string): boolean {
    return this.#names.taken.has(name);
  }

  isConstant(name: string): boolean {
    return this.#constantNames.has(name);
  }

  scalar(value: number): Tensor {
    return this.constant(Float32Array.of(value), []);
  }

  freshName(op: string): string {
    let name = `${op}_${this.#names.next++}`;
    while (this.#names.taken.has(name)) name = `${op}_${this.#names.next++}`;
    this.#names.taken.add(name);
    return name;
  }

  /** Appends a node, or returns an existing equal one. Ops call `node` or `nodes` instead. */
  append(key: string, make: () => Node): readonly Tensor[] {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = make();
    this.nodes.push(made);
    this.#known.set(key, made.outputs);
    for (const output of made.outputs) this.#producers.set(output, made);
    return made.outputs;
  }

  /** The node of an op that made the tensor, so that another op can use its operands; undefined for inputs and closed forms. */
  producer(tensor: Tensor): Node | undefined {
    return this.#producers.get(tensor);
  }
}

export function size(shape: Shape): number {
  return shape.reduce((product, dimension) => product * dimension, 1);
}

interface NodeOptions {
  readonly attributes?: Readonly<Record<string, Attribute>>;
  readonly domain?: "" | "com.microsoft";
  /** Target graph; by default the deepest one that an input belongs to, or the one being built by `within`. */
  readonly graph?: Graph;
}

/** Appends a node with one output. `gradient` gets dL/dy and y; omit it for non-differentiable ops. */
export function node(
  op: string,
  inputs: readonly Tensor[],
  options: NodeOptions & {
    readonly shape: Shape;
    readonly dtype?: DataType;
    readonly gradient?: (dy: Tensor, y: Tensor) => readonly (Tensor | undefined)[];
  },
): Tensor {
  const { gradient, shape, dtype } = options;
  const outputs: readonly Tensor[] = nodes(op, inputs, {
    ...options,
    outputs: [{ shape, dtype: dtype ?? "float32" }],
    gradient: gradient && (([dy]) => (dy === undefined ? [] : gradient(dy, outputs[0]))),
  });
  return outputs[0];
}

/** Appends a node with several outputs. */
export function nodes(
  op: string,
  inputs: readonly Tensor[],
  options: NodeOptions & {
    readonly outputs: readonly { readonly shape: Shape; readonly dtype?: DataType }[];
    readonly gradient?: Gradient | undefined;
  },
): readonly Tensor[] {
  const graph = options.graph ?? home(inputs);
  const attributes = options.attributes ?? {};
  const make = (): Node => ({
    op,
    domain: options.domain ?? "",
    inputs,
    captured,
    outputs: options.outputs.map(({ shape, dtype }) => ({
      name: graph.freshName(op),
      shape,
      dtype: dtype ?? "float32",
      graph,
    })),
    attributes,
    gradient: options.gradient,
  });
  const body = Object.values(attributes).find((value) => value instanceof Graph);
  const captured = body === undefined ? [] : capturedBy(body);
  const shapes = options.outputs.map((output) => output.shape.join("x")).join(";");
  // A node inside a closed form may have no gradient: it must not replace an equal one with a gradient.
  const kind = options.gradient === undefined ? "fixed" : "differentiable";
  const equal = () =>
    `${kind} ${op}(${inputs.map((input) => input.name)})${JSON.stringify(attributes)}${shapes}`;
  return graph.append(body === undefined ? equal() : graph.freshName("body"), make);
}

/**
 * y with a custom gradient in place of that of its nodes: for closed forms that are cheaper or more exact. `gradient` gets dL/dy and
 * returns one gradient for each of `inputs`, which must be y's only dependencies.
 */
export function withGradient(
  y: Tensor,
  inputs: readonly Tensor[],
  gradient: (dy: Tensor) => readonly (Tensor | undefined)[],
): Tensor {
  const graph = home([y, ...inputs]);
  const output = { name: graph.freshName("Identity"), shape: y.shape, dtype: y.dtype, graph };
  graph.nodes.push({
    op: "Identity",
    domain: "",
    inputs: [y],
    captured: [...inputs],
    outputs: [output],
    attributes: {},
    gradient: ([dy]) => (dy === undefined ? [] : [undefined, ...gradient(dy)]),
  });
  return output;
}

let building: Graph | undefined;

/** Assigns the nodes that `build` appends to `graph`, even those that use only tensors of its ancestors. */
export function within<T>(graph: Graph, build: () => T): T {
  const before = building;
  building = graph;
  try {
    return build();
  } finally {
    building = before;
  }
}

/** The graph of a node with these inputs: the innermost among their graphs. */
export function home(inputs: readonly Tensor[]): Graph {
  let deepest = building;
  for (const { graph } of inputs) {
    if (deepest === undefined || graph.depth > deepest.depth) deepest = graph;
  }
  return deepest ?? fail("node", "an input, or a graph", new Words("neither"));
}

/** The nodes that `outputs` need, in order; dead ones are omitted. */
export function liveNodes(graph: Graph, outputs: readonly Tensor[]): Node[] {
  const needed = new Set(outputs);
  const live: Node[] = [];
  for (let i = graph.nodes.length - 1; i >= 0; i--) {
    const node = graph.nodes[i];
    if (!node.outputs.some((output) => needed.has(output))) continue;
    for (const operand of operands(node)) needed.add(operand);
    live.push(node);
  }
  return live.reverse();
}

/** All operands of a node. */
export function operands(node: Node): readonly Tensor[] {
  return node.captured.length === 0 ? node.inputs : [...node.inputs, ...node.captured];
}

/** Ancestors' tensors that a body captures, except constants. */
export function capturedBy(body: Graph): Tensor[] {
  const used = [...liveNodes(body, body.outputs).flatMap(operands), ...body.outputs];
  return [...new Set(used)].filter(
    (tensor) =>
      tensor.graph.depth < body.depth &&
      !tensor.graph.isConstant(tensor.name) &&
      !body.inputs.includes(tensor),
  );
}

/** Whether a tensor is differentiable. */
export function isSmooth({ dtype }: Tensor): boolean {
  return dtype === "float32";
}

export function tensorDtype(data: TensorData): DataType {
  if (data instanceof Float32Array) return "float32";
  if (data instanceof Int32Array) return "int32";
  return data instanceof BigInt64Array ? "int64" : "bool";
}

/** FNV-1a. */
function hash(bytes: Uint8Array): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) h = Math.imul(h ^ bytes[i], 0x01000193);
  return h;
}

function sameBytes(bytes: Uint8Array, { buffer, byteOffset, byteLength }: TensorData): boolean {
  const other = new Uint8Array(buffer, byteOffset, byteLength);
  return bytes.length === other.length && bytes.every((byte, i) => byte === other[i]);
}
