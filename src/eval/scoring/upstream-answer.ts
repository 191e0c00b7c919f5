/**
 * @file Extracts the answer by CRUXEval's rules: plain cuts at `==`, `assert` and the opening tag, even inside of
 * strings.
 *
 *     output    after the first ==, up to the second            assert f(17) == 17     17
 *     input     before the first ==, after the first assert     assert f(17) == 17     f(17)
 *
 * After a chain of thought: the text after the first [ANSWER]; without it the last line of a chat, or all of a
 * completion.
 *
 * Source: Gu et al. 2024, arXiv:2401.03065: its scripts for chats and for completions.
 */

import { stopMark } from "../prompt.ts";
import type { Predict, Style } from "../question.ts";

const openMark = "[ANSWER]";

export function upstreamAnswer(reply: string, predict: Predict, style: Style, protocol = "chat"): string {
  const text = reply.split(stopMark)[0]; // the text that ends a reply
  const tagged = style === "cot" && text.includes(openMark);
  if (style === "cot" && !tagged && protocol !== "completion") return text.split("\n").at(-1)!.trim(); // there is a line
  const answer = tagged ? text.split(openMark)[1].trim() : text;
  if (predict === "output") return (answer.includes("==") ? answer.split("==")[1] : answer).trim();
  const left = answer.split("==")[0].trim();
  return (left.includes("assert") ? left.split("assert")[1] : left).trim();
}
