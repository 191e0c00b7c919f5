/** @file The flags of `llm eval` and `agent run` that say which model is asked, how, and for how much; `EndpointConfig` has their defaults. */

import { type EvalResult, formatSummary } from "../../app/llm/run.ts";
import { exitCodes, fail } from "../../core/error.ts";
import { unavailable } from "../../eval/endpoints/endpoint.ts";
import { longestSeconds } from "../../python/sandbox/host.ts";
import { EndpointConfig, ownFields } from "../../schemas/eval-config.ts";
import { type Flag, flag, group, parseNumber, type Values } from "./flags.ts";

const usual = EndpointConfig.parse({});
const protocols = EndpointConfig.shape.protocol.unwrap().options;
const seconds = { least: 0.01, most: longestSeconds };

export const endpointOptions = group("The model", {
  "base-url": flag.text("URL", "the server, up to the protocol's path: http://localhost:8000/v1"),
  answers: flag.text("FILE", "replies from a file, instead of a server"),
  protocol: flag.choice("NAME", protocols.join(", "), protocols, { default: usual.protocol }),
  model: flag.texts("NAME", "the model, as the server calls it; several are asked in turn and compared"),
  "api-key-env": flag.text(
    "VARIABLE",
    "the environment variable that holds the key, if one is needed; the key `none` is none",
    { default: usual.keyEnv },
  ),
  header: flag.texts(
    "NAME: VALUE",
    "sent with each request; a secret as `NAME: env:VARIABLE`; may be repeated",
  ),
  "extra-body": flag.parsed("JSON", "fields put into the body of each request, as an object", parseExtraBody),
  "top-p": flag.parsed("P", "of sampling", parseTopP),
  "reasoning-effort": flag.text("WORD", "low, medium, high or what else the model takes"),
  system: flag.text("TEXT", "the first message of a chat"),
  think: {
    ...flag.texts(
      "START END",
      "what a model writes before and behind its thoughts, where it is none of the usual marks",
      { count: 2 },
    ),
    read: readMarks,
  } satisfies Flag<readonly [string, string] | undefined>,
  "chat-template": flag.text(
    "FILE",
    "with --protocol completion: the chat as one text, by a tokenizer_config.json or a template in Jinja",
  ),
  "max-requests": flag.integer("N", "requests under way at the same time", {
    default: usual.atMost,
    least: 1,
  }),
  "per-minute": flag.integer("N", "at most so many requests a minute", { least: 1 }),
  "max-retries": flag.integer("N", "of one request; 0 for none", { default: usual.maximumRetries, least: 0 }),
  "retry-delay": flag.number("SECONDS", "before the first retry; it doubles, with jitter", {
    default: usual.backOffUnit,
  }),
  "connect-timeout": flag.number("SECONDS", "to connect", { default: usual.connectSeconds, ...seconds }),
  "idle-timeout": flag.number("SECONDS", "of silence", { default: usual.idleSeconds, ...seconds }),
  timeout: flag.number("SECONDS", "of one request as a whole", { default: usual.totalSeconds, ...seconds }),
  stream: flag.toggle("let replies come in pieces, and note the time to the first token and tokens a second"),
  "skip-token-count-check": flag.toggle("do not compare prompts with the server's count of tokens"),
});

export const costOptions = group("Cost", {
  price: flag.parsed("INPUT,OUTPUT", "of a million tokens of prompts and of replies", parsePrice),
  prices: flag.text("FILE", 'the same for several models: {"MODEL": {"input": 0.15, "output": 0.6}}'),
  budget: flag.number("AMOUNT", "ask nothing more when this command has spent so much"),
});

export const samplingOptions = (maximumTokens: string, serverSeed: string) =>
  group("Sampling", {
    temperature: flag.number("T", "of sampling", { default: usual.temperature }),
    "max-tokens": flag.integer("N", maximumTokens, { least: 1 }),
    "context-length": flag.integer("N", "room for prompt and reply, for Ollama", { least: 1 }),
    "server-seed": flag.integer("N", serverSeed),
  });

type EndpointValues = Values<
  typeof endpointOptions & typeof costOptions & ReturnType<typeof samplingOptions>
>;

/** The part of an evaluation's configuration that these flags give. */
export function endpointConfig(values: EndpointValues): EndpointConfig {
  const { protocol, stream, temperature, system, think, price, prices, budget } = values;
  return EndpointConfig.parse({
    ...{ protocol, stream, temperature, system, think, price, prices, budget },
    baseUrl: values["base-url"],
    script: values.answers,
    models: values.model,
    keyEnv: values["api-key-env"],
    headers: values.header,
    connectSeconds: values["connect-timeout"],
    idleSeconds: values["idle-timeout"],
    totalSeconds: values.timeout,
    checkPrompt: !values["skip-token-count-check"],
    maximumTokens: values["max-tokens"],
    contextTokens: values["context-length"],
    serverSeed: values["server-seed"],
    topP: values["top-p"],
    reasoningEffort: values["reasoning-effort"],
    chatTemplate: values["chat-template"],
    extraBody: values["extra-body"],
    atMost: values["max-requests"],
    perMinute: values["per-minute"],
    maximumRetries: values["max-retries"],
    backOffUnit: values["retry-delay"],
  });
}

function parseTopP(text: string, name: string): number {
  const value = parseNumber(name, text, 0);
  return value > 0 && value <= 1 ? value : fail(name, "a number above 0, at most 1", value);
}

function readMarks([start, end, ...more]: readonly string[]): readonly [string, string] | undefined {
  if (start === undefined) return undefined;
  if (end === undefined || more.length > 0 || start === "" || end === "")
    return fail("--think", "two texts, START END, once", [start, end ?? "nothing", ...more].join(" "));
  return [start, end];
}

function parseExtraBody(text: string, name: string): Record<string, unknown> {
  const example = `an object in JSON, such as '{"top_k": 20}'`;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail(name, example, text);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return fail(name, example, text);
  const own = Object.keys(value).find((field) => ownFields.includes(field));
  if (own !== undefined) fail(name, `fields other than ${ownFields.join(", ")}`, own);
  return value as Record<string, unknown>; // an object has fields
}

function parsePrice(text: string, name: string) {
  const [input, output, ...more] = text.split(",").map((each) => parseNumber(name, each.trim(), 0));
  return output === undefined || more.length > 0 ? fail(name, "INPUT,OUTPUT", text) : { input, output };
}

/** Reports how the asking ended. @returns the exit code */
export function reportTally(
  { tally, words }: Pick<EvalResult, "tally" | "words">,
  say: (text: string) => void,
  { before = "", lost }: { readonly before?: string; readonly lost: string },
): number {
  say(`statelab: ${before}${formatSummary(tally)}`);
  for (const [kind, text] of Object.entries(words)) say(`statelab: ${kind}: ${text}`);
  const left = Object.keys(tally.left);
  if (left.length === 0) return tally.stopped === undefined ? exitCodes.ok : exitCodes.finishedWithFailures;
  say(`statelab: ${lost}`);
  return left.some((kind) => unavailable.has(kind)) ? exitCodes.endpoint : exitCodes.finishedWithFailures;
}
