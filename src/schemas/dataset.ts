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
  text: z.string().describe("The program or session"),
  reveals: z
    .array(
      z.strictObject({
        start: Offset.describe("First character of the value"),
        end: Offset.describe("Character after the value, equal to start if the value is not written"),
        variable: z.string().describe("Variable that is revealed"),
        value: z.string().describe("Its value"),
        commands: z.int().describe("Commands before the reveal"),
        posterior: z
          .record(z.string(), z.number())
          .exactOptional()
          .describe("Exact probability of each value before the reveal, only for tasks with hidden chance"),
      }),
    )
    .refine(
      (reveals) => !overlap(reveals),
      "to be reveals that do not overlap: what is in two would count twice",
    )
    .describe("Values to predict, with their offsets in the text"),
  states: z
    .array(
      z.strictObject({
        end: Offset.describe("Characters of the text that have run at this point"),
        values: z.record(z.string(), z.string()).describe("Values by variable"),
      }),
    )
    .describe("States after the commands"),
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
  version: z.literal(1).describe("Version of the format"),
  task: z.string().describe("Name of the task"),
  file: z.string().exactOptional().describe("File of a custom task"),
  params: z.record(z.string(), z.unknown()).describe("Parameters of the task, with defaults"),
  seed: z.int().describe("Seed"),
  tokenizer: z.enum(["word", "character"]).describe("Tokens: words or characters"),
  lab: z.string().describe("Version of Statelab that wrote it"),
  splits: z
    .record(
      z.string(),
      z.strictObject({
        count: z.int().min(0).describe("Number of rows"),
        format: z.enum(["jsonl", "parquet"]).describe("File format"),
        file: z.string().describe("File name"),
        command: z.string().exactOptional().describe("Command that makes the rows again"),
      }),
    )
    .describe("Number of rows, format, file and command of each split"),
});
export type DatasetConfig = z.infer<typeof DatasetConfig>;
export type DatasetFormat = DatasetConfig["splits"][string]["format"];
