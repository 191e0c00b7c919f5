/**
 * @file A stream of examples in the folder of a run, between whoever makes them and the training:
 *
 *     stream/progress.json            {"version":1,"taken":12,"weights":11,"finished":false}     by the training
 *            weights.safetensors      its weights after a step, where examples depend on them
 *            blocks/13.safetensors    the examples of step 13; there whole or not at all, never changed, with a checksum
 *            making/14.lock           names who makes block 14
 *
 * The header of a block, or of weights, is JSON under `statelab` in the metadata of its file; `sha256` there is of header and numbers.
 */

import { z } from "zod";

export const StreamProgress = z.strictObject({
  version: z.literal(1),
  /** The last block that the training has read. */
  taken: z.int().min(0),
  /** The step whose weights are there. */
  weights: z.int().min(0),
  /** Whether no block will be read any more. */
  finished: z.boolean(),
});
export type StreamProgress = z.infer<typeof StreamProgress>;

export const BlockHeader = z.strictObject({
  version: z.literal(1),
  block: z.int().min(1),
  /** The step whose weights it was made with; null where it does not depend on them. */
  weights: z.int().min(0).nullable(),
  /** What making it took, and how long its maker had waited before: for room, or for weights. */
  seconds: z.number().min(0),
  waited: z.number().min(0),
  /** Of what its examples are taught by: K layers of so many positions, and what is recorded of them. Absent where the task says all. */
  weighed: z
    .strictObject({
      layers: z.int().min(1),
      positions: z.int().min(1),
      records: z.record(z.string(), z.number()).exactOptional(),
    })
    .exactOptional(),
});
export type BlockHeader = z.infer<typeof BlockHeader>;

export const WeightsHeader = z.strictObject({ version: z.literal(1), step: z.int().min(0) });
export type WeightsHeader = z.infer<typeof WeightsHeader>;

/** A block that was made, as its maker notes it: `made.jsonl` in the folder of a task of an engine. */
export const MadeBlock = z.strictObject({
  block: z.int().min(1),
  weights: z.int().min(0).nullable(),
  seconds: z.number(),
  waited: z.number(),
});
export type MadeBlock = z.infer<typeof MadeBlock>;
