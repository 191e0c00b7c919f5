/** @file A record read from a file of JSON: parsed once, where it enters. */

import { readFile } from "node:fs/promises";
import type { z } from "zod";
import { parseWith } from "../records/config.ts";
import { fail } from "../records/error.ts";

/** @throws LabError naming the file, and what in it is not as its schema says; `hint` says what to do about a damaged one. */
export async function readRecord<T>(path: string, schema: z.ZodType<T>, hint: string): Promise<T> {
  const text = await readFile(path, "utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail(path, "JSON", text.slice(0, 60), hint, "corrupt");
  }
  return parseWith(schema, value, path);
}
