/**
 * @file The asserts of a benchmark as calls with what they should give.
 *
 *     assert small_nnum([10, 20], 1) == [10]     call "small_nnum([10, 20], 1)", expected "[10]", name "small_nnum"
 *
 * The text is scanned with its brackets and strings, so that an `==` inside of them is no comparison.
 */

export interface AssertedCall {
  /** The function of the program that is called. */
  readonly name: string;
  readonly call: string;
  readonly expected: string;
}

/** Undefined where the text is no `assert CALL == VALUE`, or calls no function that `source` defines. */
export function parseAssert(text: string, source: string): AssertedCall | undefined {
  const body = /^\s*assert\b([\s\S]*)$/.exec(text)?.[1];
  if (body === undefined) return undefined;
  const pieces = topLevel(body);
  const at = pieces.comparison;
  if (at === undefined) return undefined;
  const call = body.slice(0, at).trim();
  const expected = body.slice(at + 2, pieces.comma).trim();
  const defined = new Set([...source.matchAll(/^\s*(?:async\s+)?def\s+(\w+)/gm)].map((match) => match[1]));
  const name = [...call.matchAll(/\b([^\W\d]\w*)\s*\(/g)]
    .map((match) => match[1])
    .find((each) => defined.has(each));
  return name === undefined || expected === "" ? undefined : { name, call, expected };
}

/** Where the first `==` and the first comma after it stand outside of brackets and strings. */
function topLevel(text: string): { readonly comparison?: number; readonly comma?: number } {
  const token = /("""|''')[\s\S]*?\1|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|#[^\n]*|[([{]|[)\]}]|==|,/g;
  let depth = 0;
  let comparison: number | undefined;
  for (const match of text.matchAll(token)) {
    const [found] = match;
    if ("([{".includes(found)) depth++;
    else if (")]}".includes(found)) depth--;
    else if (depth === 0 && found === "==" && comparison === undefined) comparison = match.index;
    else if (depth === 0 && found === "," && comparison !== undefined)
      return { comparison, comma: match.index };
  }
  return comparison === undefined ? {} : { comparison };
}
