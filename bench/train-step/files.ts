/** @file The bench's files in other languages, which the compiler leaves where they are: found from source and from dist. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fail } from "../../src/core/error.ts";

/** Path of a file in bench/, from bench/train-step/files.ts or dist/bench/train-step/files.js. */
export function benchFile(path: string): string {
  const candidates = ["../", "../../../bench/"].map((up) =>
    fileURLToPath(new URL(up + path, import.meta.url)),
  );
  const found = candidates.find((candidate) => existsSync(candidate));
  return (
    found ?? fail("bench", `the file bench/${path}`, "none", "Run it from a copy of the source repository")
  );
}
