/**
 * @file Serializes a graph as an ONNX model: the messages of onnx.proto, field by field
 * (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).
 *
 * Only nodes that the outputs need are written. A Scan's body is a graph attribute of its node; it refers to tensors of the outer graph
 * by name.
 */

import { PbfWriter } from "pbf";
import { fail } from "../core/error.ts";
import {
  type Attribute,
  type DataType,
  Graph,
  liveNodes,
  type Node,
  operands,
  size,
  type Tensor,
  type TensorData,
} from "./graph.ts";

const IR_VERSION = 9;
const OPERATOR_SETS = { "": 20, "com.microsoft": 1 };

/** TensorProto.DataType. */
const dataTypes: Record<DataType, number> = { float32: 1, int32: 6, int64: 7, bool: 9 };

/** AttributeProto.AttributeType. */
const attributeTypes = { float: 1, int: 2, string: 3, graph: 5, ints: 7 };

type Rename = (tensor: Tensor) => string;

interface Stored {
  readonly name: string;
  readonly tensor: Tensor;
  readonly data: TensorData;
}

/**
 * The bytes of a .onnx file. `outputs` maps output names to tensors of the graph; inputs in `weights` are stored in the file; those
 * and outputs named in `open` have axes of any length, by name. Errors: LabError for an output with an input's name, and for weights of the wrong length.
 */
export function writeOnnx(
  graph: Graph,
  outputs: Readonly<Record<string, Tensor>>,
  weights: Readonly<Record<string, Float32Array>> = {},
  open: Readonly<Record<string, Readonly<Record<number, string>>>> = {},
): Uint8Array<ArrayBuffer> {
  const fetched = new Map<Tensor, string>();
  const copies: [from: Tensor, to: string][] = [];
  for (const [name, tensor] of Object.entries(outputs)) {
    if (graph.isTaken(name)) fail("writeOnnx", "an output name that no input has", name);
    const given = graph.inputs.includes(tensor) || graph.isConstant(tensor.name);
    if (given || fetched.has(tensor)) copies.push([tensor, name]);
    else fetched.set(tensor, name);
  }
  const rename: Rename = (tensor) => fetched.get(tensor) ?? tensor.name;
  const isStored = (input: Tensor) => Object.hasOwn(weights, input.name);
  for (const input of graph.inputs.filter(isStored)) {
    const { length } = weights[input.name];
    if (length !== size(input.shape))
      fail("writeOnnx", `${size(input.shape)} weights for ${input.name}`, length);
  }
  const writer = new PbfWriter();
  writer.writeVarintField(1, IR_VERSION);
  writer.writeStringField(2, "statelab");
  writer.writeMessage(
    7,
    (_, to) => {
      for (const node of liveNodes(graph, Object.values(outputs)))
        to.writeMessage(1, nodeWriter(rename), node);
      for (const [from, name] of copies) to.writeMessage(1, writeCopy, [rename(from), name] as const);
      to.writeStringField(2, "statelab");
      const stored = graph.inputs.filter(isStored);
      for (const tensor of stored) {
        to.writeMessage(5, writeTensor, { name: tensor.name, tensor, data: weights[tensor.name] });
      }
      const read = tensorsRead(graph, Object.values(outputs));
      for (const { tensor, data } of graph.constants.filter((constant) => read.has(constant.tensor))) {
        to.writeMessage(5, writeTensor, { name: tensor.name, tensor, data });
      }
      for (const tensor of graph.inputs.filter((input) => !isStored(input))) {
        to.writeMessage(11, writeValue, { name: tensor.name, tensor, open: open[tensor.name] });
      }
      for (const [name, tensor] of Object.entries(outputs))
        to.writeMessage(12, writeValue, { name, tensor, open: open[name] });
    },
    graph,
  );
  for (const [domain, version] of Object.entries(OPERATOR_SETS)) {
    if (domain === "" || !graph.portable) writer.writeMessage(8, writeOperatorSet, { domain, version });
  }
  return writer.finish() as Uint8Array<ArrayBuffer>;
}

/** The dependencies of the outputs, including bodies of scans. */
function tensorsRead(graph: Graph, outputs: readonly Tensor[], read = new Set(outputs)): Set<Tensor> {
  for (const node of liveNodes(graph, outputs)) {
    for (const tensor of operands(node)) read.add(tensor);
    for (const body of Object.values(node.attributes)) {
      if (body instanceof Graph) {
        for (const tensor of body.outputs) read.add(tensor);
        tensorsRead(body, body.outputs, read);
      }
    }
  }
  return read;
}

