/**
 * @file Examples as typed arrays, for a trainer that predicts a token at every position.
 *
 *     example    >>>  a   =   1   \n  ...  a   ' '  1   \n          L tokens give L − 1 positions
 *     tokens     >>>  a   =   1   \n  ...  a   ' '  1               [B, T]
 *     targets    a    =   1   \n  ...  a   ' '  1   \n              [B, T], the next token
 *     weights    0    0   0   0   ...  0   0    1   0               [B, T], 1 where a revealed value is next
 *
 * A task that asks for states predicts nothing that is written, so all its L tokens are positions:
 *
 *     tokens     <s>  [213]  [321]
 *     targets    0    [213]  [231]                                  the state after the token, 0 where it is not asked
 *     weights    0    1      1
 *
 * Behind the end of an example tokens, targets and weights are 0.
 */

import type { Rng } from "../math/rng.ts";
import { fail } from "../records/error.ts";
import { statesRow, WordBuffer, wordsRow } from "./batch/rows.ts";
import { contentHash } from "./hash.ts";
import type { ExampleStream } from "./stream.ts";
import type { Prepared } from "./task.ts";
import type { Tokenizer } from "./tokenizer.ts";

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
  /** What row b asks for, in order, is at revealPositions[revealStarts[b]] up to (not with) revealStarts[b + 1]. */
  readonly revealStarts: Int32Array; // [B + 1]
  /** Index into the flat targets (b * T + t) of each state asked for, or of the first token of each revealed value. */
  readonly revealPositions: Int32Array; // [B * T], used up to revealStarts[B]
  /** Of each of these the index behind its last token: all the targets between are one value. */
  readonly revealEnds: Int32Array; // [B * T]
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
    revealEnds: new Int32Array(size),
    hashes: new Float64Array(rows),
  };
}

/** The `length` at which every example fits: all tokens of the longest, without its last where words are asked for. */
export function maximumLength(prepared: Prepared, tokenizer: Tokenizer): number {
  const onlyTargets = prepared.asks === "states" ? 0 : 1;
  if (tokenizer.kind === "word") return prepared.maximumWords - onlyTargets;
  const longestWord = Math.max(...prepared.words.map((word) => [...word].length));
  return (prepared.maximumCharacters ?? prepared.maximumWords * longestWord) - onlyTargets;
}

/**
 * Is shown each example as it is written into row `row`: its tokens stand at start .. end - 1. Further draws are from `rng`,
 * the example's own stream, behind those that made it.
 */
export type ExampleReader = (row: number, example: WordBuffer, start: number, end: number, rng: Rng) => void;

/** Overwrites a batch with examples of a stream; the same place in the stream always gives the same numbers. */
export type BatchWriter = (
  batch: Batch,
  stream: ExampleStream,
  firstExample: number,
  readers?: readonly ExampleReader[],
  /** Puts the example of a row into the buffer, in place of drawing it. */
  written?: (row: number, buffer: WordBuffer) => void,
) => void;

/** After so many draws in vain no program is left. */
const MOST_DRAWS = 10_000;

export interface BatchOptions {
  /** Content hashes of programs that must not occur: another one is drawn in their place. */
  readonly exclude?: ReadonlySet<number> | undefined;
}

/**
 * Row b gets example firstExample + b.
 * @throws LabError if the tokenizer does not fit the task, or an example not into the batch's length.
 */
export function batchWriter(
  prepared: Prepared,
  tokenizer: Tokenizer,
  { exclude }: BatchOptions = {},
): BatchWriter {
  const buffer = new WordBuffer(prepared);
  const refuse = (length: number): never => {
    const bound = `maximumLength is ${maximumLength(prepared, tokenizer)} by ${tokenizer.kind}`;
    return fail("batchWriter", "a batch length that holds every example", length, bound);
  };
  const rowOf = prepared.asks === "states" ? statesRow : wordsRow;
  const fillRow = rowOf(prepared, tokenizer, refuse);
  return (batch, stream, firstExample, readers = [], written) => {
    const { rows, length, tokens, targets, weights, lengths, revealStarts, hashes } = batch;
    let reveals = 0;
    for (let row = 0; row < rows; row++) {
      const rng = stream(firstExample + row);
      let hash: number;
      let draws = 0;
      do {
        if (draws++ === MOST_DRAWS) {
          fail(
            "batchWriter",
            "programs besides the excluded ones",
            `${exclude?.size} excluded`,
            "Exclude fewer",
          );
        }
        buffer.clear();
        if (written === undefined) prepared.write(rng, buffer);
        else written(row, buffer);
        hash = contentHash(buffer.words.subarray(0, buffer.count));
      } while (written === undefined && exclude?.has(hash));
      revealStarts[row] = reveals;
      const start = row * length;
      const end = start + length;
      const filled = fillRow(batch, buffer, start, end, reveals);
      reveals = filled.reveals;
      tokens.fill(0, filled.at, end);
      targets.fill(0, filled.at, end);
      weights.fill(0, filled.at, end);
      lengths[row] = filled.at - start;
      hashes[row] = hash;
      for (const read of readers) read(row, buffer, start, filled.at, rng);
    }
    revealStarts[rows] = reveals;
  };
}
