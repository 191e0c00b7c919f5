/**
 * @file Parsing of completion requests: the fields of the OpenAI protocol that a small local model supports, and a clear error for the
 * others.
 */

import { z } from "zod";
import { LabError } from "../core/error.ts";
import { parseWith } from "../core/settings.ts";
import type { Tokenizer } from "../tasks/index.ts";
import { unknownWords } from "../tasks/tokenizer.ts";
import { ApiError } from "./api-error.ts";

/** Maximum of prompts times n in one request. */
const mostReplies = 256;
/** Maximum of tokens and log-probabilities kept until a response is sent, each about a hundred bytes. */
export const mostKept = 2 ** 21;
const mostStops = 16;
const longestStop = 1000;

/** One or several, as text or as token ids. */
type Prompt = string | readonly string[] | readonly number[] | readonly (readonly number[])[];

/** Hand-written: a schema would report an error for each of a million elements. */
function isPrompt(value: unknown): value is Prompt {
  if (typeof value === "string") return true;
  if (!Array.isArray(value) || value.length === 0) return false;
  const several: readonly unknown[] = value;
  if (typeof several[0] === "string") return several.every((each) => typeof each === "string");
  return isIds(several) || several.every(isIds);
}

const isIds = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length > 0 && value.every((id) => Number.isSafeInteger(id) && id >= 0);

function isStop(value: unknown): value is string | readonly string[] {
  const stops: unknown = typeof value === "string" ? [value] : value;
  return (
    Array.isArray(stops) &&
    stops.length <= mostStops &&
    stops.every((stop) => typeof stop === "string" && stop.length <= longestStop)
  );
}

