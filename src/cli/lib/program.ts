/** @file The program and the call that a command is asked about: FILE, or stdin for `-`, and `--call`. */

import { fail } from "../../core/error.ts";
import { definedNames, findCall } from "../../python/trace/find-call.ts";
import { readInput } from "../../storage/index.ts";

const LARGEST_PROGRAM = 2 ** 20;

export interface ProgramCall {
  readonly source: string;
  readonly call: string;
}

/**
 * A script, which ends in no definition and in no call, is followed alone, up to the call `None`.
 *
 * @throws LabError where there is no program, or no call.
 */
export function programCall(file: string, call: string | undefined): ProgramCall {
  const at = nameOf(file);
  const program = readProgram(file);
  if (program.trim() === "") fail(at, "a Python program", "an empty file");
  return callIn(program, at, call);
}

export const nameOf = (file: string): string => (file === "-" ? "stdin" : file);

export function callIn(program: string, at: string, call: string | undefined): ProgramCall {
  if (call?.trim() === "") fail("--call", 'a call, "f(1, 2)"', call);
  const found = call === undefined ? findCall(program) : { source: program, call };
  if (found !== undefined) return found;
  const [name] = definedNames(program);
  const last = program.match(/^[^\s#)\]}].*/gm)?.at(-1) ?? "";
  if (name === undefined || !/^(?:async def\b|def\b|class\b|@)/.test(last))
    return { source: program, call: "None" };
  return fail(at, "a call of a function in the last line, or --call", "neither", `Add --call "${name}(...)"`);
}

/** In one of the first two lines, as Python reads it: `# -*- coding: latin-1 -*-`. */
const encodingLine = /^(?:[ \t\f]*(?:#[^\n]*)?\r?\n)?[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)/;

/** The file's text, or stdin's for `-`, in the encoding that it names. */
export function readProgram(file: string, largestBytes = LARGEST_PROGRAM): string {
  const at = nameOf(file);
  const bytes = readInput(file === "-" ? 0 : file, { at, largestBytes });
  const [encoding] = encodingLine.exec(bytes.toString("latin1"))?.slice(1) ?? ["utf-8"];
  if (/^(latin-?1|iso-?8859-?1)$/i.test(encoding.replaceAll("_", "-"))) return bytes.toString("latin1");
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return fail(at, `text in ${encoding.toUpperCase()}`, "bytes that are not", undefined, "corrupt");
  }
}
