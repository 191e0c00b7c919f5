/**
 * @file Examples as typed arrays, for a trainer that predicts token t + 1 at position t.
 *
 *     example    >>>  a   =   1   \n  ...  a   ' '  1   \n          L tokens give L − 1 positions
 *     tokens     >>>  a   =   1   \n  ...  a   ' '  1               [B, T]
 *     targets    a    =   1   \n  ...  a   ' '  1   \n              [B, T]
 *     weights    0    0   0   0   ...  0   0    1   0               [B, T], loss "reveals": 1 where a revealed value is next
 *
 * Behind the end of an example tokens, targets and weights are 0.
 */

import { fail } from "../records/error.ts";
import { contentHash } from "./hash.ts";
import type { ExampleStream } from "./stream.ts";
import type { Prepared, Sink } from "./task.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** Where the loss is: on the revealed values only, or on every token. */
export type Loss = "reveals" | "next-token";

export interface Batch {
  /** B. */
  readonly rows: number;
  /** T. */
  readonly length: number;
  readonly tokens: Int32Array; // [B, T]
  readonly targets: Int32Array; // [B, T]
  readonly weights: Float32Array; // [B, T]
  /** Positions in use of each row. */
  readonly lengths: Int32Array; // [B]
  /** Reveals of row b, in order, are revealPositions[revealStarts[b]] up to (not with) revealStarts[b + 1]. */
  readonly revealStarts: Int32Array; // [B + 1]
  /** Index into the flat targets (b * T + t) of the first token of each revealed value. */
  readonly revealPositions: Int32Array; // [B * T], used up to revealStarts[B]
  /** `contentHash` of each row's words. */
  readonly hashes: Float64Array; // [B]
}

/** Memory for a batch of `rows` examples of at most `length` + 1 tokens; `fillBatch` may use it again and again. */
export function emptyBatch(rows: number, length: number): Batch {
  const size = rows * length;
  return {
    rows,
    length,
    tokens: new Int32Array(size),
    targets: new Int32Array(size),
    weights: new Float32Array(size),
    lengths: new Int32Array(rows),
    revealStarts: new Int32Array(rows + 1),
    revealPositions: new Int32Array(size),
    hashes: new Float64Array(rows),
  };
}

/** The `length` at which every example fits: the longest example has one token more. */
export function maximumLength(prepared: Prepared, tokenizer: Tokenizer): number {
  if (tokenizer.kind === "word") return prepared.maximumWords - 1;
  const longestWord = Math.max(...prepared.words.map((word) => [...word].length));
  return (prepared.maximumCharacters ?? prepared.maximumWords * longestWord) - 1;
}

/** Overwrites a batch with examples of a stream; the same place in the stream always gives the same numbers. */
export type BatchWriter = (batch: Batch, stream: ExampleStream, firstExample: number) => void;

/** Row b gets example firstExample + b. @throws LabError if an example does not fit into the batch's length. */
export function batchWriter(prepared: Prepared, tokenizer: Tokenizer, loss: Loss): BatchWriter {
  const buffer = new WordBuffer(prepared.maximumWords);
  const { ids, starts } = idsOfWords(prepared.words, tokenizer);
  return (batch, stream, firstExample) => {
    const { rows, length, tokens, targets, weights, lengths, revealStarts, revealPositions, hashes } = batch;
    const everywhere = loss === "next-token" ? 1 : 0;
    let reveals = 0;
    for (let row = 0; row < rows; row++) {
      buffer.clear();
      prepared.write(stream(firstExample + row), buffer);
      revealStarts[row] = reveals;
      const start = row * length;
      const end = start + length;
      const last = buffer.count;
      let at = start - 1; // where the next token is predicted; the first token of a row is predicted nowhere
      for (let i = 0; i < last; i++) {
        const word = buffer.words[i];
        const revealed = buffer.revealed[i];
        if (revealed === 1) revealPositions[reveals++] = at;
        for (let k = starts[word]; k < starts[word + 1]; k++) {
          if (at >= end) tooLong(prepared, length);
          if (at >= start) {
            targets[at] = ids[k];
            weights[at] = revealed | everywhere;
          }
          if (++at < end) tokens[at] = ids[k];
        }
      }
      // The last token is only a target.
      tokens.fill(0, at, end);
      targets.fill(0, at, end);
      weights.fill(0, at, end);
      lengths[row] = at - start;
      hashes[row] = contentHash(buffer.words.subarray(0, last));
    }
    revealStarts[rows] = reveals;
  };
}

/** One example as word indices, and which of them are revealed values. */
class WordBuffer implements Sink {
  readonly words: Int32Array;
  readonly revealed: Uint8Array;
  count = 0;

  constructor(capacity: number) {
    this.words = new Int32Array(capacity);
    this.revealed = new Uint8Array(capacity);
  }

  clear(): void {
    this.revealed.fill(0, 0, this.count);
    this.count = 0;
  }

  word(index: number): void {
    if (this.count === this.words.length) {
      // A task of a user's own may be wrong about its own bound.
      fail("task", `at most maximumWords (${this.words.length}) words in an example`, "one more");
    }
    this.words[this.count++] = index;
  }

  reveal(): void {
    if (this.count < this.revealed.length) this.revealed[this.count] = 1;
  }

  state(): void {}
}

/** The ids of word i are ids[starts[i]] up to (not with) ids[starts[i + 1]]. */
function idsOfWords(words: readonly string[], tokenizer: Tokenizer): { ids: Int32Array; starts: Int32Array } {
  const encoded = words.map((word) => tokenizer.encode(word));
  const starts = new Int32Array(words.length + 1);
  for (const [i, ids] of encoded.entries()) starts[i + 1] = starts[i] + ids.length;
  return { ids: Int32Array.from(encoded.flat()), starts };
}

function tooLong(prepared: Prepared, length: number): never {
  return fail("batchWriter", "a batch length that holds every example", length, boundOf(prepared));
}

function boundOf({ maximumWords, maximumCharacters }: Prepared): string {
  const characters = maximumCharacters === undefined ? "" : `, or ${maximumCharacters - 1} by character`;
  return `maximumLength is ${maximumWords - 1} by word${characters}`;
}
