/** @file The launch request: records a run of a program, or opens a recording. */

import { basename, resolve } from "node:path";
import { z } from "zod";
import { nearest } from "../../core/did-you-mean.ts";
import { LabError } from "../../core/error.ts";
import { openRecording, type Recording } from "../../python/debugger/index.ts";
import { hostNames, longestSeconds } from "../../python/sandbox/host.ts";
import { parseHistory } from "../../schemas/execution-trace.ts";
import { parseJson } from "../../storage/index.ts";
import { recordHistory } from "../trace/call.ts";
import { modulesBeside } from "../trace/modules.ts";

/** The attributes of a launch configuration; editors/vscode/package.json has the same. */
export const LaunchArguments = z.object({
  program: z.string().optional().describe("Python file to record"),
  call: z.string().optional().describe("Call to record, such as count([1, 2]); without it the whole script"),
  args: z.array(z.string()).optional().describe("Command-line arguments of the script (sys.argv)"),
  stdin: z.string().optional().describe("Text that the program reads from standard input"),
  python: z.enum(hostNames).default("embedded").describe("embedded (WebAssembly) or native (CPython, Linux)"),
  maxSteps: z.int().positive().default(20_000).describe("Maximum lines, calls and returns"),
  timeout: z
    .number()
    .positive()
    .max(longestSeconds)
    .default(10)
    .describe("Seconds after which the program is stopped"),
  recording: z.string().optional().describe("Recording to open, saved by statelab debug --save"),
  stopOnEntry: z.boolean().default(false).describe("Stop at the first line"),
  noDebug: z.boolean().default(false).describe("Print the program's output and end"),
});

/** Attributes that editors add. */
const added = ["name", "type", "request"];

export interface Launched {
  readonly run: Recording;
  /** The program's file; undefined if only the recording has the source. */
  readonly path?: string;
  readonly name: string;
  readonly stopOnEntry: boolean;
  readonly noDebug: boolean;
}

/** Reads a program or a recording in the encoding that it names. @throws LabError */
export type ReadProgram = (file: string) => string;

/** @throws LabError in one sentence: a mistake in the configuration, a program that gives no recording, or no sandbox */
export async function launch(given: unknown, read: ReadProgram, signal: AbortSignal): Promise<Launched> {
  const parsed = LaunchArguments.safeParse(given);
  if (!parsed.success) {
    const [{ path, message }] = parsed.error.issues;
    throw new LabError(`launch: ${path.join(".")}: ${message}`);
  }
  checkNames(Object.keys(given as object));
  const { program, call, args, stdin, python, maxSteps, timeout, recording, stopOnEntry, noDebug } =
    parsed.data;
  const mode = { stopOnEntry, noDebug };
  const file = recording ?? program;
  if (file === undefined) throw new LabError('launch: give "program", a Python file, or "recording"');
  const path = resolve(file);
  const text = read(path);
  if (recording !== undefined) {
    const [extra] = Object.entries({ call, args, stdin }).find(([, value]) => value !== undefined) ?? [];
    if (extra !== undefined)
      throw new LabError(
        `launch: "recording" and "${extra}" cannot be combined: the run is recorded already. Leave one out`,
      );
    const run = openRecording(parseHistory(parseJson(text, path), path), path);
    const source = program === undefined ? undefined : resolve(program);
    if (source !== undefined && read(source) !== run.record.source)
      throw new LabError(
        `launch: ${source} is not the text that ${path} was recorded from. Leave "program" out`,
      );
    return { ...mode, run, name: basename(path), ...(source !== undefined && { path: source }) };
  }
  if (call?.trim() === "") throw new LabError('launch: "call" is empty. Write a call such as f(1, 2)');
  const made = recordHistory({
    ...{ source: text, call: call ?? "None", file: basename(path) },
    ...modulesBeside(path, text),
    ...(args !== undefined && { argv: args }),
    ...(stdin !== undefined && { stdin }),
    ...{ maximumSteps: maxSteps, host: python, wallSeconds: timeout, signal },
  });
  const record = await made.catch((error: unknown) => {
    if (signal.aborted) throw new LabError("launch: the client ended the session");
    throw error;
  });
  const said = "stopped" in record ? record.stopped : record.reason;
  const reason = said?.replace("--timeout N", '"timeout"').replace("--max-steps N", '"maxSteps"') ?? null;
  if ("stopped" in record || record.events.length === 0)
    throw new LabError(`${path}: ${reason ?? "nothing ran"}`);
  return { ...mode, run: openRecording({ ...record, reason }, path), path, name: basename(path) };
}

/** A misspelled attribute would silently run the default. */
function checkNames(names: readonly string[]): void {
  const known = Object.keys(LaunchArguments.shape);
  for (const name of names) {
    if (known.includes(name) || added.includes(name)) continue;
    const close = nearest(name, known);
    if (close !== undefined)
      throw new LabError(`launch: there is no attribute "${name}". Did you mean "${close}"?`);
  }
}
