/**
 * @file statelab/python: Python, contained: hosts, one call traced line by line, or recorded for the debugger, the attacks on the sandbox. For Node.
 *
 *     const traced = await traceCall({ source: "def f(x):\n    return x + 1\n", call: "f(1)" });
 */

export { attackHost, type Finding } from "../python/containment.ts";
export {
  defaultLimits,
  type HostName,
  hostNames,
  type Limits,
  type Outcome,
  type PythonHost,
  type PythonRequest,
  type PythonVersion,
} from "../python/host.ts";
export { openHost } from "../python/open.ts";
export type { Act, Cell, CellOutcome, PythonSession } from "../python/session.ts";
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
} from "../trace/debug/index.ts";
export { findCall } from "../trace/find-call.ts";
export { renderAligned, renderTrace, type TraceFormat, traceFormats } from "../trace/render.ts";
export { type TraceCallOptions, traceCall } from "../work/trace/call.ts";
export { type RecordOptions, recordHistory } from "../work/trace/history.ts";
export { answerOf, withHost } from "../work/trace/host.ts";
