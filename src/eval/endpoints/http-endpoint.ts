/**
 * @file HTTP endpoint: one POST per request; distinguishes all kinds of errors and learns which parameters the model
 * supports. The key is sent in one header only. Errors are redacted before they are shown. A prompt repeated at the
 * beginning of a reply is removed. A reply that contains the key is an error of the server and is not stored.
 */

import { fail } from "../../core/error.ts";
import { readLiteral } from "../../python/values/literal.ts";
import { isMention } from "../prompt.ts";
import { splitReasoning, type ThoughtMarks } from "../scoring/reasoning.ts";
import { replyEnd, statusError } from "./api-errors.ts";
import {
  adapted,
  type Manner,
  mannerWords,
  plainManner,
  refusesSystem,
  withoutParameter,
} from "./compatibility.ts";
import { type Ask, type Endpoint, type Outcome, type Trouble, trouble } from "./endpoint.ts";
import { assembled, isStreamed, parseReply } from "./event-stream.ts";
import { type Answer, post } from "./http-post.ts";
import type { Protocol } from "./protocols.ts";
import { retryAfter, waitSeconds } from "./rate-limit.ts";
import { redactor } from "./secrets.ts";

export interface HttpOptions {
  /** URL up to the protocol's path: http://localhost:8000/v1. A query is appended after the path. */
  readonly baseUrl: URL;
  readonly protocol: Protocol;
  readonly model: string;
  /** undefined: none is sent. */
  readonly key: string | undefined;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Names of headers whose values are secret. */
  readonly secrets?: readonly string[];
  /** Limit from the request to the first byte, and between two bytes. */
  readonly idleSeconds: number;
  readonly totalSeconds: number;
  /** Compare the prompt with the number of tokens that the server says it read. */
  readonly checkPrompt: boolean;
  /** Ask for replies in pieces, and note when they came. */
  readonly stream?: boolean;
  readonly fetch?: typeof fetch;
  /** Called once for each unsupported parameter. */
  readonly onAdapted?: (words: string) => void;
}

