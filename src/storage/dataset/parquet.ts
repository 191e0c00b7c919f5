/**
 * @file Writes rows as Parquet, nested as in JSON, one row group at a time.
 *
 *     text string · reveals list<struct<start, end, variable, value, commands>> · states list<struct<end, values<a, b, c>>>
 *
 * Rows with posteriors have one more field in every reveal: posterior<1, 2, 3>, a double a value.
 */

import { open } from "node:fs/promises";
import { fileWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import type { DatasetRow } from "../../schemas/dataset.ts";

/** A row group ends at either limit: readers fetch whole groups, and the writer keeps a group in memory. */
const GROUP_CHARACTERS = 1 << 24;
/** Rows, reveals and states: each becomes a few objects of the writer. */
const GROUP_ITEMS = 60_000;

/** Field names that become columns. */
export interface Columns {
  /** The names in `states[i].values`. */
  readonly variables: readonly string[];
  /** The names in `reveals[i].posterior`; none where the rows have no posteriors. */
  readonly outcomes: readonly string[];
}

/** Writes a new file and flushes it to the disk; returns the number of rows. */
export async function writeParquet(
  path: string,
  rows: Iterable<DatasetRow>,
  columns: Columns,
): Promise<number> {
  const parquet = new ParquetWriter({
    writer: fileWriter(path),
    schema: schemaOf(columns),
    createdBy: "statelab",
    statistics: false, // statistics of offsets are useless
  });
  let group: DatasetRow[] = [];
  let characters = 0;
  let items = 0;
  let count = 0;
  const flush = async () => {
    const columnData = (["text", "reveals", "states"] as const).map((name) => ({
      name,
      data: group.map((row) => row[name]),
    }));
    parquet.write({ columnData, rowGroupSize: group.length });
    group = [];
    characters = 0;
    items = 0;
    // The writer is synchronous: without a pause Ctrl-C would wait for the last row.
    await new Promise((resume) => setImmediate(resume));
  };
  for (const row of rows) {
    group.push(row);
    characters += row.text.length;
    items += 1 + row.reveals.length + row.states.length;
    count++;
    if (items >= GROUP_ITEMS || characters >= GROUP_CHARACTERS) await flush();
  }
  if (group.length > 0) await flush();
  parquet.finish();
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  return count;
}

function schemaOf({ variables, outcomes }: Columns): SchemaElement[] {
  const string = (name: string): SchemaElement => ({
    name,
    type: "BYTE_ARRAY",
    converted_type: "UTF8",
    repetition_type: "REQUIRED",
  });
  const integer = (name: string): SchemaElement => ({ name, type: "INT32", repetition_type: "REQUIRED" });
  const double = (name: string): SchemaElement => ({ name, type: "DOUBLE", repetition_type: "REQUIRED" });
  const struct = (name: string, fields: number): SchemaElement => ({
    name,
    repetition_type: "REQUIRED",
    num_children: fields,
  });
  const list = (name: string): SchemaElement[] => [
    { name, repetition_type: "REQUIRED", num_children: 1, converted_type: "LIST" },
    { name: "list", repetition_type: "REPEATED", num_children: 1 },
  ];
  return [
    { name: "root", num_children: 3 },
    string("text"),
    ...list("reveals"),
    struct("element", outcomes.length === 0 ? 5 : 6),
    integer("start"),
    integer("end"),
    string("variable"),
    string("value"),
    integer("commands"),
    ...(outcomes.length === 0 ? [] : [struct("posterior", outcomes.length), ...outcomes.map(double)]),
    ...list("states"),
    struct("element", 2),
    integer("end"),
    struct("values", variables.length),
    ...variables.map(string),
  ];
}
