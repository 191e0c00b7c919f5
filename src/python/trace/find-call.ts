/**
 * @file Finds the call to trace: in an assert of a benchmark, or in the last line of a program.
 *
 *     assert small_nnum([10, 20], 1) == [10]     call "small_nnum([10, 20], 1)", expected "[10]", name "small_nnum"
 *
 *     def f(n): return n + 1
 *     print(f(2))                     source: the first line; call: f(2)
 *
 * The scanner skips brackets and strings, so an `==` inside of them is not a comparison.
 */

export interface FoundCall {
  /** The program without the line that calls. */
  readonly source: string;
  readonly call: string;
}

/** Undefined if the last line is not a call of a function defined at the top level. */
export function findCall(program: string): FoundCall | undefined {
  const trimmed = program.trimEnd();
  const start = trimmed.lastIndexOf("\n") + 1;
  const [source, last] = [trimmed.slice(0, start), trimmed.slice(start)];
  if (/^\s/.test(last)) return undefined;
  const asserted = parseAssert(last, source);
  if (asserted !== undefined) return { source, call: asserted.call };
  const call = /^print\(([\s\S]+)\)$/.exec(last)?.[1] ?? last;
  const name = /^([^\W\d]\w*)\s*\([\s\S]*\)$/.exec(call)?.[1];
  if (name === undefined || !definedNames(source).includes(name)) return undefined;
  return { source, call };
}

/** The call in the program's last line, or `None` for a script, whose last line is a statement. Undefined of definitions alone. */
export function findRun(program: string): FoundCall | undefined {
  const last = program.match(/^[^\s#)\]}].*/gm)?.at(-1) ?? "";
  const isScript = definedNames(program).length === 0 || !/^(?:async def\b|def\b|class\b|@)/.test(last);
  return findCall(program) ?? (isScript ? { source: program, call: "None" } : undefined);
}

/** The functions that are defined at the top level of the program, in order. */
export function definedNames(source: string): string[] {
  return [...source.matchAll(/^(?:async[ \t]+)?def[ \t]+([^\W\d]\w*)/gm)].map((match) => match[1]);
}

/** Undefined if the text is not `assert CALL == VALUE`, or calls no function that `source` defines. */
export function parseAssert(text: string, source: string) {
  const body = /^\s*assert\b([\s\S]*)$/.exec(text)?.[1];
  if (body === undefined) return undefined;
  const pieces = topLevel(body);
  const at = pieces.comparison;
  if (at === undefined) return undefined;
  const call = body.slice(0, at).trim();
  const expected = body.slice(at + 2, pieces.comma).trim();
  const defined = new Set(
    [...source.matchAll(/^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)/gm)].map((match) => match[1]),
  );
  const name = [...call.matchAll(/\b([^\W\d]\w*)\s*\(/g)]
    .map((match) => match[1])
    .find((each) => defined.has(each));
  // `name`: the function of the program that is called.
  return name === undefined || expected === "" ? undefined : { name, call, expected };
}

/**
 * The first `==` and the first comma after it outside of brackets and strings. Linear time: each character is read
 * once.
 */
function topLevel(text: string): { readonly comparison?: number; readonly comma?: number } {
  let depth = 0;
  let comparison: number | undefined;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '"' || character === "'") at = endOfString(text, at);
    else if (character === "#") at = lineEnd(text, at);
    else if ("([{".includes(character)) depth++;
    else if (")]}".includes(character)) depth--;
    else if (depth !== 0) continue;
    else if (comparison === undefined && text.startsWith("==", at)) comparison = at++;
    else if (comparison !== undefined && character === ",") return { comparison, comma: at };
  }
  return comparison === undefined ? {} : { comparison };
}

/** The closing quote of the string that begins at `from`; the end of the text if it is not closed. */
function endOfString(text: string, from: number): number {
  const quote = text[from];
  const closing = text.startsWith(quote.repeat(3), from) ? quote.repeat(3) : quote;
  for (let at = from + closing.length; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text.startsWith(closing, at)) return at + closing.length - 1;
  }
  return text.length;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}
