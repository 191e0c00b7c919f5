/**
 * @file The stream of examples in the folder of a run, from data workers to the training:
 *
 *     stream/progress.json            {"version":1,"taken":12,"weights":11,"finished":false}     by the training
 *            weights.safetensors      its weights after a step, if examples depend on them
 *            blocks/13.safetensors    the examples of step 13; written atomically, never changed, with a checksum
 *            making/14.lock           claim of the maker of block 14
 *
 * The header of a block, or of weights, is JSON under `statelab` in the metadata of its file; `sha256` there is of header and numbers.
 */

import { z } from "zod";

export const StreamProgress = z.strictObject({
  version: z.literal(1),
  /** The last block that the training has read. */
  taken: z.int().min(0),
  /** The step of the published weights. */
  weights: z.int().min(0),
  /** Whether the training needs no more blocks. */
  finished: z.boolean(),
});
export type StreamProgress = z.infer<typeof StreamProgress>;

export const BlockHeader = z.strictObject({
  version: z.literal(1),
  block: z.int().min(1),
  /** The step of its weights; null if it does not depend on them. */
  weights: z.int().min(0).nullable(),
  /** Seconds to make it, and seconds that its maker waited before, for room or weights. */
  seconds: z.number().min(0),
  waited: z.number().min(0),
  /** Targets and weights that depend on the model: K layers of so many positions, and their records. Else absent. */
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

/** A made block as recorded by its data worker: `made.jsonl` in the folder of its task. */
export const MadeBlock = z.strictObject({
  block: z.int().min(1),
  weights: z.int().min(0).nullable(),
  seconds: z.number(),
  waited: z.number(),
});
export type MadeBlock = z.infer<typeof MadeBlock>;
