/**
 * @file statelab/eval: language models asked what programs do: benches, endpoints, grading, scores. For Node, because
 * answers run in a sandbox and are kept in a folder.
 *
 *     const question = benchNamed("parity").prepare(params, input).question(0);
 *     const { grade } = await question.judge([reply], sandbox.execute);
 */

export { type BenchName, benches, benchNamed, benchNames } from "../eval/benches/index.ts";
export { taskBench } from "../eval/benches/task-bench.ts";
export type { Ask, Endpoint, Parameters } from "../eval/endpoint.ts";
export type { Execute } from "../eval/execute.ts";
export { type Grade, gradeCall, gradeLiteral } from "../eval/grade.ts";
export { type HttpOptions, httpEndpoint } from "../eval/http-endpoint.ts";
export { readLiteral } from "../eval/literal.ts";
export { equalLiteral, type Literal, sameLiteral } from "../eval/literal-value.ts";
export { passAtK, programInterval } from "../eval/pass-at-k.ts";
export { type Protocol, type ProtocolName, protocols } from "../eval/protocols.ts";
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
export { scoreCruxeval } from "../eval/score-cruxeval.ts";
export { type ScriptLine, scriptedEndpoint } from "../eval/scripted-endpoint.ts";
export type { ReadTranscript } from "../eval/transcripts/index.ts";
export type { Diagnosis, Transcript } from "../records/transcript.ts";
export { type AskOrder, askBench } from "../work/ask/ask.ts";
export { chosenBench } from "../work/ask/bench.ts";
export {
  type Asked as AskedEndpoint,
  type Asking,
  openScript,
  openServer,
  type ServerOptions,
} from "../work/ask/endpoint.ts";
export { exportAsking } from "../work/ask/export.ts";
export { type AskedOn, type AskOnOptions, askOn } from "../work/ask/on-engine.ts";
export { type AskReplay, replayAsking } from "../work/ask/replay.ts";
export { type AskEnd, type AskRun, runAsk } from "../work/ask/run.ts";
export { openSandbox, type Sandbox, type SandboxOptions } from "../work/ask/sandbox.ts";
export { type ScoreFileOptions, scoreFile } from "../work/ask/score.ts";
export { type AskedSeveral, askSeveral } from "../work/ask/several.ts";
export { diagnosed, diagnosedBy, openTranscripts, type RecordRun } from "../work/diagnose/diagnose.ts";
export { type ReplayMessage, replayOf } from "../work/diagnose/replay.ts";
export { silent } from "../work/progress.ts";
