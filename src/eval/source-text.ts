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

/** Whether every bracket outside of strings and comments is closed. */
export function isClosed(text: string): boolean {
  let depth = 0;
  for (const [found] of text.matchAll(token)) {
    if ("([{".includes(found)) depth++;
    else if (")]}".includes(found)) depth--;
  }
  return depth <= 0;
}

/**
 * What an assertion claims, without the word, its message and brackets around the whole.
 *
 *     assert (f(17) == 17, "so")     f(17) == 17
 */
export function claimOf(text: string): string {
  const [, word, rest] = /^(assert\b)?\s*([\s\S]*)$/.exec(text.trim())!; // every text is of this form
  let claim = rest;
  for (let before = ""; before !== claim; ) {
    before = claim;
    const pieces = parts(claim, ",");
    const message = pieces.length > 1 && /^\s*[fFrRuU]{0,2}["']/.test(pieces.at(-1)!);
    if (word !== undefined && message && parts(claim, "==").length === 2)
      claim = pieces.slice(0, -1).join(",").trim();
    if (/^\([\s\S]*\)$/.test(claim)) {
      const inside = claim.slice(1, -1);
      // the first bracket closes at the end, and what is in it is a comparison
      if (opensOnce(inside) && parts(inside, "==").length === 2) claim = inside.trim();
    }
  }
  return claim;
}

/** Whether no bracket closes that was not opened in it. */
function opensOnce(text: string): boolean {
  let depth = 0;
  for (const [found] of text.matchAll(token)) {
    if ("([{".includes(found)) depth++;
    else if (")]}".includes(found) && --depth < 0) return false;
  }
  return true;
}

/** Both sides of what an assertion claims by `==` or `is`, or the whole alone. */
export function sidesOf(text: string): string[] {
  const claim = claimOf(text);
  const [equal, same] = ["==", "is"].map((separator) => parts(claim, separator));
  const sides = equal.length === 2 ? equal : same.length === 2 && equal.length === 1 ? same : [claim];
  return sides.map((side) => side.trim());
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
    const opened = before === "(" || before === ",";
    if (/\S/.test(found)) before = found;
    if (!names.has(found)) return found; // and nothing is looked for behind it: blanks would be read again for each of them
    const at = rest.find((each): each is number => typeof each === "number")!; // the match's place is among them
    const keyword = opened && /^\s*=(?!=)/.test(source.slice(at + found.length));
    return dotted || keyword ? found : names.get(found)!; // it is one of them
  });
}
