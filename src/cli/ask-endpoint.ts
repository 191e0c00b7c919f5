/** @file The flags of `ask` that say who is asked and how patiently: a server, whose key comes from the environment alone, or a script. */

import { readJson } from "../app/data/files.ts";
import type { Asked } from "../app/llm/endpoint.ts";
import { fail, Words } from "../core/error.ts";
import { parseChatTemplate } from "../eval/endpoints/chat-template.ts";
import { parseBaseUrl } from "../eval/endpoints/http-endpoint.ts";
import { type Price, PriceTable } from "../eval/endpoints/price.ts";
import { type ProtocolName, protocols } from "../eval/endpoints/protocols.ts";
import { shortestKey } from "../eval/endpoints/secrets.ts";
import { longestSeconds } from "../python/sandbox/host.ts";
import { readInput } from "../storage/index.ts";
import { choiceFlag, integerFlag, type Options, type Values } from "./command.ts";

export const text = (value: string, description: string) => ({ type: "string", value, description }) as const;
export const defaulted = (value: string, byDefault: string, description: string) =>
  ({ type: "string", value, default: byDefault, description }) as const;

const protocolNames = Object.keys(protocols) as ProtocolName[]; // its own keys

export const endpointOptions = {
  "base-url": text("URL", "the server, up to the protocol's path: http://localhost:8000/v1"),
  endpoint: text("scripted:FILE", "answers from a file, instead of a server"),
  protocol: defaulted("NAME", "chat", protocolNames.join(", ")),
  model: {
    ...text("NAME", "the model, as the server calls it; several are asked in turn and compared"),
    multiple: true,
  },
  "key-env": defaulted(
    "VARIABLE",
    "STATELAB_API_KEY",
    "the environment variable that holds the key, if one is needed; the key `none` is none",
  ),
  header: {
    ...text("NAME: VALUE", "sent with each request; a secret as `NAME: env:VARIABLE`; may be repeated"),
    multiple: true,
  },
  "extra-body": text("JSON", "fields put into the body of each request, as an object"),
  "top-p": text("P", "of sampling"),
  "reasoning-effort": text("WORD", "low, medium, high or what else the model takes"),
  system: text("TEXT", "the first message of a chat"),
  think: {
    ...text(
      "START END",
      "what a model writes before and behind its thoughts, where it is none of the usual marks",
    ),
    ...{ multiple: true, count: 2 },
  },
  "chat-template": text(
    "FILE",
    "with --protocol completion: the chat as one text, by a tokenizer_config.json or a template in Jinja",
  ),
  concurrency: defaulted("N", "8", "requests under way at the same time"),
  "per-minute": text("N", "at most so many requests a minute"),
  "max-retries": defaulted("N", "5", "of one request; 0 for none"),
  "back-off": defaulted("SECONDS", "1", "before the first retry; it doubles, with jitter"),
  "connect-timeout": defaulted("SECONDS", "10", "to connect"),
  "idle-timeout": defaulted("SECONDS", "300", "of silence"),
  timeout: defaulted("SECONDS", "900", "of one request as a whole"),
  stream: {
    type: "boolean",
    description: "let replies come in pieces, and note the time to the first token and tokens a second",
  },
  "no-prompt-check": {
    type: "boolean",
    description: "do not compare prompts with the server's count of tokens",
  },
} as const satisfies Options;

type EndpointFlags = Values<typeof endpointOptions>;

/** Who is asked, of one of the models. */
export function endpointFlags(flags: EndpointFlags, model: string | undefined): Asked {
  const protocol = choiceFlag("--protocol", flags.protocol, protocolNames);
  if (flags.endpoint !== undefined) {
    const path = /^scripted:(.+)$/.exec(flags.endpoint)?.[1];
    if (path === undefined)
      return fail("--endpoint", "scripted:FILE", flags.endpoint, "A server is named by --base-url");
    return { kind: "script", path, model };
  }
  const baseUrl = parseBaseUrl(
    flags["base-url"] ?? fail("ask", "--base-url URL or --endpoint scripted:FILE", new Words("neither")),
  );
  if (model === undefined) return fail("ask", "--model NAME", "none");
  const key = keyFrom(flags["key-env"]);
  if (flags["chat-template"] !== undefined && protocol !== "completion")
    fail("--chat-template", "--protocol completion", protocol, "A chat's server has its own template");
  if (flags.system !== undefined && protocol === "completion" && flags["chat-template"] === undefined)
    fail(
      "--system",
      "a chat (--protocol chat or ollama) or a --chat-template",
      protocol,
      "A completion's prompt has no messages",
    );
  return {
    ...{ kind: "server", baseUrl, protocol, model, key, ...headersFrom(flags.header) },
    connectSeconds: numberFlag("--connect-timeout", flags["connect-timeout"], 0.01, longestSeconds),
    idleSeconds: numberFlag("--idle-timeout", flags["idle-timeout"], 0.01, longestSeconds),
    totalSeconds: numberFlag("--timeout", flags.timeout, 0.01, longestSeconds),
    checkPrompt: !flags["no-prompt-check"],
    stream: flags.stream,
  };
}

function keyFrom(variable: string): string | undefined {
  const wanted = "the name of a variable, such as STATELAB_API_KEY";
  if (!/^[A-Z][A-Z0-9_]*$/.test(variable))
    fail("--key-env", wanted, "other text", "A key is never given as an argument");
  const key = process.env[variable];
  if (key === undefined && variable !== "STATELAB_API_KEY")
    fail("--key-env", `the variable ${variable} in the environment`, "none");
  return key === undefined || key === "" || key === "none" ? undefined : checkedSecret(variable, key);
}

