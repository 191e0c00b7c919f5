/**
 * @file Scripted endpoint: the reply of the first matching line of a JSON lines file; no match is an error.
 *
 *     {"contains": "assert f(17) == ??", "reply": "assert f(17) == 17"}
 *     {"contains": "?? == 3", "replies": ["a first sample", "a second"]}
 *     {"reply": "to everything else"}
 */

import { z } from "zod";
import { lastProgram } from "../prompt.ts";
import { type Endpoint, trouble } from "./endpoint.ts";

export const ScriptLine = z
  .strictObject({
    /** Text that the question must contain (the prompt without its examples); without it every prompt matches. */
    contains: z.string().optional(),
    reply: z.string().optional(),
    /** By sample index, modulo their number. */
    replies: z.array(z.string()).min(1).optional(),
  })
  .refine(
    ({ reply, replies }) => (reply === undefined) !== (replies === undefined),
    "one of reply and replies",
  );
export type ScriptLine = z.infer<typeof ScriptLine>;

export function scriptedEndpoint(script: readonly ScriptLine[]): Endpoint {
  return async ({ prompt, sample }, signal) => {
    signal.throwIfAborted();
    const question = lastProgram(prompt);
    const found = script.find(({ contains }) => contains === undefined || question.includes(contains));
    if (found === undefined) return trouble("unscripted", "the script has no reply to this prompt");
    const text = found.reply ?? found.replies![sample % found.replies!.length]; // the schema asks for one of them
    return { kind: "reply", text, finish: "stop", promptTokens: null, replyTokens: null };
  };
}
