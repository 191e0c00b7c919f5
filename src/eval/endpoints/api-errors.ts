/**
 * @file Classifies what servers report: errors by status and body, and the reasons for which replies ended.
 *
 *     402                                             no-credit
 *     429 {"error": {"code": "insufficient_quota"}}   no-credit: waiting does not help
 *     429                                             rate-limited
 *     200 {"error": {"code": 502, "message": "..."}}  error-reply
 *
 *     "stop", "eos", "end_turn", none         whole: the model ended it
 *     "length", "max_tokens", "token_limit"   out-of-tokens: the model had not finished
 *     "content_filter", "error", "abort"      cut: the endpoint ended it, so it does not count as the model's answer
 *
 * Unknown reasons count as whole; results.json lists them.
 */

import { type ApiErrorKind, type Trouble, trouble } from "./endpoint.ts";

/** Characters of a server's error message that are shown. */
const quoted = 200;

const noCredit =
  /insufficient[_ ](?:quota|balance|credits?|funds)|exceeded your current quota|billing_(?:not_active|hard_limit)|out of credits/i;
const filtered = /content[_ ]filter|content_policy_violation|content management policy|ResponsibleAIPolicy/i;

/** `redact` takes secrets out of what is repeated, after it was decoded and before it is cut. */
export function statusError(
  status: number,
  body: string,
  after: number | undefined,
  redact: (text: string) => string,
): Trouble {
  const said = wordsOf(body, redact);
  return trouble(classOf(status, body), `status ${status}${said === "" ? "" : `: ${said}`}`, after);
}

function classOf(status: number, body: string): ApiErrorKind {
  if (status === 402 || ((status === 429 || status === 403) && noCredit.test(body))) return "no-credit";
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 404 || status === 410) return "not-found";
  if (status === 429) return "rate-limited";
  if (status >= 500 || status === 408 || status === 409 || status === 425) return "server-error";
  if (status < 400) return "redirected";
  return filtered.test(body) ? "prompt-filtered" : "bad-request";
}

/** An error in a response with any status. */
export function errorInReply(json: unknown): Trouble | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  const { error = isError(json) ? json : undefined } = json as { error?: unknown }; // an object has fields
  if (error === undefined || error === null || error === false || error === "") return undefined;
  const text = typeof error === "string" ? error : JSON.stringify(error);
  const status =
    typeof error === "object" && error !== null && "code" in error ? Number(error.code) : Number.NaN;
  const kind = Number.isInteger(status) && status >= 400 && status < 600 ? classOf(status, text) : undefined;
  // A status in the body is used only if it is more specific than "failed".
  const told = kind === "no-credit" || kind === "rate-limited" || kind === "unauthorized" ? kind : undefined;
  const words = messageOf(json) ?? text;
  return trouble(told ?? (noCredit.test(text) ? "no-credit" : "error-reply"), short(words));
}

/** `{"object": "error", "message": ...}` */
function isError(json: object): boolean {
  const { object, type } = json as { object?: unknown; type?: unknown }; // an object has fields
  return object === "error" || type === "error";
}

/** The error message, decoded if it is JSON, so that keys written with escapes are found. */
function wordsOf(body: string, redact: (text: string) => string): string {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return short(redact(body));
  }
  return short(redact(messageOf(json) ?? body));
}

function messageOf(json: unknown): string | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  const { error, message, detail } = json as Record<string, unknown>; // an object has fields
  if (typeof error === "object" && error !== null) return messageOf(error);
  return [error, message, detail].find((text): text is string => typeof text === "string" && text !== "");
}

const short = (text: string) => text.trim().replaceAll(/\s+/g, " ").slice(0, quoted);

export type ReplyEnd = "whole" | "out-of-tokens" | "cut";

/** Matches lower case with underscores. */
const outOfTokens =
  /(?:^|_)length(?:_|$)|max_(?:\w+_)?tokens?|tokens?_(?:limit|budget|exceeded|exhausted)|out_of_tokens|(?:context|limit)_(?:\w+_)?(?:exceeded|reached)|truncat/;
const filters = new Set(
  "content_filter content-filter safety recitation blocklist prohibited_content spii sensitive".split(" "),
);
const cuts = new Set(
  (
    "error abort aborted cancel cancelled canceled timeout network_error server_error failed preempted unload load " +
    "insufficient_system_resource malformed_function_call other"
  ).split(" "),
);

export function replyEnd(finish: string | null | undefined): ReplyEnd {
  const word = (finish ?? "").replaceAll(/(?<=[a-z])(?=[A-Z])|[-\s]+/g, "_").toLowerCase();
  if (outOfTokens.test(word)) return "out-of-tokens";
  return filters.has(word) || cuts.has(word) ? "cut" : "whole";
}

/** Whether a content filter ended the reply. */
export function isFiltered(finish: string): boolean {
  return filters.has(finish.toLowerCase());
}

/**
 * Whether the model ran out of tokens before it had answered, even if the server reports a stop. A reply that
 * contains a stop text is complete: servers without `stop` leave it in.
 */
export function ranOut(
  { finish, replyTokens }: { readonly finish: string | null; readonly replyTokens?: number | null },
  answer: string,
  { stop, maximumTokens }: { readonly stop: readonly string[]; readonly maximumTokens: number },
): boolean {
  const isAtEnd = replyTokens !== null && replyTokens !== undefined && replyTokens >= maximumTokens;
  return (isAtEnd || replyEnd(finish) === "out-of-tokens") && !stop.some((mark) => answer.includes(mark));
}
