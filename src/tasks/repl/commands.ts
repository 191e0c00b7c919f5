/**
 * @file Commands: lines of Python that permute the values of variables, drawn and written word by word.
 *
 *     a, c = c, a                 swap: two variables, in alphabetical order on the left
 *     a, b, c = c, a, b           permutation: all of them; uniform over all n!, the identity included
 */

import { shuffle } from "../../core/permutations.ts";
import type { Rng } from "../../core/rng.ts";
import { type Sink, writeList } from "../task.ts";

export type CommandKind = "swap" | "permutation";

/** Indices of words. */
interface CommandWords {
  /** Before every line; undefined if there is no prompt. */
  readonly prompt?: number | undefined;
  readonly newline: number;
  readonly equals: number;
  readonly comma: number;
  readonly firstVariable: number;
}

/** Draws a command, writes it, and applies it to `values`. */
type CommandWriter = (rng: Rng, sink: Sink, values: Int32Array) => void;

export function commandWriter(kind: CommandKind, n: number, words: CommandWords): CommandWriter {
  const line = lineWriter(words);
  return kind === "swap" ? swapWriter(n, line) : permutationWriter(n, line);
}

/** Number of words and characters of a command, without a prompt; names are one character each. */
export function commandSize(kind: CommandKind, n: number): { words: number; characters: number } {
  const named = kind === "swap" ? 2 : n;
  return { words: 4 * named, characters: 2 * (3 * named - 2) + " = \n".length };
}

/** Writes `a, b = b, a` from the two sides' variables. */
type LineWriter = (sink: Sink, targets: Int32Array, sources: Int32Array) => void;

function lineWriter({ prompt, newline, equals, comma, firstVariable }: CommandWords): LineWriter {
  return (sink, targets, sources) => {
    if (prompt !== undefined) sink.word(prompt);
    writeList(sink, comma, targets.length, (i) => firstVariable + targets[i]);
    sink.word(equals);
    writeList(sink, comma, sources.length, (i) => firstVariable + sources[i]);
    sink.word(newline);
  };
}

function swapWriter(n: number, line: LineWriter): CommandWriter {
  const targets = new Int32Array(2);
  const sources = new Int32Array(2);
  return (rng, sink, values) => {
    const one = rng.below(n);
    const draw = rng.below(n - 1);
    const other = draw < one ? draw : draw + 1;
    targets[0] = sources[1] = Math.min(one, other);
    targets[1] = sources[0] = Math.max(one, other);
    line(sink, targets, sources);
    const kept = values[one];
    values[one] = values[other];
    values[other] = kept;
  };
}

function permutationWriter(n: number, line: LineWriter): CommandWriter {
  const all = Int32Array.from({ length: n }, (_, i) => i);
  const sources = new Int32Array(n);
  const previous = new Int32Array(n);
  return (rng, sink, values) => {
    sources.set(all);
    shuffle(sources, rng);
    line(sink, all, sources);
    previous.set(values);
    for (let i = 0; i < n; i++) values[i] = previous[sources[i]];
  };
}
