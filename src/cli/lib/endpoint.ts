/** @file The flags of `llm eval` and `agent run` that say which model is asked, how, and for how much; `EndpointConfig` has their defaults. */

import { type EvalResult, formatSummary } from "../../app/llm/run.ts";
import { exitCodes, fail } from "../../core/error.ts";
import { unavailable } from "../../eval/endpoints/endpoint.ts";
import { longestSeconds } from "../../python/sandbox/host.ts";
import { EndpointConfig, ownFields } from "../../schemas/eval-config.ts";
import { type Flag, flag, group, parseNumber, rare, type Values } from "./flags.ts";

const usual = EndpointConfig.parse({});
const protocols = EndpointConfig.shape.protocol.unwrap().options;
const seconds = { least: 0.01, most: longestSeconds };

export const endpointOptions = {
  ...group("The model", {
    "base-url": flag.text("URL", "server address, e.g. http://localhost:8000/v1"),
    model: flag.texts("NAME", "model name; repeat to compare models"),
    protocol: flag.choice("NAME", protocols.join(", "), protocols, { default: usual.protocol }),
    "api-key-env": flag.text("NAME", "environment variable with the key", { default: usual.keyEnv }),
    ...rare({
      answers: flag.text("FILE", "read replies from a file instead of a server"),
      header: flag.texts("NAME: VALUE", "header of each request; a secret as NAME: env:VARIABLE"),
      "extra-body": flag.parsed("JSON", "object with more fields of each request", parseExtraBody),
      system: flag.text("TEXT", "system message of a chat"),
      think: {
        ...flag.texts("START END", "marks around a model's reasoning, if not a common pair", { count: 2 }),
        read: readMarks,
      } satisfies Flag<readonly [string, string] | undefined>,
      "chat-template": flag.text("FILE", "tokenizer_config.json or Jinja; for --protocol completion"),
      "skip-token-count-check": flag.toggle("do not compare prompts with the server's token count"),
    }),
  }),
  ...rare(
    group("Requests", {
      "max-requests": flag.integer("N", "maximum requests at the same time", {
        default: usual.atMost,
        least: 1,
      }),
      "per-minute": flag.integer("N", "maximum requests per minute", { least: 1 }),
      "max-retries": flag.integer("N", "maximum retries of a request", {
        default: usual.maximumRetries,
        least: 0,
      }),
      "retry-delay": flag.number("SECONDS", "delay before the first retry; it doubles, with jitter", {
        default: usual.backOffUnit,
      }),
      "connect-timeout": flag.number("SECONDS", "maximum time to connect", {
        default: usual.connectSeconds,
        ...seconds,
      }),
      "idle-timeout": flag.number("SECONDS", "maximum time without data", {
        default: usual.idleSeconds,
        ...seconds,
      }),
      timeout: flag.number("SECONDS", "maximum time of a request", {
        default: usual.totalSeconds,
        ...seconds,
      }),
      stream: flag.toggle("stream replies; record time to first token and tokens per second"),
    }),
  ),
};

export const costOptions = rare(
  group("Cost", {
    price: flag.parsed("INPUT,OUTPUT", "price per million tokens of prompts and replies", parsePrice),
    prices: flag.text("FILE", 'prices per model: {"MODEL": {"input": 0.15, "output": 0.6}}'),
    budget: flag.number("AMOUNT", "stop after spending AMOUNT; needs --price"),
  }),
);

export const samplingOptions = (maximumTokens: string, serverSeed: string) =>
  rare(
    group("Sampling", {
      temperature: flag.number("T", "sampling temperature", { default: usual.temperature }),
      "top-p": flag.parsed("P", "nucleus sampling: probability above 0, up to 1", parseTopP),
      "max-tokens": flag.integer("N", maximumTokens, { least: 1 }),
      "reasoning-effort": flag.text("LEVEL", "low, medium, high or another level of the model"),
      "context-length": flag.integer("N", "context length that Ollama reserves", { least: 1 }),
      "server-seed": flag.integer("N", serverSeed),
    }),
  );

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
