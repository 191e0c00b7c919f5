/**
 * @file One row of a batch: an example's words, collected with their marks, become tokens, targets and weights.
 *
 *     words, asked for        token t + 1 is the target at t; what is revealed is marked
 *     states, asked for       the state's name is the target at the word after which it applies
 */

import { fail } from "../../core/error.ts";
import type { Prepared, Sink } from "../task.ts";
import type { Tokenizer } from "../tokenizer.ts";

export interface Batch {
  /** B. */
  readonly rows: number;
  /** T. */
  readonly length: number;
  readonly tokens: Int32Array; // [B, T]
  readonly targets: Int32Array; // [B, T]
  readonly weights: Float32Array; // [B, T]
  /** For each of the E examples, in the order of the rows, the flat index (b * T + t) of its first position. */
  readonly starts: Int32Array; // [E]
  /** Number of positions of each example. */
  readonly lengths: Int32Array; // [E]
  /** The targets of example e are at revealPositions[revealStarts[e]] up to (excluding) revealStarts[e + 1]. */
  readonly revealStarts: Int32Array; // [E + 1]
  /** Index into the flat targets (b * T + t) of each state asked for, or of the first token of each revealed value. */
  readonly revealPositions: Int32Array; // [B * T], used up to revealStarts[E]
  /** For each of these the index after its last token: all targets in between are one value. */
  readonly revealEnds: Int32Array; // [B * T]
  /** `contentHash` of each example's words. */
  readonly hashes: Float64Array; // [E]
}

/** The error for an example that exceeds a batch's length. */
type Refuse = (length: number) => never;

/**
 * Fills positions start .. of a row from an example, up to `end` at most, and revealPositions from `reveals` on.
 * @returns the first position after the example, and the number of revealPositions in use.
 */
type RowFiller = (
  batch: Batch,
  example: WordBuffer,
  start: number,
  end: number,
  reveals: number,
) => { at: number; reveals: number };

export function wordsRow(prepared: Prepared, tokenizer: Tokenizer, refuse: Refuse): RowFiller {
  const { ids, starts } = idsOfWords(prepared.words, tokenizer);
  return ({ length, tokens, targets, weights, revealPositions, revealEnds }, example, start, end, before) => {
    let reveals = before;
    let at = start - 1; // the position that predicts the token; the first token of a row is not predicted
    for (let i = 0; i < example.count; i++) {
      const word = example.words[i];
      const revealed = example.marks[i];
      if (revealed === 1) revealPositions[reveals++] = at;
      for (let k = starts[word]; k < starts[word + 1]; k++) {
        if (at >= end) refuse(length);
        if (at >= start) {
          targets[at] = ids[k];
          weights[at] = Math.min(1, revealed);
        }
        if (++at < end) tokens[at] = ids[k];
      }
      if (revealed > 0) revealEnds[reveals - 1] = at;
    }
    return { at, reveals }; // the last token is only a target
  };
}

export function statesRow(prepared: Prepared, tokenizer: Tokenizer, refuse: Refuse): RowFiller {
  const { ids, starts } = idsOfWords(prepared.words, tokenizer);
  const idOfValue = prepared.values.map((value) => {
    const [id, ...rest] = tokenizer.encode(value);
    if (rest.length === 0) return id;
    return fail("tokenizer", '"word" for a task that asks for states of several characters', tokenizer.kind);
  });
  return ({ length, tokens, targets, weights, revealPositions, revealEnds }, example, start, end, before) => {
    let reveals = before;
    let at = start;
    for (let i = 0; i < example.count; i++) {
      const word = example.words[i];
      for (let k = starts[word]; k < starts[word + 1]; k++) {
        if (at >= end) refuse(length);
        tokens[at] = ids[k];
        targets[at] = 0;
        weights[at++] = 0;
      }
      if (example.marks[i] === 0) continue;
      targets[at - 1] = idOfValue[example.marks[i] - 1];
      weights[at - 1] = 1;
      revealEnds[reveals] = at;
      revealPositions[reveals++] = at - 1;
    }
    return { at, reveals };
  };
}

/** The words of one example, as in `WordBuffer`. */
export interface WrittenExample {
  readonly words: Int32Array;
  readonly marks: Int32Array;
  readonly stateEnds: readonly number[];
  readonly states: readonly number[];
}

/** One example as word indices, each with a mark, and its states. */
export class WordBuffer implements Sink {
  readonly words: Int32Array;
  /**
   * For word i, if words are asked for: 1 if it is revealed, 2 if it continues the value of the word before; if states are: 1 + the
   * value after it. Else 0.
   */
  readonly marks: Int32Array;
  count = 0;
  /** State s applies after stateEnds[s] words; number i of it (`Sink.state`) is states[s * width + i]. */
  readonly stateEnds: number[] = [];
  readonly states: number[] = [];
  private readonly width: number;
  private readonly asks: "words" | "states";

  constructor({ maximumWords, asks = "words", writtenStates, variables }: Prepared) {
    this.words = new Int32Array(maximumWords);
    this.marks = new Int32Array(maximumWords);
    this.asks = asks;
    this.width = writtenStates === undefined ? variables.length : 1;
  }

  clear(): void {
    this.marks.fill(0, 0, this.count);
    this.count = 0;
    this.stateEnds.length = 0;
    this.states.length = 0;
  }

  /** Copies an example from elsewhere. */
  copy({ words, marks, stateEnds, states }: WrittenExample): void {
    if (words.length > this.words.length)
      fail("task", `at most maximumWords (${this.words.length}) words in an example`, words.length);
    this.clear();
    this.words.set(words);
    this.marks.set(marks);
    this.count = words.length;
    this.stateEnds.push(...stateEnds);
    this.states.push(...states);
  }

  word(index: number): void {
    if (this.count === this.words.length) {
      // A user's task may exceed its declared bound.
      fail("task", `at most maximumWords (${this.words.length}) words in an example`, "one more");
    }
    this.words[this.count++] = index;
  }

  reveal(_variable: number, _value: number, words = 1): void {
    if (this.asks !== "words") fail("task", 'asks: "words" where a word is revealed', this.asks);
    for (let i = 0; i < words && this.count + i < this.marks.length; i++) {
      this.marks[this.count + i] = i === 0 ? 1 : 2;
    }
  }

  target(_variable: number, value: number): void {
    if (this.asks !== "states") fail("task", 'asks: "states" for a reveal of a state', this.asks);
    this.marks[this.count - 1] = value + 1;
  }

  state(values: ArrayLike<number>): void {
    for (let i = 0; i < this.width; i++) this.states.push(values[i]);
    this.stateEnds.push(this.count);
  }
}

/** The ids of each value where it is revealed. */
export function idsOfValues(
  { values, tokenized }: Prepared,
  tokenizer: Tokenizer,
): readonly (readonly number[])[] {
  return tokenized?.values ?? values.map((value) => tokenizer.encode(value));
}

/** The ids of word i are ids[starts[i]] up to (excluding) ids[starts[i + 1]]. */
export function idsOfWords(
  words: readonly string[],
  tokenizer: Tokenizer,
): { ids: Int32Array; starts: Int32Array } {
  // The words of a tokenized task are its tokens.
  const encoded = words.map((word, i) => (tokenizer.kind === "file" ? [i] : tokenizer.encode(word)));
  const starts = new Int32Array(words.length + 1);
  for (const [i, ids] of encoded.entries()) starts[i + 1] = starts[i] + ids.length;
  return { ids: Int32Array.from(encoded.flat()), starts };
}
