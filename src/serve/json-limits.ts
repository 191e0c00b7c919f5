/**
 * @file How large a JSON text is before it is parsed: how deep, how many values, how many of them lists and objects.
 *
 *     jsonSize('{"a": [1, 2]}')     { depth: 2, containers: 2, values: 4 }    every comma and every container counts for a value
 *
 * Two bytes can be an object of a hundred, so that a bound on bytes alone bounds neither memory nor time.
 */

export interface JsonSize {
  readonly depth: number;
  readonly containers: number;
  /** Never fewer than there are. */
  readonly values: number;
}

const [QUOTE, BACKSLASH, COMMA] = [34, 92, 44];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/** Of UTF-8, in which no byte of another character looks like one of these. Of what is no JSON it says something, too. */
export function jsonSize(bytes: Uint8Array): JsonSize {
  let [depth, deepest, containers, commas] = [0, 0, 0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
    } else if (byte === COMMA) commas++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      containers++;
      if (++depth > deepest) deepest = depth;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
  return { depth: deepest, containers, values: containers + commas + 1 };
}