/** @throws LabError, without repeating the text, which may contain a key. */
export function parseBaseUrl(text: string): URL {
  const hint = "Write it as http://localhost:8000/v1; a key goes into the environment";
  const url = URL.canParse(text) ? new URL(text) : fail("--base-url", "a URL", "other text", hint);
  if (!/^https?:$/.test(url.protocol)) fail("--base-url", "http or https", url.protocol, hint);
  if (url.username !== "" || url.password !== "" || url.hash !== "")
    fail("--base-url", "a URL without user, password and fragment", "one with", hint);
  for (const name of url.searchParams.keys())
    if (/key|token|secret|sig|pass|auth|code|credential/i.test(name))
      fail("--base-url", "a query without a secret, such as ?api-version=2024-10-21", "one with", hint);
  url.pathname = url.pathname.replace(/\/*$/, "/");
  return url;
}

export function httpEndpoint(options: HttpOptions): Endpoint {
  const { baseUrl, protocol, model, key, checkPrompt, stream = false, onAdapted } = options;
  const { fetch: fetching = fetch } = options;
  const url = new URL(protocol.path, baseUrl);
  url.search = baseUrl.search;
  const { redact, finds } = redactor([...(key === undefined ? [] : [key]), ...(options.secrets ?? [])]);
  const headers = {
    "content-type": "application/json",
    accept: stream ? "text/event-stream, application/json" : "application/json",
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
    ...options.headers,
  };
  let manner = plainManner;
  const adopt = (next: Manner) => {
    const known = mannerWords(manner);
    manner = next;
    for (const words of mannerWords(next)) if (!known.includes(words)) onAdapted?.(words);
  };

  /** Sends one request; also returns a changed format to retry with, if the response calls for one. */
  const once = async (ask: Ask, sent: Manner, signal: AbortSignal): Promise<Outcome | Manner> => {
    const body = protocol.body(ask, model, sent, stream);
    const answer = await post(url, { headers, body: JSON.stringify(body) }, options, signal, fetching);
    if (answer.kind === "trouble") return answer;
    const { status, text } = answer;
    if (status < 200 || status > 299) {
      // a template of a model that fails at a role is a server's own failure to some
      const isRefused = status === 400 || status === 422 || (status === 500 && refusesSystem(body, text));
      const taken = isRefused ? adapted(sent, body, text) : undefined;
      return taken ?? statusError(status, text, asksToWait(answer, Date.now()), redact);
    }
    const { outcome: read, firstTokenSeconds } = readAnswer(answer, protocol, stream);
    const outcome = withoutEcho(read, typeof body.prompt === "string" ? body.prompt : ask.prompt);
    const { stop, think } = ask.parameters;
    if (!sent.without.has("stop") && stoppedEarly(outcome, stop, think, "messages" in body))
      return withoutParameter(sent, "stop");
    if (outcome.kind === "trouble") return outcome;
    if (
      [outcome.text, outcome.reasoning, outcome.finish, outcome.model].some(
        (each) => each != null && finds(each),
      )
    )
      return trouble("key-in-reply", "the reply holds the key that was sent");
    const short = checkPrompt ? shortened(ask, outcome.promptTokens) : undefined;
    const words = mannerWords(sent);
    const timing = { seconds: answer.seconds, ...(firstTokenSeconds !== undefined && { firstTokenSeconds }) };
    return short ?? { ...outcome, ...(words.length > 0 && { adapted: words }), ...(stream && { timing }) };
  };

  return async (ask, signal) => {
    for (;;) {
      const sent = manner;
      const outcome = await once(ask, sent, signal);
      if ("tokens" in outcome) {
        // Another request may have found out the same, or something else, meanwhile.
        if (manner === sent) adopt(outcome);
        continue;
      }
      return outcome.kind === "trouble" ? { ...outcome, words: redact(outcome.words) } : outcome;
    }
  };
}

function asksToWait({ status, headers, text }: Answer, now: number): number | undefined {
  return retryAfter(headers, now) ?? (status === 429 ? waitSeconds(text, headers, now) : undefined);
}

/**
 * Whether a stop text may have cut a reply that only mentioned it: inside a thought, after an opening tag, in the
 * middle of a sentence, or, for a chat that thinks in prose, after a first answer.
 */
function stoppedEarly(
  outcome: Outcome,
  stop: readonly string[],
  think: ThoughtMarks | undefined,
  isChat: boolean,
): boolean {
  if (stop.length === 0) return false;
  if (outcome.kind === "trouble")
    return outcome.class === "reasoning-only" || (isChat && outcome.class === "no-content");
  const { finish, text } = outcome;
  const mayBeCut = finish === null || /^(?:stop|stop_sequence|eos|end_turn)$/i.test(finish);
  if (!mayBeCut || stop.some((mark) => text.includes(mark))) return false;
  const { answer, unfinished } = splitReasoning(text, think);
  if (unfinished) return true;
  const opening = stop.map((mark) => mark.replace("[/", "["));
  const at = Math.max(...opening.map((mark) => answer.lastIndexOf(mark)));
  const behind = at < 0 ? undefined : answer.slice(at).replace(/^\[\w+\]/, "");
  if (behind !== undefined && isMention(behind)) return true;
  if (!isChat) return false; // completions put text before their answer only in the prompt's format
  const before = answer.slice(0, at < 0 ? undefined : at).replace(/^[\s\S]*\[\/THOUGHT\]/, "");
  return behind === undefined ? endsInSentence(before) : /\p{L}{2}/u.test(withoutTags(before));
}

/** Whether the last line is an unfinished sentence, or has an open quote or bracket: `... and end it with "`. */
function endsInSentence(text: string): boolean {
  const line = text.split("\n").at(-1)!; // a text has a line
  const isValue = /^\s*assert\b/.test(line) || readLiteral(line) !== undefined;
  return text.trim() === "" || (!isValue && /\p{L}{2}/u.test(line) && /[ \t(\u201c\u2018`"']$/.test(line));
}
const withoutTags = (text: string) => text.replaceAll(/\[\/?[A-Z]+\]/g, "");

/** Some servers send the prompt and what follows it; one that sends the prompt alone has not answered. */
function withoutEcho(outcome: Outcome, prompt: string): Outcome {
  if (outcome.kind === "trouble" || prompt.trim() === "") return outcome;
  const at = outcome.text.indexOf(prompt.trim());
  if (at < 0 || outcome.text.slice(0, at).trim() !== "") return outcome;
  const text = outcome.text.slice(at + prompt.trim().length);
  const isCut = replyEnd(outcome.finish) === "out-of-tokens";
  return text.trim() === "" && !isCut
    ? trouble("no-content", "the reply is the prompt alone")
    : { ...outcome, text };
}

function readAnswer({ text, arrivals }: Answer, protocol: Protocol, stream: boolean) {
  if (!stream || !isStreamed(text))
    return { outcome: parseBody(text, protocol), firstTokenSeconds: undefined };
  const whole = assembled(text, arrivals);
  if (whole.kind === "trouble") return { outcome: whole, firstTokenSeconds: undefined };
  return { outcome: protocol.read(whole.json), firstTokenSeconds: whole.firstTokenSeconds };
}

function parseBody(text: string, protocol: Protocol): Outcome {
  let json: unknown;
  try {
    json = parseReply(text);
  } catch (error) {
    const start = text.trimStart();
    if (!/^[{[]/.test(start))
      return trouble("not-json", `a body that begins with ${JSON.stringify(start.slice(0, 40))}`);
    const { message } = error as Error; // JSON.parse throws nothing else
    return /end of JSON|Unterminated|after (?:array|property)|Expected/.test(message) &&
      !/after JSON/.test(message)
      ? trouble("truncated", `JSON that ends after ${text.length} characters`)
      : trouble("not-json", `a body that is no JSON: ${message.slice(0, 80)}`);
  }
  return protocol.read(json);
}

/**
 * No tokenizer in use puts two words into one token, so a prompt has more tokens than runs of letters; a server that
 * counted fewer has cut it. A count that is missing or zero says nothing.
 */
function shortened({ prompt }: Ask, promptTokens: number | null): Trouble | undefined {
  if (promptTokens === null || promptTokens === 0) return undefined;
  const words = prompt.match(/\p{L}+/gu)?.length ?? 0;
  if (promptTokens >= words) return undefined;
  return trouble(
    "shortened-prompt",
    `the server counted ${promptTokens} tokens in a prompt of ${words} words`,
  );
}
