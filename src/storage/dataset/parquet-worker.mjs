/**
 * @file Worker thread that reads a Parquet file and appends its rows to an open file as JSON lines, one row group at a time.
 *
 * A damaged length can make the library count to 2^30 or further, and only ending the thread stops it: rows.ts monitors it.
 */

import { writeSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";

const { path, spool } = workerData;
/** JSON has no 64-bit integers: unsafe ones become strings. */
const plain = (_, value) => {
  if (typeof value !== "bigint") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
};

const file = await asyncBufferFromFile(path);
// Assume that no column is a map: the library's check loops forever on a negative number of children.
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
