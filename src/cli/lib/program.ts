/** @file Reads the program and the call that a command traces: FILE, or stdin for `-`, and `--call`; what `--stdin` and `--argv` give it. */

import { fail } from "../../core/error.ts";
import { definedNames, findRun } from "../../python/trace/find-call.ts";
import { readInput } from "../../storage/index.ts";
import { flag } from "./flags.ts";

const LARGEST_PROGRAM = 2 ** 20;
export const LARGEST_HISTORY = 2 ** 28;

const LARGEST_INPUT = 2 ** 24;

export const inputOptions = {
  stdin: flag.text("FILE", "what the program reads from standard input [nothing]"),
  argv: flag.text("WORDS", "sys.argv after the program's name, quoted as in a shell"),
};

interface Inputs {
  readonly stdin?: string;
  readonly argv?: readonly string[];
}

/** The text of `--stdin`, without a byte changed, and the words of `--argv`: `1 'two words' a\ b` are three. @throws LabError */
export function readInputs(
  file: string,
  values: { readonly [K in keyof Inputs]: string | undefined },
): Inputs {
  const { stdin, argv } = values;
  if (file === "-" && stdin === "-") fail("--stdin -", "a file", "stdin, which is the program");
  const word = /(?:"[^"]*"|'[^']*'|\\.|[^\s"'\\])+/g;
  if (argv !== undefined && argv.replaceAll(word, "").trim() !== "")
    fail("--argv", "words whose quotes are closed", argv);
  const words = argv?.match(word) ?? [];
  return {
    ...(stdin !== undefined && { stdin: inputText(stdin) }),
    ...(argv !== undefined && {
      argv: words.map((each) => each.replaceAll(/"([^"]*)"|'([^']*)'|\\(.)/g, "$1$2$3")),
    }),
  };
}

function inputText(file: string): string {
  const bytes = readInput(file === "-" ? 0 : file, { at: nameOf(file), largestBytes: LARGEST_INPUT });
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail(`--stdin ${file}`, "text in UTF-8", "bytes that are not", undefined, "corrupt");
  }
}

/**
 * A script, whose last line is neither a definition nor a call, is traced with the call `None`.
 *
 * @throws LabError without a program or a call
 */
export function programCall(file: string, call: string | undefined) {
  const at = nameOf(file);
  const program = readProgram(file);
  if (program.trim() === "") fail(at, "a Python program", "an empty file");
  return callIn(program, at, call);
}

export const nameOf = (file: string): string => (file === "-" ? "stdin" : file);

export function callIn(program: string, at: string, call: string | undefined) {
  if (call?.trim() === "") fail("--call", 'a call, "f(1, 2)"', call);
  const found = call === undefined ? findRun(program) : { source: program, call };
  if (found !== undefined) return found;
  const [name] = definedNames(program);
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
