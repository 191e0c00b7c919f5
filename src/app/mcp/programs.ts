/** @file What the tools read: files below the root folder, programs and transcripts in their arguments. */

import { realpathSync, statSync } from "node:fs";
import { basename, resolve, sep } from "node:path";
import { z } from "zod";
import { LabError } from "../../core/error.ts";
import type { PythonHost } from "../../python/sandbox/host.ts";
import type { HistoryRecord } from "../../schemas/execution-trace.ts";
import { recordHistory } from "../trace/call.ts";
import { modulesBeside } from "../trace/modules.ts";

export interface McpOptions {
  /** Tools read files below this folder. */
  readonly root: string;
  /** Recordings of debug_open are written here. */
  readonly sessions: string;
  readonly host: PythonHost;
  readonly wallSeconds: number;
  readonly maximumSteps: number;
  /** The text of a Python file or a recording, in the encoding that it names. */
  readonly read: (file: string) => string;
  /** The program and the call to run; `at` names it in errors. */
  readonly callIn: (text: string, at: string, call: string | undefined) => { source: string; call: string };
}

const LONGEST_TEXT = 2 ** 20;
const text = z.string().min(1).max(LONGEST_TEXT);

export const Program = {
  source: text.optional().describe("the Python program"),
  file: text.optional().describe("a Python file below the root folder, instead of source"),
  call: text.optional().describe("the call to run, such as f(1, 2) [the program's last line]"),
};
export type Program = z.infer<z.ZodObject<typeof Program>>;

const isFrom = (root: string, path: string) =>
  path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`);

/** The real path of a file or folder below the root. @throws LabError for others, also by a link */
export function pathBelow(root: string, path: string, kind: "file" | "folder"): string {
  const [base, place] = [realpathSync(root), resolve(root, path)];
  const refuse = (why: string): never => {
    throw new LabError(`${path}: ${why}. This server reads ${root} (--root)`);
  };
  if (!isFrom(resolve(root), place)) refuse("this path is outside of the root folder");
  let real = place;
  try {
    real = realpathSync(place);
  } catch {
    refuse(`there is no such ${kind}`);
  }
  if (!isFrom(base, real)) refuse("a link leads out of the root folder");
  const found = statSync(real);
  return (kind === "file" ? found.isFile() : found.isDirectory()) ? real : refuse(`this is not a ${kind}`);
}

export function programIn({ root, read, callIn }: McpOptions, { source, file, call }: Program) {
  if ((source === undefined) === (file === undefined))
    throw new LabError(
      "arguments: give either source, a Python program, or file, a path below the root folder",
    );
  if (file === undefined) return callIn(source as string, "source", call); // one is given
  const path = pathBelow(root, file, "file");
  const found = callIn(read(path), file, call);
  return { ...found, file: basename(file), ...modulesBeside(path, found.source) };
}

/** The recorded run of a program. @throws LabError where it gives none */
export async function record(
  options: McpOptions,
  program: Program,
  signal: AbortSignal,
): Promise<HistoryRecord> {
  const { host, wallSeconds, maximumSteps } = options;
  const found = programIn(options, program);
  const made = await recordHistory({ ...found, host, wallSeconds, maximumSteps, signal });
  if ("stopped" in made) throw new LabError(`the program gave no recording: ${made.stopped}`);
  if (made.events.length === 0)
    throw new LabError(`the program gave no recording: ${made.reason ?? "nothing ran"}`);
  return made;
}
