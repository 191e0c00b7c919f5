/** @file The rows of a Parquet file, one group of them in memory at a time, as JSON has them. */

import { asyncBufferFromFile, parquetMetadataAsync, parquetRead, parquetReadObjects } from "hyparquet";
import { fail } from "../../records/error.ts";

/** Errors: LabError (corrupt) where it is no Parquet file. */
export async function* parquetValues(path: string, hint?: string): AsyncGenerator<unknown> {
  try {
    const file = await asyncBufferFromFile(path);
    const metadata = await parquetMetadataAsync(file);
    let rowStart = 0;
    for (const { num_rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(num_rows);
      await tryColumns({ file, metadata, rowStart, rowEnd });
      for (const row of await parquetReadObjects({ file, metadata, rowStart, rowEnd }))
        yield JSON.parse(JSON.stringify(row, withoutBigInts));
      rowStart = rowEnd;
    }
  } catch (error) {
    return fail(path, "a Parquet file of rows", (error as Error).message, hint, "corrupt"); // hyparquet throws Errors
  }
}

/** JSON has no integers of 64 bits: what a number does not hold is a text. */
function withoutBigInts(_: string, value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

/**
 * Reads every column once, to fail here if one is damaged: where the library gives up on one it lets go of the others, and
 * an error of theirs would end the process. No bytes are given out before it has planned all of them.
 */
async function tryColumns(options: Parameters<typeof parquetRead>[0]): Promise<void> {
  const { file } = options;
  let open = () => {};
  const planned = new Promise<void>((resolve) => {
    open = resolve;
  });
  let refuse = (_: Error) => {};
  const refused = new Promise<never>((_, reject) => {
    refuse = reject;
  });
  const slice = async (start: number, end?: number): Promise<ArrayBuffer> => {
    if (!Number.isSafeInteger(start) || (end !== undefined && !Number.isSafeInteger(end))) {
      refuse(new Error(`bytes ${start} to ${end} of the file`));
      return new Promise(() => {}); // nobody may be listening to it
    }
    await planned;
    return file.slice(start, end);
  };
  const reading = parquetRead({ ...options, file: { byteLength: file.byteLength, slice } });
  await Promise.race([reading, refused, new Promise((resolve) => setImmediate(resolve))]);
  open();
  await Promise.race([reading, refused]);
}
