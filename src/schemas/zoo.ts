/**
 * @file The cells of the zoo, an architecture on a task each: evidence/zoo/SCALE-cells.json, one cell per line, and the rows of
 * result.json as cells.
 */

import { z } from "zod";

const Share = z.number().min(0).max(1);

/** A model trained on words of one, two, three ... symbols: lengths in symbols. */
export const ReachRun = z.strictObject({
  ...{ seed: z.int(), rate: z.number() },
  /** The longest that was trained before the steps were used up. */
  trained: z.int(),
  /** The longest trained up to which each answer is right with at least 99 %. */
  reach: z.int(),
  /** The longest up to which it is so with at least 90 %; asked up to four times the trained length. */
  generalization: z.int(),
});
export type ReachRun = z.infer<typeof ReachRun>;

/**
 * A trained model: its accuracy on programs as trained, on longer ones, and on the easiest. For tasks with hidden
 * chance, shares are relative to the exact filter.
 */
export const GradedRun = z.strictObject({
  ...{ seed: z.int(), rate: z.number(), trained: Share, longer: Share, easiest: Share },
  /** Nats per reveal above the exact filter; may be negative by chance on few programs. */
  nats: z.strictObject({ trained: z.number(), longer: z.number() }).optional(),
});
export type GradedRun = z.infer<typeof GradedRun>;

const about = {
  row: z.string(),
  column: z.string(),
  /** Hash of the common settings of its runs: other settings make another cell. */
  settings: z.string(),
  /** The learning rate selected by the grid. */
  rate: z.number(),
  parameters: z.int(),
  /** Size of the state of the layers, in numbers. */
  state: z.int(),
  /** Median over its runs, training only. */
  seconds: z.number(),
  date: z.string(),
};

/** `runs`: at the selected rate, with seeds that the grid did not use. `grid`: every rate with the seeds of the grid, which are never reported. */
const cellOf = <Run extends z.ZodType>(run: Run) =>
  z.strictObject({ ...about, runs: z.array(run), grid: z.array(run) });

export const ReachCell = cellOf(ReachRun);
export type ReachCell = z.infer<typeof ReachCell>;
export const GradedCell = cellOf(GradedRun);
export type GradedCell = z.infer<typeof GradedCell>;
export const ZooCell = z.union([ReachCell, GradedCell]);
export type ZooCell = z.infer<typeof ZooCell>;

export const ZooCells = z.strictObject({ version: z.literal(1), cells: z.array(ZooCell) });
export type ZooCells = z.infer<typeof ZooCells>;
