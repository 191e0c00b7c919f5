/**
 * @file Redacts keys in output and logs, in every escaping in which a server may repeat them.
 *
 *     sk-a/b    sk-a\/b    sk-a\u002fb    sk-a%2Fb    sk-a&#47;b      each becomes [key]
 *
 * Replies are never changed: a reply that contains the key is an error and is not stored (http-endpoint.ts).
 */

/** A shorter key is too likely to be part of an answer, or of a word in an error. */
export const shortestKey = 8;

export interface Redactor {
  redact(text: string): string;
  /** Whether the text contains a secret. */
  finds(text: string): boolean;
}

export function redactor(secrets: readonly string[]): Redactor {
  const long = secrets.filter((secret) => secret.length >= shortestKey);
  if (long.length === 0) return { redact: (text) => text, finds: () => false };
  const pattern = long
    .toSorted((a, b) => b.length - a.length)
    .map((secret) => Array.from(secret, forms).join(""))
    .join("|");
  return {
    redact: (text) => text.replaceAll(new RegExp(pattern, "g"), "[key]"),
    finds: (text) => new RegExp(pattern).test(text),
  };
}

/** One character as text, JSON, a URL and HTML write it. */
function forms(character: string): string {
  const code = character.charCodeAt(0);
  const hex = (digits: number) =>
    Array.from(code.toString(16).padStart(digits, "0"), (digit) =>
      /[a-f]/.test(digit) ? `[${digit}${digit.toUpperCase()}]` : digit,
    ).join("");
  const plain = character.replace(/[^\w]/, "\\$&");
  // the longer forms first: a key may end in the character that begins one
  return `(?:\\\\+u${hex(4)}|\\\\+x${hex(2)}|%${hex(2)}|&#0*${code};|&#[xX]0*${hex(1)};|\\\\{0,2}${plain})`;
}