/** A secret is never repeated, so it has to be told from what a model may well say. */
function checkedSecret(variable: string, secret: string): string {
  const hint = `If the server asks for none: ${variable}=none`;
  if (secret.length < shortestKey)
    fail(variable, `a key of at least ${shortestKey} characters`, `one of ${secret.length}`, hint);
  if (!/^[\x21-\x7e]+$/.test(secret))
    fail(variable, "a key of printable ASCII without spaces", "one with others", hint);
  return secret;
}

/** Headers that this program sends itself. */
const ownHeaders = new Set(["content-type", "content-length", "accept", "host"]);

function headersFrom(given: readonly string[]) {
  const headers: Record<string, string> = {};
  const secrets: string[] = [];
  for (const each of given) {
    const [, name, value] =
      /^([\w!#$%&'*+.^`|~-]+)\s*:\s*([\x20-\x7e]+)$/.exec(each) ??
      fail("--header", "NAME: VALUE", "other text");
    if (ownHeaders.has(name.toLowerCase())) fail("--header", "a header that is not sent already", name);
    const variable = /^env:([A-Z][A-Z0-9_]*)$/.exec(value)?.[1];
    if (variable === undefined) {
      if (/key|token|secret|authorization|cookie/i.test(name))
        fail(
          "--header",
          `${name}: env:VARIABLE`,
          "the secret itself",
          "An argument can be read by every program here",
        );
      headers[name.toLowerCase()] = value;
      continue;
    }
    const secret =
      process.env[variable] ?? fail("--header", `the variable ${variable} in the environment`, "none");
    secrets.push(secret, checkedSecret(variable, secret.replace(/^Bearer /, "")));
    headers[name.toLowerCase()] = secret;
  }
  return { headers, secrets };
}

/** Fields that decide what is asked and how the reply is read: they cannot be put in from outside. */
const ownFields = ["model", "messages", "prompt", "stream", "n"];

/** What is sent besides, only where it is given: answers to other requests are other answers. */
export function samplingFlags(flags: EndpointFlags) {
  const path = flags["chat-template"];
  const chatTemplate =
    path === undefined
      ? undefined
      : parseChatTemplate(readInput(path).toString("utf8"), `--chat-template ${path}`);
  const topP = flags["top-p"] === undefined ? undefined : numberFlag("--top-p", flags["top-p"], 0);
  if (topP !== undefined && (topP === 0 || topP > 1)) fail("--top-p", "a number above 0, at most 1", topP);
  const extraBody = flags["extra-body"] === undefined ? undefined : extraBodyFrom(flags["extra-body"]);
  const { "reasoning-effort": reasoningEffort, system } = flags;
  return {
    ...(topP !== undefined && { topP }),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
    ...(system !== undefined && { system }),
    ...(chatTemplate !== undefined && { chatTemplate }),
    ...thoughtMarks(flags.think),
    ...(extraBody !== undefined && { extraBody }),
  };
}

function thoughtMarks([start, end, ...more]: readonly string[]) {
  if (start === undefined) return {};
  if (end === undefined || more.length > 0 || start === "" || end === "")
    return fail("--think", "two texts, START END, once", [start, end ?? "nothing", ...more].join(" "));
  return { think: [start, end] as const };
}

function extraBodyFrom(text: string): Record<string, unknown> {
  const example = `an object in JSON, such as '{"top_k": 20}'`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail("--extra-body", example, text);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return fail("--extra-body", example, text);
  const own = Object.keys(value).find((name) => ownFields.includes(name));
  if (own !== undefined) fail("--extra-body", `fields other than ${ownFields.join(", ")}`, own);
  return value as Record<string, unknown>; // an object has fields
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

/** What the tokens of a model cost. */
export async function priceFlags(
  flags: { readonly price?: string | undefined; readonly prices?: string | undefined },
  model: string | undefined,
) {
  const price = flags.price === undefined ? await priceIn(flags.prices, model) : priceFrom(flags.price);
  return price === undefined ? {} : { price };
}

function priceFrom(text: string): Price {
  const [input, output, ...more] = text.split(",").map((each) => numberFlag("--price", each.trim(), 0));
  return output === undefined || more.length > 0 ? fail("--price", "INPUT,OUTPUT", text) : { input, output };
}

async function priceIn(path: string | undefined, model: string | undefined): Promise<Price | undefined> {
  if (path === undefined) return undefined;
  const { value } = await readJson(path, PriceTable);
  const found = model !== undefined && Object.hasOwn(value, model) ? value[model] : undefined;
  return found ?? fail("--prices", `a price of the model ${model}`, Object.keys(value).join(", "));
}

export function optionalInteger(flag: string, value: string | undefined, least?: number): number | undefined {
  return value === undefined ? undefined : integerFlag(flag, value, least);
}

export function numberFlag(
  flag: string,
  value: string,
  least: number,
  most = Number.POSITIVE_INFINITY,
): number {
  const number = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN;
  const upTo = Number.isFinite(most) ? ` and at most ${most}` : "";
  return number >= least && number <= most
    ? number
    : fail(flag, `a number of at least ${least}${upTo}`, value);
}
