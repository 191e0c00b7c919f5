/**
 * @file Answers from a file: JSON lines, the first that fits is given. What fits none is no answer.
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
    /** The end of the prompt, behind its examples, holds this text; without it every prompt fits. */
    contains: z.string().optional(),
    reply: z.string().optional(),
    /** By the index of the sample, from the start again behind the last. */
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
