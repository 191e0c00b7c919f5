/** @file statelab/node: ONNX Runtime for Node, which runs what the entries free of Node have built. */

export { type NodeRuntimeOptions, nodeRuntime } from "../tensor/session-node.ts";