function writeOperatorSet(set: { domain: string; version: number }, to: PbfWriter): void {
  to.writeStringField(1, set.domain);
  to.writeVarintField(2, set.version);
}

function writeCopy([from, name]: readonly [string, string], to: PbfWriter): void {
  to.writeStringField(1, from);
  to.writeStringField(2, name);
  to.writeStringField(4, "Identity");
}

function nodeWriter(rename: Rename) {
  return (node: Node, to: PbfWriter): void => {
    for (const input of node.inputs) to.writeStringField(1, rename(input));
    for (const output of node.outputs) to.writeStringField(2, rename(output));
    to.writeStringField(3, node.outputs[0].name);
    to.writeStringField(4, node.op);
    for (const [name, value] of Object.entries(node.attributes)) {
      to.writeMessage(5, writeAttribute, { name, value, rename });
    }
    if (node.domain !== "") to.writeStringField(7, node.domain);
  };
}

function writeAttribute(
  { name, value, rename }: { name: string; value: Attribute; rename: Rename },
  to: PbfWriter,
): void {
  to.writeStringField(1, name);
  const type = (kind: keyof typeof attributeTypes) => to.writeVarintField(20, attributeTypes[kind]);
  if (typeof value === "number") {
    to.writeVarintField(3, value);
    type("int");
  } else if (typeof value === "string") {
    to.writeBytesField(4, new TextEncoder().encode(value));
    type("string");
  } else if (value instanceof Graph) {
    to.writeMessage(6, bodyWriter(rename), value);
    type("graph");
  } else if ("float" in value) {
    to.writeFloatField(2, value.float);
    type("float");
  } else {
    for (const each of value) to.writeVarintField(8, each);
    type("ints");
  }
}

function bodyWriter(rename: Rename) {
  return (body: Graph, to: PbfWriter): void => {
    // ONNX forbids a body to return a formal or captured tensor directly, or one tensor twice: those are copied.
    const live = liveNodes(body, body.outputs);
    const made = new Set(live.flatMap((node) => node.outputs));
    const names = new Set<string>();
    for (const node of live) to.writeMessage(1, nodeWriter(rename), node);
    const results = body.outputs.map((tensor, i) => {
      const own = made.has(tensor) && !names.has(tensor.name);
      const name = own ? tensor.name : `${tensor.name}_result_${i}`;
      names.add(name);
      if (!own) to.writeMessage(1, writeCopy, [rename(tensor), name] as const);
      return { name, tensor };
    });
    to.writeStringField(2, "body");
    for (const tensor of body.inputs) to.writeMessage(11, writeValue, { name: tensor.name, tensor });
    for (const result of results) to.writeMessage(12, writeValue, result);
  };
}

function writeTensor({ name, tensor, data }: Stored, to: PbfWriter): void {
  for (const dimension of tensor.shape) to.writeVarintField(1, dimension);
  to.writeVarintField(2, dataTypes[tensor.dtype]);
  to.writeStringField(8, name);
  to.writeBytesField(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
}

interface Value {
  readonly name: string;
  readonly tensor: Tensor;
  /** The names of the axes of any length. */
  readonly open?: Readonly<Record<number, string>> | undefined;
}

function writeValue(value: Value, to: PbfWriter): void {
  to.writeStringField(1, value.name);
  to.writeMessage(2, writeType, value);
}

function writeType(value: Value, to: PbfWriter): void {
  to.writeMessage(1, writeTensorType, value);
}

function writeTensorType(value: Value, to: PbfWriter): void {
  to.writeVarintField(1, dataTypes[value.tensor.dtype]);
  to.writeMessage(2, writeShape, value);
}

function writeShape({ tensor, open }: Value, to: PbfWriter): void {
  for (const [axis, dimension] of tensor.shape.entries()) {
    to.writeMessage(
      1,
      (length: number | string, dimensionTo: PbfWriter) =>
        typeof length === "string"
          ? dimensionTo.writeStringField(2, length)
          : dimensionTo.writeVarintField(1, length),
      open?.[axis] ?? dimension,
    );
  }
}
