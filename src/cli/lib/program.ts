/** @file Reads the program and the call that a command traces: FILE, or stdin for `-`, and `--call`. */

import { fail } from "../../core/error.ts";
import { definedNames, findCall } from "../../python/trace/find-call.ts";
import { readInput } from "../../storage/index.ts";

const LARGEST_PROGRAM = 2 ** 20;
export const LARGEST_HISTORY = 2 ** 28;

interface ProgramCall {
  readonly source: string;
  readonly call: string;
}

/**
 * A script, whose last line is neither a definition nor a call, is traced with the call `None`.
 *
 * @throws LabError without a program or a call
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

/** PEP 263, in one of the first two lines: `# -*- coding: latin-1 -*-`. */
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
