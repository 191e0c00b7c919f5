/** @file `statelab dap`: one session of a debug adapter on a pair of streams, until the client disconnects. */

import { z } from "zod";
import { LabError } from "../../core/error.ts";
import { EvaluationError } from "../../python/values/value.ts";
import { frame, readMessages } from "./framing.ts";
import type { ReadProgram } from "./launch.ts";
import { type Client, requests } from "./requests.ts";
import { short } from "./stops.ts";

export interface DapStreams {
  readonly input: AsyncIterable<Uint8Array>;
  readonly write: (text: string) => void;
  /** Reads a program or a recording. */
  readonly read: ReadProgram;
  readonly signal: AbortSignal;
}

const Request = z.object({
  ...{ seq: z.int(), type: z.literal("request"), command: z.string(), arguments: z.unknown().optional() },
});

/** Requests are answered in order. `terminate` and `disconnect` also stop a recording under way. */
export async function serveDap({ input, write, read, signal }: DapStreams): Promise<void> {
  const ended = new AbortController();
  let sent = 0;
  const send = (message: object) => {
    sent += 1;
    write(frame({ seq: sent, ...message }));
  };
  const report = (problem: string) => {
    const body = { category: "important", output: `statelab dap: ${problem}; it is ignored\n` };
    send({ type: "event", event: "output", body });
  };
  /** Sent after the response of the request that caused them. */
  let events: { readonly event: string; readonly body: object }[] = [];
  const client: Client = {
    emit: (event, body = {}) => {
      if (event === "stopped") events = events.filter((each) => each.event !== event); // of several the last
      events.push({ event, body });
    },
    ...{ read, signal: AbortSignal.any([signal, ended.signal]) },
    ...{ debuggee: undefined, firstLine: 1, firstColumn: 1, nextId: 1 },
  };
  const answer = async ({ seq, command, arguments: given }: z.infer<typeof Request>) => {
    send({ type: "response", request_seq: seq, command, ...(await respond(command, given, client)) });
    for (const { event, body } of events.splice(0)) send({ type: "event", event, body });
  };
  let answered = Promise.resolve();
  for await (const each of readMessages(input)) {
    const parsed = Request.safeParse("message" in each && each.message);
    if (!parsed.success) {
      report("problem" in each ? each.problem : "a message is not a request with seq, type and command");
      continue;
    }
    const { command } = parsed.data;
    if (command === "terminate" || command === "disconnect") ended.abort();
    answered = answered.then(() => answer(parsed.data));
    if (command === "disconnect") break;
  }
  ended.abort();
  await answered;
}

async function respond(command: string, given: unknown, client: Client): Promise<object> {
  try {
    const body = await run(command, given, client);
    return { success: true, ...(body !== undefined && { body }) };
  } catch (error) {
    if (!(error instanceof LabError || error instanceof EvaluationError)) throw error;
    const words = error instanceof EvaluationError ? `${error.type}: ${error.message}` : error.message;
    const shown = { id: 1, format: "{words}", variables: { words }, showUser: command === "launch" };
    return { success: false, message: words, body: { error: shown } };
  }
}

function run(command: string, given: unknown, client: Client): unknown {
  const handler = Object.hasOwn(requests, command) ? requests[command] : undefined;
  if (handler === undefined) throw new LabError(`statelab dap has no request ${short(command)}`);
  const parsed = handler.schema.safeParse(given ?? {});
  if (parsed.success) return handler.run(parsed.data, client);
  const [{ path, message }] = parsed.error.issues;
  throw new LabError(`${command}: ${path.join(".")}: ${message}`);
}
