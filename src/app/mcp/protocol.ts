/**
 * @file The Model Context Protocol with one client, without a transport: JSON-RPC 2.0 messages in and out.
 *
 *     in    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "where_from", "arguments": {...}}}
 *     out   {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "..."}], "structuredContent": {...}}}
 *
 * The server announces tools only. Calls run in the order in which they came; ping and cancellation are handled at once.
 *
 * Source: modelcontextprotocol.io/specification/2025-11-25
 */

import { z } from "zod";
import { suggest } from "../../core/did-you-mean.ts";
import { LabError } from "../../core/error.ts";
import { semaphore } from "../../core/semaphore.ts";
import { parseWith } from "../../core/settings.ts";
import { labVersion } from "../../storage/version.ts";
import { fit, type Tool } from "./tool.ts";

/** The newest first. */
export const protocolVersions: readonly string[] = ["2025-11-25", "2025-06-18"];

/** Codes of JSON-RPC 2.0. */
export const codes = { parse: -32700, request: -32600, method: -32601, parameters: -32602, fault: -32603 };

const Id = z.union([z.string(), z.number()]);
type Id = z.infer<typeof Id>;
const Message = z.object({
  jsonrpc: z.literal("2.0"),
  id: Id.optional(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).default({}),
});
const Reply = z.object({ jsonrpc: z.literal("2.0"), id: Id, method: z.undefined() });
const Initialize = z.object({ protocolVersion: z.string() });
const Call = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).default({}),
  _meta: z.object({ progressToken: Id.optional() }).optional(),
});
const Cancelled = z.object({ requestId: Id });

export const errorMessage = (id: Id | null, code: number, message: string) => ({
  ...{ jsonrpc: "2.0", id },
  error: { code, message },
});

export type Send = (message: object) => void;
export type Tools = Readonly<Record<string, Tool>>;

class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const PROGRESS_MILLISECONDS = 1000;
/** Calls that run at once, of all clients. */
const slots = semaphore(4);

export class Connection {
  readonly #tools: Tools;
  readonly #onFault: (error: unknown) => void;
  readonly #inFlight = new Map<Id, AbortController>();
  /** Resolves when the latest call has ended. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(tools: Tools, onFault: (error: unknown) => void) {
    this.#tools = tools;
    this.#onFault = onFault;
  }

  /** Handles a message; `send` gets its progress and its response. A notification and a cancelled request have no response. */
  async handle(message: unknown, send: Send): Promise<void> {
    const parsed = Message.safeParse(message);
    if (!parsed.success) {
      if (Reply.safeParse(message).success) return; // the server sends no requests
      send(errorMessage(null, codes.request, "expected a request or a notification of JSON-RPC 2.0"));
      return;
    }
    const { id, method, params } = parsed.data;
    if (id === undefined) {
      const cancelled = method === "notifications/cancelled" ? Cancelled.safeParse(params) : undefined;
      if (cancelled?.success) this.#inFlight.get(cancelled.data.requestId)?.abort();
      return;
    }
    if (this.#inFlight.has(id)) {
      send(errorMessage(id, codes.request, `id: ${id} is the id of a request under way. Use another`));
      return;
    }
    const controller = new AbortController();
    this.#inFlight.set(id, controller);
    try {
      const result = await this.#answer(method, params, send, controller.signal);
      if (!controller.signal.aborted) send({ jsonrpc: "2.0", id, result });
    } catch (error) {
      if (controller.signal.aborted) return;
      if (error instanceof RpcError) send(errorMessage(id, error.code, error.message));
      else {
        this.#onFault(error);
        send(errorMessage(id, codes.fault, "a fault of the server; its stderr says which"));
      }
    } finally {
      this.#inFlight.delete(id);
    }
  }

  /** Stops the programs of all calls. */
  close(): void {
    for (const controller of this.#inFlight.values()) controller.abort();
  }

  async #answer(method: string, params: unknown, send: Send, signal: AbortSignal): Promise<object> {
    switch (method) {
      case "initialize": {
        const { protocolVersion } = parameters(Initialize, params);
        return {
          protocolVersion: protocolVersions.includes(protocolVersion) ? protocolVersion : protocolVersions[0],
          capabilities: { tools: {} },
          serverInfo: { name: "statelab", title: "Statelab", version: labVersion() },
          instructions:
            "To explain a wrong value: debug_open at the end of the failing call, then where_from for the value. Programs run once, in a sandbox.",
        };
      }
      case "ping":
        return {};
      case "tools/list":
        return { tools: Object.entries(this.#tools).map(([name, tool]) => described(name, tool)) };
      case "tools/call": {
        const { name, arguments: given, _meta } = parameters(Call, params);
        if (!Object.hasOwn(this.#tools, name)) {
          const names = Object.keys(this.#tools);
          const hint = suggest(name, names, `The tools are ${names.join(", ")}`);
          throw new RpcError(codes.parameters, `no tool ${JSON.stringify(name.slice(0, 60))}. ${hint}`);
        }
        const before = this.#last;
        const call = before.then(async () => {
          if (!(await slots.take(signal))) signal.throwIfAborted();
          return await withProgress(_meta?.progressToken, send, () =>
            callTool(this.#tools[name], given, signal),
          ).finally(() => slots.release());
        });
        this.#last = call.catch(() => {});
        return await call;
      }
      default:
        throw new RpcError(codes.method, `no method ${JSON.stringify(method.slice(0, 60))}`);
    }
  }
}

function parameters<T>(schema: z.ZodType<T>, params: unknown): T {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  throw new RpcError(codes.parameters, `params.${path.join(".")}: ${message}`);
}

/** The schemas of arguments and answers are plain objects in every version of JSON schema. */
function described(name: string, { title, description, input, output, writes }: Tool) {
  const schema = (zod: z.ZodType, io: "input" | "output") => {
    const { $schema: _, ...rest } = z.toJSONSchema(zod, { io });
    return rest;
  };
  return {
    ...{
      name,
      title,
      description,
      inputSchema: schema(input, "input"),
      outputSchema: schema(output, "output"),
    },
    annotations: { readOnlyHint: writes !== true, destructiveHint: false, openWorldHint: false },
  };
}

/** A user's mistake is an answer that the model reads, not a protocol error. */
async function callTool(tool: Tool, given: unknown, signal: AbortSignal) {
  try {
    const args = parseWith(tool.input, given, "arguments");
    const { text, structured } = fit(await tool.run(args, signal), args);
    return { content: [{ type: "text", text }], structuredContent: structured };
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    return { content: [{ type: "text", text: error.message }], isError: true };
  }
}

/** Reports the seconds of a call, to a client that asked for progress. */
async function withProgress<T>(token: Id | undefined, send: Send, work: () => Promise<T>): Promise<T> {
  if (token === undefined) return await work();
  let progress = 0;
  const report = () => {
    const params = { progressToken: token, progress, message: `running for ${progress} s` };
    send({ jsonrpc: "2.0", method: "notifications/progress", params });
    progress++;
  };
  report();
  const timer = setInterval(report, PROGRESS_MILLISECONDS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
