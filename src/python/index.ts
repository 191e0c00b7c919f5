/**
 * @file statelab/python: contained Python, the attacks on its sandbox, recorded runs and their debugger, texts of traces. For Node.
 *
 *     const host = await openHost();
 *     await host.execute({ operation: "execute", code: "", expression: "1 + 1 == 2" });
 */

export { execute, openRecording, openSession, renderReply } from "./debugger/index.ts";
export type { Limits, Outcome, PythonHost } from "./sandbox/host.ts";
export { openHost } from "./sandbox/open.ts";
export { renderAligned } from "./trace/render.ts";
