/**
 * @file Examples as typed arrays, for a trainer that predicts a token at every position.
 *
 *     example    >>>  a   =   1   \n  ...  a   ' '  1   \n          L tokens give L − 1 positions
 *     tokens     >>>  a   =   1   \n  ...  a   ' '  1               [B, T]
 *     targets    a    =   1   \n  ...  a   ' '  1   \n              [B, T], the next token
 *     weights    0    0   0   0   ...  0   0    1   0               [B, T], loss "reveals": 1 where a revealed value is next
 *
 * A task that asks for states predicts nothing that is written, so all its L tokens are positions:
 *
 *     tokens     <s>  [213]  [321]
 *     targets    0    [213]  [231]                                  the state after the token, 0 where it is not asked
 *     weights    0    1      1
 *
 * Behind the end of an example tokens, targets and weights are 0.
 */

import { fail } from "../records/error.ts";
import { contentHash } from "./hash.ts";
import type { ExampleStream } from "./stream.ts";
import type { Prepared, Sink } from "./task.ts";
import type { Tokenizer } from "./tokenizer.ts";

/** Where the loss is: on what the task asks for only, or on every next token. */
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
  /** What row b asks for, in order, is at revealPositions[revealStarts[b]] up to (not with) revealStarts[b + 1]. */
  readonly revealStarts: Int32Array; // [B + 1]
  /** Index into the flat targets (b * T + t) of each state asked for, or of the first token of each revealed value. */
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

/** The `length` at which every example fits: all tokens of the longest, without its last where words are asked for. */
export function maximumLength(prepared: Prepared, tokenizer: Tokenizer): number {
  const onlyTargets = prepared.asks === "states" ? 0 : 1;
  if (tokenizer.kind === "word") return prepared.maximumWords - onlyTargets;
  const longestWord = Math.max(...prepared.words.map((word) => [...word].length));
  return (prepared.maximumCharacters ?? prepared.maximumWords * longestWord) - onlyTargets;
}

/** Overwrites a batch with examples of a stream; the same place in the stream always gives the same numbers. */
export type BatchWriter = (batch: Batch, stream: ExampleStream, firstExample: number) => void;

/**
 * Row b gets example firstExample + b.
 * @throws LabError if the loss or the tokenizer does not fit the task, or an example not into the batch's length.
 */
export function batchWriter(prepared: Prepared, tokenizer: Tokenizer, loss: Loss): BatchWriter {
  const asks = prepared.asks ?? "words";
  const buffer = new WordBuffer(prepared.maximumWords, asks);
  const fillRow =
    asks === "states" ? statesRow(prepared, tokenizer, loss) : wordsRow(prepared, tokenizer, loss);
  return (batch, stream, firstExample) => {
    const { rows, length, tokens, targets, weights, lengths, revealStarts, hashes } = batch;
    let reveals = 0;
    for (let row = 0; row < rows; row++) {
      buffer.clear();
      prepared.write(stream(firstExample + row), buffer);
      revealStarts[row] = reveals;
      const start = row * length;
      const end = start + length;
      const filled = fillRow(batch, buffer, start, end, reveals);
      reveals = filled.reveals;
      tokens.fill(0, filled.at, end);
      targets.fill(0, filled.at, end);
      weights.fill(0, filled.at, end);
      lengths[row] = filled.at - start;
      hashes[row] = contentHash(buffer.words.subarray(0, buffer.count));
    }
    revealStarts[rows] = reveals;
  };
}

/**
 * Fills positions start .. of a row from an example, up to `end` at most, and revealPositions from `reveals` on.
 * @returns the first position behind the example, and the number of revealPositions in use.
 */
type RowFiller = (
  batch: Batch,
  example: WordBuffer,
  start: number,
  end: number,
  reveals: number,
) => { at: number; reveals: number };

function wordsRow(prepared: Prepared, tokenizer: Tokenizer, loss: Loss): RowFiller {
  const everywhere = loss === "next-token" ? 1 : 0;
  const { ids, starts } = idsOfWords(prepared.words, tokenizer);
  return ({ length, tokens, targets, weights, revealPositions }, example, start, end, before) => {
    let reveals = before;
    let at = start - 1; // where the next token is predicted; the first token of a row is predicted nowhere
    for (let i = 0; i < example.count; i++) {
      const word = example.words[i];
      const revealed = example.marks[i];
      if (revealed === 1) revealPositions[reveals++] = at;
      for (let k = starts[word]; k < starts[word + 1]; k++) {
        if (at >= end) tooLong(prepared, tokenizer, length);
        if (at >= start) {
          targets[at] = ids[k];
          weights[at] = revealed | everywhere;
        }
        if (++at < end) tokens[at] = ids[k];
      }
    }
    return { at, reveals }; // the last token is only a target
  };
}

function statesRow(prepared: Prepared, tokenizer: Tokenizer, loss: Loss): RowFiller {
  if (loss === "next-token") {
    fail(
      "train.loss",
      '"reveals" for a task that asks for states',
      loss,
      "Its words are drawn at random and its states are not among them, so no next token can be learned",
    );
  }
  const { ids, starts } = idsOfWords(prepared.words, tokenizer);
  const idOfValue = prepared.values.map((value) => {
    const [id, ...rest] = tokenizer.encode(value);
    if (rest.length === 0) return id;
    return fail("tokenizer", '"word" for a task that asks for states of several characters', tokenizer.kind);
  });
  return ({ length, tokens, targets, weights, revealPositions }, example, start, end, before) => {
    let reveals = before;
    let at = start;
    for (let i = 0; i < example.count; i++) {
      const word = example.words[i];
      for (let k = starts[word]; k < starts[word + 1]; k++) {
        if (at >= end) tooLong(prepared, tokenizer, length);
        tokens[at] = ids[k];
        targets[at] = 0;
        weights[at++] = 0;
      }
      if (example.marks[i] === 0) continue;
      targets[at - 1] = idOfValue[example.marks[i] - 1];
      weights[at - 1] = 1;
      revealPositions[reveals++] = at - 1;
    }
    return { at, reveals };
  };
}

/** One example as word indices, each with a mark. */
class WordBuffer implements Sink {
  readonly words: Int32Array;
  /** Of word i, where words are asked for: 1 if it is revealed; where states are: 1 + the value after it. Else 0. */
  readonly marks: Int32Array;
  count = 0;
  private readonly asks: "words" | "states";

  constructor(capacity: number, asks: "words" | "states") {
    this.words = new Int32Array(capacity);
    this.marks = new Int32Array(capacity);
    this.asks = asks;
  }

  clear(): void {
    this.marks.fill(0, 0, this.count);
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
    if (this.asks !== "words") fail("task", 'asks: "words" where a word is revealed', this.asks);
    if (this.count < this.marks.length) this.marks[this.count] = 1;
  }

  target(_variable: number, value: number): void {
    if (this.asks !== "states") fail("task", 'asks: "states" where a state is asked for', this.asks);
    this.marks[this.count - 1] = value + 1;
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

function tooLong(prepared: Prepared, tokenizer: Tokenizer, length: number): never {
  const bound = `maximumLength is ${maximumLength(prepared, tokenizer)} by ${tokenizer.kind}`;
  return fail("batchWriter", "a batch length that holds every example", length, bound);
}
