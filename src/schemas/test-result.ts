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
  accuracy: Share.describe("Accuracy over all reveals"),
  accuracyLast: Share.describe("Accuracy over the last reveal of each program"),
  accuracyByReveal: z.array(Share).describe("Accuracy by position of the reveal in the program"),
});
export type Shares = z.infer<typeof Shares>;

/** Nats per reveal: among all tokens, among the values, and of the exact filter, which is the minimum on average. */
export const Nats = z.strictObject({
  vocabulary: z.number().describe("Among all tokens"),
  values: z.number().describe("Among the values"),
  exact: z.number().describe("Of the exact Bayes filter"),
});
export type Nats = z.infer<typeof Nats>;

export const TestedRecord = z.strictObject({
  version: z.literal(2).describe("Version of the format"),
  step: z.int().describe("Training steps of the weights"),
  change: z.record(z.string(), z.unknown()).describe("Changes to the trained task"),
  wanted: z.int().describe("Requested programs"),
  programs: z.int().describe("Evaluated programs, fewer for a small task"),
  reveals: z.int().describe("Number of reveals"),
  ...Shares.shape,
  references: z
    .record(z.string(), Shares)
    .describe("Results of the reference solvers on the same programs, by name"),
  nats: Nats.optional().describe("Loss in nats per reveal, only for tasks with hidden chance"),
  places: z
    .array(z.int())
    .describe(
      "Indices of the evaluated programs in the stream of the test, which skips programs of the training",
    ),
  hits: z
    .array(z.string().regex(/^[01]*$/))
    .describe("For each program, 1 or 0 for each of its reveals, such as 101"),
});
export type TestedRecord = z.infer<typeof TestedRecord>;

/** `commands 48, spacing 24`. */
export function testName(change: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(change).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  return parts.join(", ") || "as configured";
}

export const RevealRecord = z.strictObject({
  version: z.literal(1).describe("Version of the format"),
  id: z.string().describe("TEST_PROGRAM_REVEAL"),
  change: z.record(z.string(), z.unknown()).describe("Changes to the trained task"),
  prompt: z.string().min(1).describe("Text up to the value"),
  expected: z.string().min(1).describe("The value"),
  tokens: z.int().min(1).describe("Tokens of the value"),
  commands: z.int().min(0).describe("Commands before the reveal"),
  answer: z.string().describe("Most probable tokens, up to the first wrong one"),
  margin: z.number().min(0).describe("Smallest difference between the two largest logits over these tokens"),
});
export type RevealRecord = z.infer<typeof RevealRecord>;
