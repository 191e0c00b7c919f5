/**
 * @file Reveals of programs as they stand in a file of `evaluate --reveals`: the text up to the value is the prompt, without
 * instruction or example, and the value is what should come next.
 *
 *     >>> a = 2 ...     >>> print('c', c)     c _          expected: 2
 *
 * For models that go on with such texts: those that the lab trained, and base models. A model of the lab is asked for as
 * many tokens as the value has, since what it says behind the value may never have been trained.
 */

import { z } from "zod";
import { fail } from "../../core/error.ts";
import { parseWith } from "../../core/settings.ts";
import { RevealRecord } from "../../schemas/reveals.ts";
import { defineBench } from "../question.ts";

const Params = z.strictObject({});

export const reveals = defineBench<z.infer<typeof Params>, RevealRecord>({
  name: "reveals",
  summary: "the very reveals that `evaluate --reveals FILE` asked a trained model about: what comes next?",
  source: "statelab evaluate --reveals",
  data: {
    hint: "Make it: statelab evaluate RUN --reveals FILE",
    row: (value, at) => parseWith(RevealRecord, value, at),
  },
  params: Params,
  arms: ["function"],
  predict: ["output"],
  fixedPrompt: true,
  stop: [],
  // of the longest value; each question says its own
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
