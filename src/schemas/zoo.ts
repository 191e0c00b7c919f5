/**
 * @file The cells of the zoo, an architecture on a task each: evidence/zoo/SCALE-cells.json, one cell per line, and the rows of
 * result.json as cells.
 */

import { z } from "zod";

const Share = z.number().min(0).max(1);

/**
 * A trained model: its accuracy on programs as trained, on longer ones, and for a graded column on the easiest. For tasks with hidden
 * chance, shares are relative to the exact filter.
 */
export const ZooRun = z.strictObject({
  ...{ seed: z.int(), rate: z.number(), trained: Share, longer: Share },
  easiest: Share.optional(),
  /** Nats per reveal above the exact filter; may be negative by chance on few programs. */
  nats: z.strictObject({ trained: z.number(), longer: z.number() }).optional(),
});
export type ZooRun = z.infer<typeof ZooRun>;

export const ZooCell = z.strictObject({
  row: z.string(),
  column: z.string(),
  /** Hash of the common settings of its runs: other settings make another cell. */
  settings: z.string(),
  /** The learning rate selected by the grid. */
  rate: z.number(),
  /** At that rate, with seeds that the grid did not use. */
  runs: z.array(ZooRun),
  /** Every rate with the seeds of the grid, which are never reported as results. */
  grid: z.array(ZooRun),
  parameters: z.int(),
  /** Size of the state of the layers, in numbers. */
  state: z.int(),
  /** Median over its runs, training only. */
  seconds: z.number(),
  date: z.string(),
});
export type ZooCell = z.infer<typeof ZooCell>;

export const ZooCells = z.strictObject({ version: z.literal(1), cells: z.array(ZooCell) });
export type ZooCells = z.infer<typeof ZooCells>;
