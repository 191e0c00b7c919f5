/**
 * @file The thread that reads a Parquet file: its rows become lines of a file that is open already, one group of rows after the other.
 *
 * A damaged length makes the library count to 2^30 or further, and nothing else can stop it: rows.ts watches from outside.
 */

import { writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";

const { path, spool } = workerData;
/** JSON has no integers of 64 bits: what a number does not hold is a text. */
const plain = (_, value) => {
  if (typeof value !== "bigint") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
};

const file = await asyncBufferFromFile(path);
// No column is a map's: whether one is would be asked in a loop that a negative number of children keeps from ending.
const metadata = await parquetMetadataAsync(file, { geoparquet: false });
let rowStart = 0;
for (const { num_rows } of metadata.row_groups) {
  const rowEnd = rowStart + Number(num_rows);
  for (const row of await parquetReadObjects({ file, metadata, rowStart, rowEnd }))
    writeSync(spool, `${JSON.stringify(row, plain)}\n`);
  rowStart = rowEnd;
  parentPort.postMessage("group");
}
parentPort.postMessage("all");