/** For a list or an object. */
export function isEmpty(value: unknown): value is object {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** A field of other servers that is accepted only with its neutral value. */
const onlyNeutral = <const T extends number | string>(value: T) => z.literal(value).nullish();

/** Other fields are ignored, and reported once. */
const CompletionRequest = z.object({
  model: z.string(),
  prompt: z.custom<Prompt>(isPrompt, "to be a text, token ids, or a list of either that is not empty"),
  max_tokens: z.int().min(0).nullish(),
  temperature: z.number().min(0).max(100).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  n: z.int().min(1).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  logprobs: z.int().min(0).max(100).nullish(),
  echo: z.boolean().nullish(),
  stop: z
    .custom<string | readonly string[]>(
      isStop,
      `to be a text or at most ${mostStops} of them, none longer than ${longestStop} characters`,
    )
    .nullish(),
  seed: z.int().nullish(),
  user: z.string().nullish(),
  best_of: onlyNeutral(1),
  suffix: onlyNeutral(""),
  frequency_penalty: onlyNeutral(0),
  presence_penalty: onlyNeutral(0),
  logit_bias: z
    .custom<object>(isEmpty, "to be empty or left out: the tokens' probabilities are the model's")
    .nullish(),
});

/** A validated request with its defaults and tokenized prompts. */
export interface Wanted {
  readonly prompts: readonly (readonly number[])[];
  readonly maximumTokens: number;
  readonly temperature: number;
  readonly topP: number;
  /** Replies per prompt. */
  readonly count: number;
  readonly stream: boolean;
  /** Whether a stream ends with the usage. */
  readonly streamUsage: boolean;
  /** Number of most probable tokens reported per position; undefined: none. */
  readonly logprobs: number | undefined;
  readonly echo: boolean;
  readonly stops: readonly string[];
  readonly seed: number | undefined;
  /** Upper bound of the tokens and log-probabilities that its response keeps until it is sent. */
  readonly kept: number;
}

export interface Limits {
  /** Called with ignored fields. */
  readonly onIgnored?: ((names: readonly string[]) => void) | undefined;
  readonly model: string;
  readonly tokenizer: Tokenizer;
  /** Maximum tokens of prompt and reply together. */
  readonly context: number;
}

/** @throws ApiError 400, or 404 for another model. */
export function readRequest(json: unknown, limits: Limits): Wanted {
  const request = checkedBy(CompletionRequest, json);
  const ignored = Object.keys(json as object).filter((name) => !(name in CompletionRequest.shape)); // checked to be an object
  if (ignored.length > 0) limits.onIgnored?.(ignored);
  if (request.model !== limits.model)
    throw new ApiError(404, `model: expected "${limits.model}", got ${JSON.stringify(request.model)}`, {
      param: "model",
      code: "model_not_found",
    });
  const streams = request.stream ?? false;
  if (request.stream_options && !streams)
    throw new ApiError(400, "stream_options: expected stream to be true beside it, got no stream", {
      param: "stream_options",
    });
  const stops = [request.stop ?? []].flat();
  if (stops.includes(""))
    throw new ApiError(400, 'stop: expected texts that are not empty, got ""', { param: "stop" });
  const maximumTokens = request.max_tokens ?? 16;
  const count = request.n ?? 1;
  const given = severalOf(request.prompt);
  // Count before tokenizing: a text of a megabyte can be a million prompts.
  if (given.length * count > mostReplies)
    throw new ApiError(400, `n: expected at most ${mostReplies} replies, got ${given.length * count}`, {
      param: "n",
    });
  const prompts = promptsOf(given, limits.tokenizer);
  const longest = Math.max(...prompts.map((prompt) => prompt.length));
  if (longest + maximumTokens > limits.context)
    throw new ApiError(
      400,
      `max_tokens: expected prompt and reply to have at most ${limits.context} tokens, ` +
        `got ${longest} in the prompt and ${maximumTokens} to be made`,
      { param: "max_tokens", code: "context_length_exceeded" },
    );
  const { logprobs, echo } = request;
  // A stream keeps only the prompt, which is sent at once.
  const places = (streams ? 0 : maximumTokens) + (echo ? longest : 0);
  const each = 1 + (logprobs == null ? 0 : 1 + Math.min(logprobs, limits.tokenizer.tokens.length));
  const kept = prompts.length * count * places * each;
  if (kept > mostKept)
    throw new ApiError(
      400,
      `max_tokens: expected an answer of at most ${mostKept} tokens and log-probabilities, got ${kept} ` +
        `(${prompts.length * count} replies of ${places} tokens${each === 1 ? "" : `, each with ${each - 1} log-probabilities`}). ` +
        "Ask for less by n, max_tokens or logprobs, or for a stream",
      { param: "max_tokens", code: "answer_too_large" },
    );
  return {
    ...{ prompts, maximumTokens, count, stops, kept },
    temperature: request.temperature ?? 1,
    topP: request.top_p ?? 1,
    stream: streams,
    streamUsage: request.stream_options?.include_usage ?? false,
    logprobs: logprobs ?? undefined,
    echo: echo ?? false,
    seed: request.seed ?? undefined,
  };
}

/** @throws ApiError 400 naming the field. */
export function checkedBy<T>(schema: z.ZodType<T>, json: unknown): T {
  try {
    return parseWith(schema, json, "request");
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const param = schema.safeParse(json).error?.issues[0]?.path[0];
    throw new ApiError(400, error.message, { param: param === undefined ? null : String(param) });
  }
}

function severalOf(prompt: Prompt): readonly (string | readonly number[])[] {
  if (typeof prompt === "string") return [prompt];
  return isIds(prompt) ? [prompt] : (prompt as readonly (string | readonly number[])[]); // the remaining type
}

function promptsOf(
  several: readonly (string | readonly number[])[],
  tokenizer: Tokenizer,
): readonly (readonly number[])[] {
  return several.map((each, i) => {
    const at = several.length === 1 ? "prompt" : `prompt.${i}`;
    return typeof each === "string" ? encoded(each, tokenizer, at) : known(each, tokenizer, at);
  });
}

function encoded(text: string, tokenizer: Tokenizer, at: string): readonly number[] {
  if (text === "")
    throw new ApiError(400, `${at}: expected at least one token, got an empty text`, { param: "prompt" });
  return asPrompt(at, tokenizer, text, () => tokenizer.encode(text));
}

function known(ids: readonly number[], tokenizer: Tokenizer, at: string): readonly number[] {
  asPrompt(at, tokenizer, "", () => tokenizer.decode(ids));
  return ids;
}

/** @throws ApiError 400 listing the words that are not in the vocabulary. */
export function asPrompt<T>(at: string, tokenizer: Tokenizer, text: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const missing = tokenizer.kind === "file" ? [] : unknownWords(tokenizer, text);
    const unknown = missing.map((word) => JSON.stringify(word));
    const words = unknown.length === 0 ? "" : `. Not in the vocabulary: ${unknown.join(", ")}`;
    throw new ApiError(400, `${at}: ${error.message}${words}`, {
      param: "prompt",
      code: "untokenizable_prompt",
    });
  }
}
