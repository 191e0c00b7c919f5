/**
 * @file What a trained model was asked and said, one line a reveal: written by `evaluate --reveals`, asked again by `ask`.
 *
 *     {"version": 1, "id": "0_00007_003", "prompt": ">>> a = 2\n ... a ", "expected": "1", "tokens": 1, "commands": 4,
 *      "answer": "1", "margin": 3.2, "change": {"commands": 48}}
 */

import { z } from "zod";

export const RevealRecord = z.strictObject({
  version: z.literal(1),
  /** TEST_PROGRAM_REVEAL. */
  id: z.string(),
  /** How the task of this test differs from that of the training. */
  change: z.record(z.string(), z.unknown()),
  /** The text up to the value. */
  prompt: z.string().min(1),
  expected: z.string().min(1),
  /** How many tokens the value has. */
  tokens: z.int().min(1),
  /** How many ran before. */
  commands: z.int().min(0),
  /** The most probable tokens, each behind the true ones before it, up to the first wrong one. */
  answer: z.string(),
  /** The least difference, over these tokens, between the two largest logits. */
  margin: z.number().min(0),
});
export type RevealRecord = z.infer<typeof RevealRecord>;
