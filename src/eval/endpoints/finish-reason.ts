/**
 * @file Maps the finish reasons of servers to three kinds.
 *
 *     "stop", "eos", "end_turn", none         whole: the model ended it
 *     "length", "max_tokens", "token_limit"   out-of-tokens: the model had not finished
 *     "content_filter", "error", "abort"      cut: the endpoint ended it, so it does not count as the model's answer
 *
 * Unknown reasons count as whole; results.json lists them.
 */

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
