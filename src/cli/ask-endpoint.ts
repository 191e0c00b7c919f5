/** @file The flags of `ask` that say who is asked: a server, whose key comes from the environment alone, or a script. */

import { parseBaseUrl } from "../eval/http-endpoint.ts";
import { type ProtocolName, protocols } from "../eval/protocols.ts";
import { fail } from "../records/error.ts";
import { type Asking, openScript, openServer } from "../work/ask/endpoint.ts";
import { choiceFlag } from "./command.ts";

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
    return openScript(path, flags.model);
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
  return openServer({
    ...{ baseUrl, protocol, model, key: key === "" ? undefined : key },
    connectSeconds: numberFlag("--connect-timeout", flags["connect-timeout"], 0.01),
    idleSeconds: numberFlag("--idle-timeout", flags["idle-timeout"], 0.01),
    totalSeconds: numberFlag("--timeout", flags.timeout, 0.01),
    checkPrompt: !flags["no-prompt-check"],
  });
}

export function numberFlag(flag: string, value: string, least: number): number {
  const number = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN;
  return number >= least ? number : fail(flag, `a number of at least ${least}`, value);
}
