/**
 * @file A data set of examples: its rows and its config.json. A row of a JSONL file is one line:
 *
 *     {"text":">>> a = 1\n…","reveals":[{"start":114,"end":115,"variable":"a","value":"1","commands":4}],
 *      "states":[{"end":30,"values":{"a":"1","b":"3","c":"2"}}]}
 *
 * Offsets count UTF-16 units from the start of the text; `text.slice(start, end)` is the revealed value, or empty if the task asks for
 * a state after `text.slice(0, start)` without writing it; `text.slice(0, end)` of a state is the code that has run at that point.
 */

import { z } from "zod";

const Offset = z.int().min(0);

function overlap(reveals: readonly { readonly start: number; readonly end: number }[]): boolean {
  const written = reveals.filter(({ start, end }) => end > start).toSorted((a, b) => a.start - b.start);
  return written.some(({ start }, i) => i > 0 && start < written[i - 1].end);
}

export const DatasetRow = z.strictObject({
  text: z.string(),
  reveals: z
    .array(
      z.strictObject({
        start: Offset,
        end: Offset,
        variable: z.string(),
        value: z.string(),
        commands: z.int(),
        /** Exact probability of each value before the reveal; only for tasks with hidden chance. */
        posterior: z.record(z.string(), z.number()).exactOptional(),
      }),
    )
    .refine(
      (reveals) => !overlap(reveals),
      "to be reveals that do not overlap: what is in two would count twice",
    ),
  states: z.array(z.strictObject({ end: Offset, values: z.record(z.string(), z.string()) })),
});

/** A row to write; any `Example` of a task is one. */
export interface DatasetRow {
  readonly text: string;
  readonly reveals: readonly {
    readonly start: number;
    readonly end: number;
    readonly variable: string;
    readonly value: string;
    readonly commands: number;
    readonly posterior?: Readonly<Record<string, number>>;
  }[];
  readonly states: readonly { readonly end: number; readonly values: Readonly<Record<string, string>> }[];
}

/** `config.json` of a data set, which is sufficient to regenerate its rows. */
export const DatasetConfig = z.strictObject({
  version: z.literal(1),
  task: z.string(),
  /** The user's own file that the task is from. */
  file: z.string().exactOptional(),
  /** Parameters of the task, including defaults. */
  params: z.record(z.string(), z.unknown()),
  seed: z.int(),
  tokenizer: z.enum(["word", "character"]),
  /** The version of statelab that wrote it. */
  lab: z.string(),
  /** By name. Row i of a split is a function of task, params, seed, the split's name and i. */
  splits: z.record(
    z.string(),
    z.strictObject({
      count: z.int().min(0),
      format: z.enum(["jsonl", "parquet"]),
      file: z.string(),
      /** The call that regenerates the rows; absent if an older version wrote the file. */
      command: z.string().exactOptional(),
    }),
  ),
});
export type DatasetConfig = z.infer<typeof DatasetConfig>;
export type DatasetFormat = DatasetConfig["splits"][string]["format"];
