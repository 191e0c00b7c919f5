/**
 * @file What a trained model was asked about, and how it answered: one line of a run's tested.jsonl for each test.
 *
 *     {"version": 2, "step": 600, "change": {"spacing": 4}, "wanted": 1000, "programs": 998, "reveals": 2994, "accuracy": 0.97, ...,
 *      "references": {"exactBayes": {"accuracy": 1, ...}}, "places": [0, 1, 3, ...], "hits": ["101", "111", ...]}
 *
 * What was asked is `change` and `wanted`, of the weights after `step`: with another of them it is another question.
 */

import { z } from "zod";

const Share = z.number().min(0).max(1);

/** How often the argmax over the whole vocabulary was the revealed value, or how often a computed solver expects to be right. */
export const Shares = z.strictObject({
  /** Over all reveals, and over the last of each program. */
  accuracy: Share,
  accuracyLast: Share,
  /** By position of the reveal in the program, first to last. */
  accuracyByReveal: z.array(Share),
});
export type Shares = z.infer<typeof Shares>;

/** Nats a reveal: among all tokens, among the values alone, and of the exact filter, below which nobody comes on average. */
export const Nats = z.strictObject({ vocabulary: z.number(), values: z.number(), exact: z.number() });
export type Nats = z.infer<typeof Nats>;

export const TestedRecord = z.strictObject({
  version: z.literal(2),
  /** Steps that the weights were trained for. */
  step: z.int(),
  /** What was changed in the task that was trained. */
  change: z.record(z.string(), z.unknown()),
  /** Programs that were asked for. */
  wanted: z.int(),
  /** Those that were asked: a small task has fewer. With none the shares say nothing. */
  programs: z.int(),
  reveals: z.int(),
  ...Shares.shape,
  /** The task's computed solvers on the same programs, by name: `exactBayes`, `windowedBayes`. */
  references: z.record(z.string(), Shares),
  /** Where chance that nobody sees moves the state. */
  nats: Nats.optional(),
  /**
   * Which programs of the test's stream were asked. Those that a run was trained on are passed over, and two models in
   * different stages of a curriculum are trained on different ones.
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
