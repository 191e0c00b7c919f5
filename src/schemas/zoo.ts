/**
 * @file What the zoo keeps of every cell, an architecture on a task: evidence/zoo/SCALE-cells.json, one cell a line, and result.json's
 * rows read as cells.
 */

import { z } from "zod";

const Share = z.number().min(0).max(1);

/**
 * A model that was trained: its answers to the programs that it was trained on, to longer ones, and of a graded column to the easiest. Where
 * chance that nobody sees moves the state, shares are of the right answers that the exact filter has.
 */
export const ZooRun = z.strictObject({
  ...{ seed: z.int(), rate: z.number(), trained: Share, longer: Share },
  easiest: Share.optional(),
  /** Nats a reveal that it pays above the exact filter; on few programs it may by luck pay less. */
  nats: z.strictObject({ trained: z.number(), longer: z.number() }).optional(),
});
export type ZooRun = z.infer<typeof ZooRun>;

export const ZooCell = z.strictObject({
  row: z.string(),
  column: z.string(),
  /** Of everything that its runs have in common: a cell with other settings is another cell. */
  settings: z.string(),
  /** The learning rate that the grid chose. */
  rate: z.number(),
  /** At that rate, by seeds that the grid has not seen. */
  runs: z.array(ZooRun),
  /** Every rate by the grid's own seeds; never reported as a seed. */
  grid: z.array(ZooRun),
  parameters: z.int(),
  /** What the layers carry from word to word, in numbers. */
  state: z.int(),
  /** Median of its runs, training alone. */
  seconds: z.number(),
  date: z.string(),
});
export type ZooCell = z.infer<typeof ZooCell>;

export const ZooCells = z.strictObject({ version: z.literal(1), cells: z.array(ZooCell) });
export type ZooCells = z.infer<typeof ZooCells>;
