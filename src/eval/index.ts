/** @file statelab/eval: benchmarks for language models, endpoints, grades; agents and what an agent is made of. Free of Node. */

export { views } from "./agents/context/index.ts";
export { environments } from "./agents/environments/index.ts";
export { policies } from "./agents/policies/index.ts";
export { definePolicy } from "./agents/policies/policy.ts";
export { benches, benchNamed } from "./benchmarks/index.ts";
export type { Endpoint } from "./endpoints/endpoint.ts";
export { httpEndpoint } from "./endpoints/http-endpoint.ts";
export { scriptedEndpoint } from "./endpoints/scripted-endpoint.ts";
export type { Execute } from "./execute.ts";
export { arms, type Bench, type BenchInput, defineBench } from "./question.ts";
export { gradeLiteral } from "./scoring/grade.ts";
