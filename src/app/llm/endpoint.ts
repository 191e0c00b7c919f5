/** @file The endpoint of an evaluation, as its configuration says: a server, whose key comes from the environment alone, or a script. */

import { fail, Words } from "../../core/error.ts";
import { parseChatTemplate } from "../../eval/endpoints/chat-template.ts";
import type { Endpoint, Parameters } from "../../eval/endpoints/endpoint.ts";
import { httpEndpoint, parseBaseUrl } from "../../eval/endpoints/http-endpoint.ts";
import { protocols } from "../../eval/endpoints/protocols.ts";
import { ScriptLine, scriptedEndpoint } from "../../eval/endpoints/scripted-endpoint.ts";
import { shortestKey } from "../../eval/endpoints/secrets.ts";
import { PriceTable } from "../../eval/endpoints/usage.ts";
import type { EndpointConfig, Price } from "../../schemas/eval-config.ts";
import { readInput } from "../../storage/index.ts";
import { readJson, readJsonLines } from "../data/files.ts";
import { type Connection, connectionWith } from "./connection.ts";

/** Sampling parameters; without `maximumTokens` the benchmark or the policy decides. */
export type Sampling = Omit<Parameters, "maximumTokens" | "stop"> & {
  readonly maximumTokens: number | undefined;
};

/** Only parameters that are given: each is part of an answer's key. */
export function samplingOf(config: EndpointConfig): Sampling {
  const { temperature, maximumTokens, contextTokens = null, serverSeed: seed = null } = config;
  const { topP, reasoningEffort, system, chatTemplate, think, extraBody } = config;
  return {
    ...{ temperature, maximumTokens, contextTokens, seed },
    ...(topP !== undefined && { topP }),
    ...(reasoningEffort !== undefined && { reasoningEffort }),
    ...(system !== undefined && { system }),
    ...(chatTemplate !== undefined && {
      chatTemplate: parseChatTemplate(
        readInput(chatTemplate).toString("utf8"),
        `--chat-template ${chatTemplate}`,
      ),
    }),
    ...(think !== undefined && { think }),
    ...(extraBody !== undefined && { extraBody }),
  };
}

/** Checks what can be checked without a request. @throws LabError naming the flag */
export function checkEndpoint(config: EndpointConfig): void {
  if (config.script === undefined) serverOf(config);
}

function serverOf(config: EndpointConfig) {
  const { protocol, chatTemplate, system } = config;
  const baseUrl = parseBaseUrl(
    config.baseUrl ?? fail("--base-url", "--base-url URL or --answers FILE", new Words("neither")),
  );
  const [model] = config.models;
  if (model === undefined) return fail("--model", "the name of a model", new Words("none"));
  const key = keyFrom(config.keyEnv);
  if (chatTemplate !== undefined && protocol !== "completion")
    fail("--chat-template", "--protocol completion", protocol, "Chat servers apply their own template");
  if (system !== undefined && protocol === "completion" && chatTemplate === undefined)
    fail(
      "--system",
      "a chat (--protocol chat or ollama) or a --chat-template",
      protocol,
      "A completion's prompt has no messages",
    );
  // `secrets`: values of headers that no output may show.
  return { baseUrl, model, key, ...headersFrom(config.headers) };
}

function keyFrom(variable: string): string | undefined {
  const wanted = "the name of a variable, such as STATELAB_API_KEY";
  if (!/^[A-Z][A-Z0-9_]*$/.test(variable))
    fail("--api-key-env", wanted, "other text", "Put the key into an environment variable");
  const key = process.env[variable];
  if (key === undefined && variable !== "STATELAB_API_KEY")
    fail("--api-key-env", `the variable ${variable} in the environment`, "none");
  return key === undefined || key === "" || key === "none" ? undefined : checkedSecret(variable, key);
}

/** A secret is removed from every output, so it must not be a text that a model may produce. */
function checkedSecret(variable: string, secret: string): string {
  const hint = `For a server without a key: ${variable}=none`;
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
    if (ownHeaders.has(name.toLowerCase())) fail("--header", "a header that Statelab does not set", name);
    const variable = /^env:([A-Z][A-Z0-9_]*)$/.exec(value)?.[1];
    if (variable === undefined) {
      if (/key|token|secret|authorization|cookie/i.test(name))
        fail(
          "--header",
          `${name}: env:VARIABLE`,
          "the secret itself",
          "Other programs here can read arguments",
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

/** The price of the tokens of `config.models[0]`, where one is known. */
export async function priceOf({ price, prices, models }: EndpointConfig): Promise<Price | undefined> {
  if (price !== undefined || prices === undefined) return price;
  const [model] = models;
  const { value } = await readJson(prices, PriceTable);
  const found = model !== undefined && Object.hasOwn(value, model) ? value[model] : undefined;
  return found ?? fail("--prices", `a price of the model ${model}`, Object.keys(value).join(", "));
}

export interface Asking {
  readonly endpoint: Endpoint;
  readonly endpointName: string;
  readonly protocol: string;
  readonly model: string;
  readonly connection?: Connection;
}

/**
 * The endpoint of `config.models[0]`; the caller closes the connection. `onAdapted` is called once for each parameter that the
 * model does not take. @throws LabError (corrupt) naming the line of a script
 */
export async function openEndpoint(
  config: EndpointConfig,
  onAdapted?: (words: string) => void,
): Promise<Asking> {
  if (config.script !== undefined) {
    const script = await readJsonLines(config.script, ScriptLine);
    const endpointName = `scripted:${script.checksum.slice(0, 16)}`;
    const [model = "scripted"] = config.models;
    return { endpoint: scriptedEndpoint(script.rows), endpointName, protocol: "scripted", model };
  }
  const server = serverOf(config);
  const { protocol, idleSeconds, totalSeconds, checkPrompt, stream } = config;
  const connection = connectionWith(config.connectSeconds);
  const endpoint = httpEndpoint({
    ...{ ...server, idleSeconds, totalSeconds, checkPrompt, stream },
    ...{ protocol: protocols[protocol], fetch: connection.fetch },
    ...(onAdapted && { onAdapted }),
  });
  return { endpoint, endpointName: server.baseUrl.href, protocol, model: server.model, connection };
}
