/**
 * @file Answers of a trained model: one line of tested.jsonl for each test, and with `evaluate --save-predictions` one line for each reveal, which
 * `llm eval` can ask other models.
 *
 *     {"version": 2, "step": 600, "change": {"spacing": 4}, "wanted": 1000, "programs": 998, "reveals": 2994, "accuracy": 0.97, ...,
 *      "references": {"exactBayes": {"accuracy": 1, ...}}, "places": [0, 1, 3, ...], "hits": ["101", "111", ...]}
 *
 * `change`, `wanted` and the `step` of the weights identify a test.
 *
 *     {"version": 1, "id": "0_00007_003", "prompt": ">>> a = 2\n ... a ", "expected": "1", "tokens": 1, "commands": 4,
 *      "answer": "1", "margin": 3.2, "change": {"commands": 48}}
 */

import { z } from "zod";

const Share = z.number().min(0).max(1);

/** Shares of reveals where the argmax over the whole vocabulary is right, or expected accuracies of a reference solver. */
export const Shares = z.strictObject({
  /** Over all reveals, and over the last of each program. */
  accuracy: Share,
  accuracyLast: Share,
  /** By position of the reveal in the program, first to last. */
  accuracyByReveal: z.array(Share),
});
export type Shares = z.infer<typeof Shares>;

/** Nats per reveal: among all tokens, among the values, and of the exact filter, which is the minimum on average. */
export const Nats = z.strictObject({ vocabulary: z.number(), values: z.number(), exact: z.number() });
export type Nats = z.infer<typeof Nats>;

export const TestedRecord = z.strictObject({
  version: z.literal(2),
  /** Training steps of the weights. */
  step: z.int(),
  /** Change of the trained task. */
  change: z.record(z.string(), z.unknown()),
  /** Requested programs. */
  wanted: z.int(),
  /** Evaluated programs: fewer for a small task. With 0, the shares are meaningless. */
  programs: z.int(),
  reveals: z.int(),
  ...Shares.shape,
  /** Reference solvers of the task on the same programs, by name: `exactBayes`, `windowedBayes`. */
  references: z.record(z.string(), Shares),
  /** Only for tasks with hidden chance. */
  nats: Nats.optional(),
  /**
   * Indices of the evaluated programs in the stream of the test. Programs of the training are skipped, and two models in different
   * curriculum stages were trained on different ones.
   */
  places: z.array(z.int()),
  /** For each program, for each of its reveals, 1 or 0: `101`. */
  hits: z.array(z.string().regex(/^[01]*$/)),
});
export type TestedRecord = z.infer<typeof TestedRecord>;

/** `commands 48, spacing 24`. */
export function testName(change: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(change).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  return parts.join(", ") || "as configured";
}

export const RevealRecord = z.strictObject({
  version: z.literal(1),
  /** TEST_PROGRAM_REVEAL. */
  id: z.string(),
  /** Change of the trained task. */
  change: z.record(z.string(), z.unknown()),
  /** The text up to the value. */
  prompt: z.string().min(1),
  expected: z.string().min(1),
  /** Tokens of the value. */
  tokens: z.int().min(1),
  /** Commands before it. */
  commands: z.int().min(0),
  /** The most probable tokens, each after the true ones before it, up to the first wrong one. */
  answer: z.string(),
  /** Minimum over these tokens of the difference between the two largest logits. */
  margin: z.number().min(0),
});
export type RevealRecord = z.infer<typeof RevealRecord>;
