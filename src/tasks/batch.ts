/**
 * @file Examples as typed arrays, for a trainer that predicts a token at every position.
 *
 *     example    >>>  a   =   1   \n  ...  a   ' '  1   \n          L tokens give L − 1 positions
 *     tokens     >>>  a   =   1   \n  ...  a   ' '  1               [B, T]
 *     targets    a    =   1   \n  ...  a   ' '  1   \n              [B, T], the next token
 *     weights    0    0   0   0   ...  0   0    1   0               [B, T], 1 where a revealed value is next
 *
 * A task that asks for states predicts no written words, so all its L tokens are positions:
 *
 *     tokens     <s>  [213]  [321]
 *     targets    0    [213]  [231]                                  the state after the token, 0 if it is not asked
 *     weights    0    1      1
 *
 * After the end of an example tokens, targets and weights are 0. A row may contain several examples, end to end.
 */

import { fail } from "../core/error.ts";
import type { ExampleStream, Rng } from "../core/rng.ts";
import { type Batch, statesRow, WordBuffer, wordsRow } from "./batch/rows.ts";
import type { Prepared } from "./task.ts";
import type { Tokenizer } from "./tokenizer.ts";

export type { Batch };

/** Memory for a batch of `rows` of at most `length` positions, and its examples; a `BatchWriter` may reuse it. */
export function emptyBatch(rows: number, length: number, examples = rows): Batch {
  const size = rows * length;
  return {
    rows,
    length,
    tokens: new Int32Array(size),
    targets: new Int32Array(size),
    weights: new Float32Array(size),
    starts: new Int32Array(examples),
    lengths: new Int32Array(examples),
    revealStarts: new Int32Array(examples + 1),
    revealPositions: new Int32Array(size),
    revealEnds: new Int32Array(size),
    hashes: new Float64Array(examples),
  };
}

/** The `length` at which every example fits: the longest example, without its last token if words are asked for. */
export function maximumLength(prepared: Prepared, tokenizer: Tokenizer): number {
  const onlyTargets = prepared.asks === "states" ? 0 : 1;
  if (tokenizer.kind !== "character") return prepared.maximumWords - onlyTargets;
  const longestWord = Math.max(...prepared.words.map((word) => [...word].length));
  return (prepared.maximumCharacters ?? prepared.maximumWords * longestWord) - onlyTargets;
}

/** int32 [B, T]: 1 at the first token of an example, for graphs over packed rows. */
export function allocateBatch({ tokens, starts, lengths }: Pick<Batch, "tokens" | "starts" | "lengths">) {
  const fresh = new Int32Array(tokens.length);
  for (const [example, start] of starts.entries()) if (lengths[example] > 0) fresh[start] = 1;
  return fresh;
}

/** float32 [B, T]: 1 where a token belongs to an example, 0 for padding. */
export function batchView({ tokens, starts, lengths }: Pick<Batch, "tokens" | "starts" | "lengths">) {
  const inUse = new Float32Array(tokens.length);
  for (const [example, start] of starts.entries()) inUse.fill(1, start, start + lengths[example]);
  return inUse;
}

/**
 * Observes each example as it is written, number `number` of the batch: its tokens are at start .. end - 1. Further draws come from
 * `rng`, the example's own stream, after the draws of the example.
 */
export type ExampleReader = (
  number: number,
  example: WordBuffer,
  start: number,
  end: number,
  rng: Rng,
) => void;

/** Overwrites a batch with examples of a stream; the same stream position always gives the same numbers. */
type BatchWriter = (
  batch: Batch,
  stream: ExampleStream,
  firstExample: number,
  readers?: readonly ExampleReader[],
  writing?: Writing,
) => void;

export interface Writing {
  /** Puts a given example into the batch, instead of drawing one. */
  readonly written?: ((number: number, buffer: WordBuffer) => void) | undefined;
  /** Number of examples in each row, end to end; by default one. */
  readonly counts?: readonly number[] | undefined;
}

/** After so many rejected draws the task is considered exhausted. */
const MOST_DRAWS = 10_000;

export interface BatchOptions {
  /** Content hashes of excluded programs: another one is drawn in their place. */
  readonly exclude?: ReadonlySet<number> | undefined;
}

/**
 * Example e of the batch is example firstExample + e of the stream.
 * @throws LabError if the tokenizer does not fit the task, or an example exceeds the batch's length.
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
  return (batch, stream, firstExample, readers = [], { written, counts } = {}) => {
    const { rows, length, tokens, targets, weights, starts, lengths, revealStarts, hashes } = batch;
    /** Puts an example into the buffer; its hash. */
    const take = (number: number, rng: Rng): number => {
      for (let draws = 0; draws < MOST_DRAWS; draws++) {
        buffer.clear();
        if (written === undefined) prepared.write(rng, buffer);
        else written(number, buffer);
        const hash = contentHash(buffer.words.subarray(0, buffer.count));
        if (written !== undefined || !exclude?.has(hash)) return hash;
      }
      return fail(
        "batchWriter",
        "programs besides the excluded ones",
        `${exclude?.size} excluded`,
        "Exclude fewer",
      );
    };
    let reveals = 0;
    let number = 0;
    for (let row = 0; row < rows; row++) {
      let at = row * length;
      const end = at + length;
      for (const behind = number + (counts?.[row] ?? 1); number < behind; number++) {
        const rng = stream(firstExample + number);
        hashes[number] = take(number, rng);
        revealStarts[number] = reveals;
        starts[number] = at;
        const filled = fillRow(batch, buffer, at, end, reveals);
        reveals = filled.reveals;
        lengths[number] = filled.at - at;
        for (const read of readers) read(number, buffer, at, filled.at, rng);
        at = filled.at;
      }
      tokens.fill(0, at, end);
      targets.fill(0, at, end);
      weights.fill(0, at, end);
    }
    revealStarts[number] = reveals;
  };
}

/*
 * A content hash of an example, to show that no test program was seen in training.
 *
 *     hash = 53 bits of two murmur-like lanes over the word indices; equal words, equal hash
 *
 * Among 10^6 training and 10^3 test programs two different ones share a hash with probability 10^-7.
 */

/** @returns an integer in [0, 2^53), so that it can stand in a Set or a Float64Array. */
export function contentHash(words: ArrayLike<number>): number {
  let one = 0x2545f491;
  let two = 0x4cf5ad43;
  for (let i = 0; i < words.length; i++) {
    one = Math.imul(one ^ words[i], 0x85ebca6b);
    one ^= one >>> 15;
    two = Math.imul(two ^ words[i], 0xc2b2ae35);
    two ^= two >>> 13;
  }
  one = Math.imul(one ^ words.length ^ (two >>> 16), 0x9e3779b1);
  two = Math.imul(two ^ words.length ^ (one >>> 15), 0x27d4eb2f);
  return (two >>> 11) * 0x1_0000_0000 + ((one ^ (two >>> 7)) >>> 0);
}
