/** @file Rows as JSON lines, in a new file, a megabyte at a time. */

import { open } from "node:fs/promises";
import type { DatasetRow } from "../../schemas/dataset.ts";

const CHUNK = 1 << 20;

/** Writes a new file and flushes it to the disk; returns the number of rows. */
export async function writeJsonLines(path: string, rows: Iterable<DatasetRow>): Promise<number> {
  const file = await open(path, "wx");
  try {
    let chunk = "";
    let count = 0;
    for (const row of rows) {
      chunk += `${JSON.stringify(row)}\n`;
      count++;
      if (chunk.length >= CHUNK) {
        await file.appendFile(chunk);
        chunk = "";
      }
    }
    await file.appendFile(chunk);
    await file.sync();
    return count;
  } finally {
    await file.close();
  }
}
