/**
 * @file statelab/python: Python, contained: hosts, one call traced line by line, or recorded for the debugger, the attacks on the sandbox. For Node.
 *
 *     const traced = await traceCall({ source: "def f(x):\n    return x + 1\n", call: "f(1)" });
 */

export { type TraceCallOptions, traceCall } from "../app/trace/call.ts";
export { type RecordOptions, recordHistory } from "../app/trace/history.ts";
export {
  commandsIn,
  type Executed,
  execute,
  openRecording,
  openSession,
  type Recording as RunRecording,
  type Reply,
  renderReply,
  type Session,
  type Stop,
} from "../python/debugger/index.ts";
export {
  defaultLimits,
  type HostName,
  hostNames,
  type Limits,
  type Outcome,
  type PythonHost,
  type PythonRequest,
  type PythonVersion,
} from "../python/sandbox/host.ts";
export { openHost } from "../python/sandbox/open.ts";
export { attackHost, type Finding } from "../python/sandbox/sandbox-audit.ts";
export type { Act, Cell, CellOutcome, PythonSession } from "../python/sandbox/session.ts";
export { answerOf, withHost } from "../python/sandbox/with-host.ts";
export { findCall } from "../python/trace/infer-call.ts";
export { renderAligned, renderTrace, type TraceFormat, traceFormats } from "../python/trace/render.ts";
