/** @file statelab/eval: benchmarks for language models, endpoints, grades; agents and what an agent is made of. Free of Node. */

export { definePolicy } from "./agents/policies/policy.ts";
export { environments, policies, views } from "./agents/registries.ts";
export { benches, benchNamed } from "./benchmarks/index.ts";
export type { Endpoint } from "./endpoints/endpoint.ts";
export { httpEndpoint } from "./endpoints/http-endpoint.ts";
export { scriptedEndpoint } from "./endpoints/scripted-endpoint.ts";
export type { Execute } from "./execute.ts";
export { arms, type Bench, type BenchInput, defineBench } from "./question.ts";
export { gradeLiteral } from "./scoring/grade.ts";
