/** @file From the flags of `ask` to its endpoint: a server, whose key comes from the environment alone, or a script. */

import type { Endpoint } from "../eval/endpoint.ts";
import { httpEndpoint, parseBaseUrl } from "../eval/http-endpoint.ts";
import { type ProtocolName, protocols } from "../eval/protocols.ts";
import { ScriptLine, scriptedEndpoint } from "../eval/scripted-endpoint.ts";
import { fail } from "../records/error.ts";
import { readJsonLines } from "./ask-data.ts";
import { type Connection, connectionWith } from "./ask-fetch.ts";
import { choiceFlag } from "./command.ts";

export interface Asking {
  readonly endpoint: Endpoint;
  readonly endpointName: string;
  readonly protocol: string;
  readonly model: string;
  readonly connection?: Connection;
}

export interface EndpointFlags {
  readonly endpoint: string | undefined;
  readonly "base-url": string | undefined;
  readonly protocol: string;
  readonly model: string | undefined;
  readonly "key-env": string;
  readonly "connect-timeout": string;
  readonly "idle-timeout": string;
  readonly timeout: string;
  readonly "no-prompt-check": boolean;
}

export async function openEndpoint(flags: EndpointFlags): Promise<Asking> {
  const protocol = choiceFlag("--protocol", flags.protocol, Object.keys(protocols) as ProtocolName[]); // its own keys
  if (flags.endpoint !== undefined) {
    const path = /^scripted:(.+)$/.exec(flags.endpoint)?.[1];
    if (path === undefined)
      fail("--endpoint", "scripted:FILE", flags.endpoint, "A server is named by --base-url");
    const script = await readJsonLines(path, ScriptLine);
    const endpointName = `scripted:${script.checksum.slice(0, 16)}`;
    return {
      endpoint: scriptedEndpoint(script.rows),
      endpointName,
      protocol: "scripted",
      model: flags.model ?? "scripted",
    };
  }
  const baseUrl = parseBaseUrl(
    flags["base-url"] ?? fail("ask", "--base-url URL or --endpoint scripted:FILE", "neither"),
  );
  const model = flags.model ?? fail("ask", "--model NAME", "none");
  const variable = flags["key-env"];
  if (!/^[A-Z][A-Z0-9_]*$/.test(variable))
    fail(
      "--key-env",
      "the name of a variable, such as STATELAB_API_KEY",
      "other text",
      "A key is never given as an argument",
    );
  const key = process.env[variable];
  if (key === undefined && variable !== "STATELAB_API_KEY")
    fail("--key-env", `the variable ${variable} in the environment`, "none");
  const connection = connectionWith(numberFlag("--connect-timeout", flags["connect-timeout"], 0.01));
  const endpoint = httpEndpoint({
    ...{ baseUrl, protocol: protocols[protocol], model, key: key === "" ? undefined : key },
    idleSeconds: numberFlag("--idle-timeout", flags["idle-timeout"], 0.01),
    totalSeconds: numberFlag("--timeout", flags.timeout, 0.01),
    checkPrompt: !flags["no-prompt-check"],
    fetch: connection.fetch,
  });
  return { endpoint, endpointName: baseUrl.href, protocol, model, connection };
}

export function numberFlag(flag: string, value: string, least: number): number {
  const number = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN;
  return number >= least ? number : fail(flag, `a number of at least ${least}`, value);
}
