/** @file `statelab dap`: one session of a debug adapter on a pair of streams, until the client disconnects. */

import { Adapter } from "./adapter.ts";
import { frame, readMessages } from "./framing.ts";
import type { ReadProgram } from "./launch.ts";

export interface DapStreams {
  readonly input: AsyncIterable<Uint8Array>;
  readonly write: (text: string) => void;
  /** Reads a program or a recording. */
  readonly read: ReadProgram;
  readonly signal: AbortSignal;
}

/** Requests are answered in order. `terminate` and `disconnect` also stop a recording under way. */
export async function serveDap({ input, write, read, signal }: DapStreams): Promise<void> {
  const ended = new AbortController();
  const adapter = new Adapter({
    send: (message) => write(frame(message)),
    read,
    signal: AbortSignal.any([signal, ended.signal]),
  });
  let answered = Promise.resolve();
  for await (const each of readMessages(input)) {
    if ("problem" in each) {
      adapter.report(each.problem);
      continue;
    }
    const { command } = Object(each.message) as { readonly command?: unknown };
    if (command === "terminate" || command === "disconnect") ended.abort();
    answered = answered.then(() => adapter.handle(each.message));
    if (command === "disconnect") break;
  }
  ended.abort();
  await answered;
}
