/** @file Writes a list, its words one after the other with a comma between them: `a, b, c`. */

import type { Sink } from "./task.ts";

/** `comma` and what `wordAt` gives are indices of words. */
export function writeList(sink: Sink, comma: number, count: number, wordAt: (i: number) => number): void {
  for (let i = 0; i < count; i++) {
    if (i > 0) sink.word(comma);
    sink.word(wordAt(i));
  }
}
