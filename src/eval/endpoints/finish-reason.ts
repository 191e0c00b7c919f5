/**
 * @file How a reply ended, in one of three ways, whatever word a server has for it.
 *
 *     "stop", "eos", "end_turn", none         whole: the model ended it
 *     "length", "max_tokens", "token_limit"   out-of-tokens: the model had not finished
 *     "content_filter", "error", "abort"      cut: the endpoint ended it, so it is no answer of the model
 *
 * A word that is not known is taken for whole: it says nothing against the reply, and results.json counts it.
 */

export type ReplyEnd = "whole" | "out-of-tokens" | "cut";

/** Of a word in lower case with underscores. */
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

/** Whether it was cut for what it says. */
export function isFiltered(finish: string): boolean {
  return filters.has(finish.toLowerCase());
}

/**
 * Whether the model ran out of tokens before it had answered, also where the server calls that a stop: behind the text that ends a reply
 * nothing is missing. Such a text is left in by servers that know no `stop`.
 */
export function ranOut(
  { finish, replyTokens }: { readonly finish: string | null; readonly replyTokens?: number | null },
  answer: string,
  { stop, maximumTokens }: { readonly stop: readonly string[]; readonly maximumTokens: number },
): boolean {
  const isAtEnd = replyTokens !== null && replyTokens !== undefined && replyTokens >= maximumTokens;
  return (isAtEnd || replyEnd(finish) === "out-of-tokens") && !stop.some((mark) => answer.includes(mark));
}
