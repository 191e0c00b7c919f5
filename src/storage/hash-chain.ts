/**
 * @file A chain of lines, read one after the other: which line was changed, without holding any of them.
 *
 *     {"previous":"0000...","key":"3f...","text":"3"}\n
 *     {"previous":"9c1f...","key":"07...","text":"7"}\n    9c1f... is the SHA-256 of the line above
 *
 * A seal, kept elsewhere, vouches for the first so many lines: more may follow, none may be missing.
 */

import { fail } from "../core/error.ts";
import { noLine, type Seal } from "./hash-chained-log.ts";
import { sha256 } from "./sha256.ts";

export interface Chain {
  /** The next line and the hash that it holds. @throws LabError (corrupt) naming the line that was changed. */
  line(bytes: Uint8Array, previous: string): void;
  /** No more lines. */
  end(): Seal;
}

export function chain(path: string, seal?: Seal): Chain {
  let lines = 0;
  let hash = noLine;
  /** The line that does not hold the hash of the one before it, from 1: that one was changed, or this one. */
  let suspect: number | undefined;
  const changed = (line: number, hint: string) =>
    fail(
      `${path}, line ${Math.max(1, line)}`,
      "the line as it was written",
      "one that was changed",
      hint,
      "corrupt",
    );
  const broken = "Its hash is not what the line after it holds; the lines before it are whole";
  return {
    line(bytes, previous) {
      // Where what follows still vouches for the suspect, it is the one before that was changed.
      if (suspect !== undefined) changed(previous === hash ? suspect - 1 : suspect, broken);
      if (previous !== hash) suspect = lines + 1;
      lines++;
      hash = sha256(bytes);
      if (seal !== undefined && lines === seal.lines && hash !== seal.hash)
        changed(suspect ?? lines, "Its hash is not what was sealed");
    },
    end() {
      if (suspect !== undefined) changed(seal?.lines === lines ? suspect - 1 : suspect, broken);
      if (seal !== undefined && lines < seal.lines)
        fail(
          `${path}, line ${lines + 1}`,
          `${seal.lines} lines, as they were sealed`,
          `${lines} lines`,
          undefined,
          "corrupt",
        );
      return { lines, hash };
    },
  };
}
