/**
 * @file Scans Python source as text: what stands outside of strings and brackets.
 *
 *     parts("f([1, 2], 'a == b') == 3", "==")     ["f([1, 2], 'a == b') ", " 3"]
 */

/** A string that is not closed goes to the end: it is looked at once, however many quotes are in it. */
const token =
  /[A-Za-z]{0,2}("""|''')(?:\\[\s\S]|(?!\1)[^\\])*(?:\1|$)|[A-Za-z]{0,2}"(?:\\[\s\S]|[^"\\\n])*"?|[A-Za-z]{0,2}'(?:\\[\s\S]|[^'\\\n])*'?|#[^\n]*|[([{]|[)\]}]|[=!<>]=|[^\W\d]\w*|[\s\S]/gu;

/** The text cut at every separator (one token: `,`, `==`, `=`) outside of strings, comments and brackets. */
export function parts(text: string, separator: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let start = 0;
  for (const match of text.matchAll(token)) {
    const [found] = match;
    if ("([{".includes(found)) depth++;
    else if (")]}".includes(found)) depth--;
    else if (depth === 0 && found === separator) {
      pieces.push(text.slice(start, match.index));
      start = match.index + found.length;
    }
  }
  return [...pieces, text.slice(start)];
}

/** `f` and `1, [2]` of `f(1, [2])`; undefined where the text is not one call of one name. */
export function callParts(text: string): { readonly name: string; readonly input: string } | undefined {
  const [, name, rest] = /^\s*([^\W\d]\w*)\s*(\([\s\S]*)$/u.exec(text) ?? [];
  if (rest === undefined) return undefined;
  let depth = 0;
  for (const { 0: found, index } of rest.matchAll(token)) {
    if ("([{".includes(found)) depth++;
    else if (")]}".includes(found) && --depth === 0) {
      const behind = rest.slice(index + 1);
      return /^\s*(?:#[^\n]*)?$/.test(behind) ? { name, input: rest.slice(1, index) } : undefined;
    }
  }
  return undefined;
}

/** The source with its names replaced; strings, comments, attributes and names of keyword arguments stay. */
export function renamed(source: string, names: ReadonlyMap<string, string>): string {
  let before = "";
  return source.replaceAll(token, (found, ...rest) => {
    const dotted = before === ".";
    if (/\S/.test(found)) before = found;
    const at = rest.find((each): each is number => typeof each === "number")!; // the match's place is among them
    const keyword =
      /^\s*=(?!=)/.test(source.slice(at + found.length)) && /[(,]\s*$/.test(source.slice(0, at));
    return dotted || keyword ? found : (names.get(found) ?? found);
  });
}
