/**
 * @file statelab/eval: language models asked what programs do: benches, endpoints, grading, scores. For Node, because
 * answers run in a sandbox and are kept in a folder.
 *
 *     const question = benchNamed("parity").prepare(params, input).question(0);
 *     const { grade } = await question.judge([reply], sandbox.execute);
 */

export { diagnosed, diagnosedBy, openTranscripts, type RecordRun } from "../app/diagnose/diagnose.ts";
export { type ReplayMessage, replayOf } from "../app/diagnose/replay.ts";
export { chosenBench } from "../app/llm/benchmark.ts";
export {
  type Asked as AskedEndpoint,
  type Asking,
  openScript,
  openServer,
  type ServerOptions,
} from "../app/llm/endpoint.ts";
export { type AskOrder, askBench } from "../app/llm/eval.ts";
export { exportAsking } from "../app/llm/export.ts";
export { type AskedSeveral, askSeveral } from "../app/llm/multi-model.ts";
export { type AskReplay, replayAsking } from "../app/llm/replay.ts";
export { type AskEnd, type AskRun, runAsk } from "../app/llm/run.ts";
export { openSandbox, type Sandbox, type SandboxOptions } from "../app/llm/sandbox.ts";
export { type ScoreFileOptions, scoreFile } from "../app/llm/score.ts";
export { type AskedOn, type AskOnOptions, askOn } from "../app/llm/sharded.ts";
export { silent } from "../core/progress.ts";
export { type BenchName, benches, benchNamed, benchNames } from "../eval/benchmarks/index.ts";
export { taskBench } from "../eval/benchmarks/task-benchmark.ts";
export type { Ask, Endpoint, Parameters } from "../eval/endpoints/endpoint.ts";
export { type HttpOptions, httpEndpoint } from "../eval/endpoints/http-endpoint.ts";
export { type Protocol, type ProtocolName, protocols } from "../eval/endpoints/protocols.ts";
export { type ScriptLine, scriptedEndpoint } from "../eval/endpoints/scripted-endpoint.ts";
export type { Execute } from "../eval/execute.ts";
export {
  type Arm,
  arms,
  type Bench,
  type BenchData,
  type BenchInput,
  defineBench,
  type Judgement,
  type Predict,
  predictions,
  type QuestionSet,
  type Style,
  styles,
} from "../eval/question.ts";
export { type Grade, gradeCall, gradeLiteral } from "../eval/scoring/grade.ts";
export { passAtK, programInterval } from "../eval/scoring/pass-at-k.ts";
export { scoreCruxeval } from "../eval/scoring/score-cruxeval.ts";
export type { ReadTranscript } from "../eval/transcripts/index.ts";
export { equalLiteral, sameLiteral } from "../python/values/equality.ts";
export { readLiteral } from "../python/values/literal.ts";
export type { Value } from "../python/values/value.ts";
export type { Diagnosis, Transcript } from "../schemas/transcript.ts";
