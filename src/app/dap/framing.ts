/**
 * @file Framing of the Debug Adapter Protocol: a header with the number of bytes, then one JSON message.
 *
 *     Content-Length: 59\r\n\r\n{"seq":1,"type":"request","command":"threads","arguments":{}}
 *
 * Source: microsoft.github.io/debug-adapter-protocol/overview, "Base protocol".
 */

import { errorText, LabError } from "../../core/error.ts";

const SEPARATOR = "\r\n\r\n";
const LONGEST_HEADER = 4096;
const LARGEST_MESSAGE = 2 ** 24;

export const frame = (message: unknown): string => {
  const text = JSON.stringify(message);
  return `Content-Length: ${Buffer.byteLength(text)}${SEPARATOR}${text}`;
};

/**
 * The messages of a stream; a body that is no JSON is passed as an error.
 *
 * @throws LabError (corrupt) for a header without a length: the next message cannot be found
 */
export async function* readMessages(
  input: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly message: unknown } | { readonly problem: string }> {
  let buffered = Buffer.alloc(0);
  let length: number | undefined;
  for await (const part of input) {
    buffered = Buffer.concat([buffered, part]);
    for (;;) {
      if (length === undefined) {
        const end = buffered.indexOf(SEPARATOR);
        if (end === -1 && buffered.length <= LONGEST_HEADER) break;
        length = lengthIn(buffered.toString("latin1", 0, end === -1 ? LONGEST_HEADER : end));
        buffered = buffered.subarray(end + SEPARATOR.length);
      }
      if (buffered.length < length) break;
      const text = buffered.toString("utf8", 0, length);
      buffered = buffered.subarray(length);
      length = undefined;
      try {
        yield { message: JSON.parse(text) };
      } catch (error) {
        yield { problem: `a message is not JSON (${errorText(error)})` };
      }
    }
  }
}

function lengthIn(header: string): number {
  const length = Number(/^Content-Length: *(\d{1,10})\s*$/im.exec(header)?.[1] ?? Number.NaN);
  if (length <= LARGEST_MESSAGE) return length;
  throw new LabError(
    `dap: expected a header Content-Length of at most ${LARGEST_MESSAGE}, got ${JSON.stringify(header.slice(0, 80))}. ` +
      "Start statelab dap from an editor that speaks the Debug Adapter Protocol",
    "corrupt",
  );
}
