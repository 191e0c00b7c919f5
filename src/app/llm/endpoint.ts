/** @file Where `ask` gets its answers: a server, or a script. */

import type { Endpoint } from "../../eval/endpoints/endpoint.ts";
import { httpEndpoint } from "../../eval/endpoints/http-endpoint.ts";
import { type ProtocolName, protocols } from "../../eval/endpoints/protocols.ts";
import { ScriptLine, scriptedEndpoint } from "../../eval/endpoints/scripted-endpoint.ts";
import { readJsonLines } from "../data/files.ts";
import { type Connection, connectionWith } from "./connection.ts";

/** Who is asked. */
export type Asked =
  | { readonly kind: "script"; readonly path: string; readonly model?: string | undefined }
  | ({ readonly kind: "server" } & ServerOptions);

export interface ServerOptions {
  readonly baseUrl: URL;
  readonly protocol: ProtocolName;
  /** As the server calls it. */
  readonly model: string;
  readonly key: string | undefined;
  /** Sent besides, and those of their values that nobody may see. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly connectSeconds: number;
  /** Of silence, and of a request as a whole. */
  readonly idleSeconds: number;
  readonly totalSeconds: number;
  /** Whether prompts are held against the server's count of tokens. */
  readonly checkPrompt: boolean;
  /** Whether replies are to come in pieces, so that their speed is known. */
  readonly stream?: boolean;
}

export interface Asking {
  readonly endpoint: Endpoint;
  readonly endpointName: string;
  readonly protocol: string;
  readonly model: string;
  readonly connection?: Connection;
}

/** The caller closes the connection. @throws LabError (corrupt) naming the line of a script. */
export async function openEndpoint(asked: Asked, onAdapted?: (words: string) => void): Promise<Asking> {
  switch (asked.kind) {
    case "script":
      return openScript(asked.path, asked.model);
    case "server":
      return openServer(asked, onAdapted);
    default:
      return asked satisfies never;
  }
}

/** Answers from a file of JSON lines, in order. */
export async function openScript(path: string, model = "scripted"): Promise<Asking> {
  const script = await readJsonLines(path, ScriptLine);
  const endpointName = `scripted:${script.checksum.slice(0, 16)}`;
  return { endpoint: scriptedEndpoint(script.rows), endpointName, protocol: "scripted", model };
}

/** A server; the caller closes the connection. `onAdapted` is told once of each thing that its model does not take. */
export function openServer(
  { protocol, connectSeconds, ...options }: ServerOptions,
  onAdapted?: (words: string) => void,
): Asking {
  const connection = connectionWith(connectSeconds);
  const endpoint = httpEndpoint({
    ...options,
    ...{ protocol: protocols[protocol], fetch: connection.fetch },
    ...(onAdapted && { onAdapted }),
  });
  return { endpoint, endpointName: options.baseUrl.href, protocol, model: options.model, connection };
}
