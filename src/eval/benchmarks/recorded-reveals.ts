/**
 * @file Reveals recorded by `evaluate --save-predictions`: the text up to the value is the prompt, without instruction or
 * examples; the value should follow.
 *
 *     >>> a = 2 ...     >>> print('c', c)     c _          expected: 2
 *
 * For models that complete such texts: models trained here, and base models. The reply is limited to the length of
 * the value, because models trained here never saw targets after it.
 */

import { z } from "zod";
import { fail } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import { RevealRecord } from "../../schemas/test-result.ts";
import { defineBench } from "../question.ts";

const Params = z.strictObject({});

export const reveals = defineBench<z.infer<typeof Params>, RevealRecord>({
  name: "reveals",
  summary: "the reveals saved by `evaluate --save-predictions FILE`: what is the next token?",
  source: "statelab evaluate --save-predictions",
  data: {
    hint: "Make it: statelab evaluate RUN --save-predictions FILE",
    row: (value, at) => parseWith(RevealRecord, value, at),
  },
  params: Params,
  arms: ["function"],
  predict: ["output"],
  fixedPrompt: true,
  stop: [],
  // for the longest value; each question sets its own limit
  replyTokens: (_, rows) => rows.reduce((longest, { tokens }) => Math.max(longest, tokens), 1),
  prepare(_, { rows, style, maximumTokens }) {
    if (style !== "direct") fail("--style", "direct for reveals, whose prompt is the program alone", style);
    return {
      count: rows.length,
      excluded: [],
      question(index) {
        const { id, prompt, expected, tokens, commands } = rows[index];
        return {
          ...{ id, arm: "function", predict: "output", steps: commands, expected },
          replyTokens: maximumTokens ?? tokens,
          endsByLength: true,
          next: (replies) => (replies.length === 0 ? prompt : undefined),
          async judge([reply]) {
            const extracted = reply.split("\n")[0].trim();
            if (extracted === "")
              return { extracted: null, grade: { kind: "unreadable", words: "an empty line" } };
            const right = extracted === expected.trim();
            return {
              extracted,
              grade: right ? { kind: "correct" } : { kind: "wrong", words: "another value" },
            };
          },
        };
      },
    };
  },
});
