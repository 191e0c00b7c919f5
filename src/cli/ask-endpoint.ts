/** @file The flags of `ask` that say who is asked and how patiently: a server, whose key comes from the environment alone, or a script. */

import { parseBaseUrl } from "../eval/http-endpoint.ts";
import { type ProtocolName, protocols } from "../eval/protocols.ts";
import { fail } from "../records/error.ts";
import type { Asked } from "../work/ask/endpoint.ts";
import { choiceFlag, integerFlag, type Options, type Values } from "./command.ts";

export const text = (value: string, description: string) => ({ type: "string", value, description }) as const;
export const defaulted = (value: string, byDefault: string, description: string) =>
  ({ type: "string", value, default: byDefault, description }) as const;

const protocolNames = Object.keys(protocols) as ProtocolName[]; // its own keys

export const endpointOptions = {
  "base-url": text("URL", "the server, up to the protocol's path: http://localhost:8000/v1"),
  endpoint: text("scripted:FILE", "answers from a file, instead of a server"),
  protocol: defaulted("NAME", "chat", protocolNames.join(", ")),
  model: text("NAME", "the model, as the server calls it"),
  "key-env": defaulted(
    "VARIABLE",
    "STATELAB_API_KEY",
    "the environment variable that holds the key, if one is needed",
  ),
  concurrency: defaulted("N", "8", "requests under way at the same time"),
  "per-minute": text("N", "at most so many requests a minute"),
  "max-retries": defaulted("N", "5", "of one request; 0 for none"),
  "back-off": defaulted("SECONDS", "1", "before the first retry; it doubles, with jitter"),
  "connect-timeout": defaulted("SECONDS", "10", "to connect"),
  "idle-timeout": defaulted("SECONDS", "300", "of silence"),
  timeout: defaulted("SECONDS", "900", "of one request as a whole"),
  "no-prompt-check": {
    type: "boolean",
    description: "do not compare prompts with the server's count of tokens",
  },
} as const satisfies Options;

type EndpointFlags = Values<typeof endpointOptions>;

export function endpointFlags(flags: EndpointFlags): Asked {
  const protocol = choiceFlag("--protocol", flags.protocol, protocolNames);
  if (flags.endpoint !== undefined) {
    const path = /^scripted:(.+)$/.exec(flags.endpoint)?.[1];
    if (path === undefined)
      return fail("--endpoint", "scripted:FILE", flags.endpoint, "A server is named by --base-url");
    return { kind: "script", path, model: flags.model };
  }
  const baseUrl = parseBaseUrl(
    flags["base-url"] ?? fail("ask", "--base-url URL or --endpoint scripted:FILE", "neither"),
  );
  const model = flags.model ?? fail("ask", "--model NAME", "none");
  const key = keyFrom(flags["key-env"]);
  return {
    ...{ kind: "server", baseUrl, protocol, model, key },
    connectSeconds: numberFlag("--connect-timeout", flags["connect-timeout"], 0.01),
    idleSeconds: numberFlag("--idle-timeout", flags["idle-timeout"], 0.01),
    totalSeconds: numberFlag("--timeout", flags.timeout, 0.01),
    checkPrompt: !flags["no-prompt-check"],
  };
}

function keyFrom(variable: string): string | undefined {
  const wanted = "the name of a variable, such as STATELAB_API_KEY";
  if (!/^[A-Z][A-Z0-9_]*$/.test(variable))
    fail("--key-env", wanted, "other text", "A key is never given as an argument");
  const key = process.env[variable];
  if (key === undefined && variable !== "STATELAB_API_KEY")
    fail("--key-env", `the variable ${variable} in the environment`, "none");
  return key === "" ? undefined : key;
}

export function patienceFlags(flags: EndpointFlags) {
  const perMinute = optionalInteger("--per-minute", flags["per-minute"], 1);
  return {
    atMost: integerFlag("--concurrency", flags.concurrency, 1),
    perMinute: perMinute ?? Number.POSITIVE_INFINITY,
    maximumRetries: integerFlag("--max-retries", flags["max-retries"], 0),
    backOffUnit: numberFlag("--back-off", flags["back-off"], 0),
  };
}

export function optionalInteger(flag: string, value: string | undefined, least?: number): number | undefined {
  return value === undefined ? undefined : integerFlag(flag, value, least);
}

export function numberFlag(flag: string, value: string, least: number): number {
  const number = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN;
  return number >= least ? number : fail(flag, `a number of at least ${least}`, value);
}
