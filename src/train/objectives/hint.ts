/**
 * @file Hint: the model at the beginning of the run, with the answer in its text, scores each sampled answer; the model without the
 * hint learns from these scores.
 *
 *     own text      >>> print('a', a)  a [?]
 *     hinted        >>> print('a', a)  a 2  >>> print('a', a)  a [?]        the print occurs twice
 *
 *     a ~ p(. | text);   weight of log p(a):  (log p(a | hinted) - log p(a | text)) / (K N)
 *
 * On average that is minus the gradient of KL(p(. | text) || p(. | hinted)). The hinted model keeps the initial weights: with
 * current weights it could agree by forgetting what a hint is, and did so when we tried. Hints of earlier prints add no information,
 * since those prints follow anyway, so one hinted text serves all places of a program. The base must have learned to read hints
 * (`objective: { name: reveals, hinted: true }`, then `init.from`), or else its hinted scores are no better.
 *
 * Source: distillation from a hinted self as in the repository OpenClaw-RL, with an exact answer instead of its judge; the form of the
 * hint is our own.
 */

import { z } from "zod";
import { fail } from "../../core/error.ts";
import type { Rng } from "../../core/rng.ts";
import type { ExampleReader } from "../../tasks/batch.ts";
import type { Prepared, Sink } from "../../tasks/task.ts";
import { defineSignal, type Weigh } from "./objective.ts";

export const hint = defineSignal({
  keepsBeginning: true,
  params: z.strictObject({
    /** K: sampled answers at each place. */
    samples: z.int().min(1).max(64).default(4),
  }),
  weighing: {
    layers: ({ samples }) => samples,
    records: ["divergence"],
    weigh({ samples }, { prepared, tokenizer }) {
      refuseWithoutLines(prepared);
      if (tokenizer.kind !== "word") fail("objective", '"hint" with tokenizer: word', tokenizer.kind);
      return weighHints(samples, prepared);
    },
  },
});

function refuseWithoutLines({ asks, words, values }: Prepared): void {
  if (asks !== "states" && values.every((value) => words.includes(value))) return;
  fail("objective", "hints with a task that prints values of one word each", "another task");
}

/** Start and end of the print of each revealed word: from the last state or print before it to the end of the line. */
function printsOf(
  words: ArrayLike<number>,
  reveals: readonly number[],
  stateEnds: readonly number[],
  isNewline: (word: number) => boolean,
): { readonly from: number; readonly to: number }[] {
  let before = 0;
  return reveals.map((at) => {
    const state = stateEnds.findLast((end) => end <= at) ?? 0;
    const from = Math.max(before, state);
    let to = at + 1;
    while (to < words.length && !isNewline(words[to - 1])) to++;
    before = to;
    return { from, to };
  });
}

/** The same programs with each print twice; only the second one is asked. */
export function withHints(prepared: Prepared): Prepared {
  refuseWithoutLines(prepared);
  const newline = prepared.words.map((word) => word.endsWith("\n"));
  const { maximumWords, maximumCharacters } = prepared;
  return {
    ...prepared,
    maximumWords: 2 * maximumWords,
    ...(maximumCharacters !== undefined && { maximumCharacters: 2 * maximumCharacters }),
    write(rng, sink) {
      const words: number[] = [];
      const [reveals, stateEnds]: number[][] = [[], []];
      const calls: { readonly at: number; readonly call: () => void }[] = [];
      const later = (call: () => void) => calls.push({ at: words.length, call });
      const recorder: Sink = {
        word: (index) => void words.push(index),
        reveal(...of) {
          reveals.push(words.length);
          later(() => sink.reveal(...of));
        },
        target: (...of) => void later(() => sink.target(...of)),
        state(values) {
          const copy = Array.from(values);
          stateEnds.push(words.length);
          later(() => sink.state(copy));
        },
      };
      prepared.write(rng, recorder);
      const prints = printsOf(words, reveals, stateEnds, (word) => newline[word]);
      let [call, print] = [0, 0];
      for (let at = 0; at <= words.length; at++) {
        // A state before a print also comes before its hint; the reveal itself is noted after `from`.
        for (; call < calls.length && calls[call].at === at; call++) calls[call].call();
        if (print < prints.length && prints[print].from === at) {
          for (const word of words.slice(at, prints[print].to)) sink.word(word);
          print++;
        }
        if (at < words.length) sink.word(words[at]);
      }
    },
  };
}

interface Hinted {
  readonly tokens: readonly number[];
  /** The position before each revealed word. */
  readonly asked: readonly number[];
}

/** Reads the examples of a batch, then weighs them. */
export function weighHints(
  samples: number,
  prepared: Prepared,
): { readonly read: ExampleReader; readonly weigh: Weigh } {
  const newline = prepared.words.map((word) => word.endsWith("\n"));
  const noted: Hinted[] = [];
  const read: ExampleReader = (row, { words: buffer, marks, count, stateEnds }) => {
    const words = buffer.subarray(0, count);
    const reveals = Array.from(words.keys()).filter((at) => marks[at] === 1);
    const prints = printsOf(words, reveals, stateEnds, (word) => newline[word]);
    const tokens: number[] = [];
    const asked: number[] = [];
    let done = 0;
    for (const [i, { from, to }] of prints.entries()) {
      tokens.push(...words.subarray(done, from), ...words.subarray(from, to));
      asked.push(tokens.length + reveals[i] - from - 1);
      done = from;
    }
    noted[row] = { tokens: [...tokens, ...words.subarray(done)], asked };
  };
  const weigh: Weigh = async (batch, { rng, logProbabilities }) => {
    const { rows, length, tokens, revealStarts, revealPositions } = batch;
    const own = await logProbabilities(tokens);
    const hinted = new Int32Array(rows * 2 * length);
    for (let row = 0; row < rows; row++) hinted.set(noted[row].tokens.slice(0, 2 * length), row * 2 * length);
    const withHint = await logProbabilities(hinted, "beginning");
    const vocabulary = own.length / tokens.length;
    const layers = Array.from({ length: samples }, () => ({
      targets: new Int32Array(tokens.length),
      weights: new Float32Array(tokens.length),
    }));
    const asked = Math.max(1, revealStarts[rows]);
    let divergence = 0;
    for (let row = 0; row < rows; row++) {
      for (const [i, place] of noted[row].asked.entries()) {
        const at = revealPositions[revealStarts[row] + i];
        const hintedAt = row * 2 * length + place;
        const [mine, theirs] = [
          own.subarray(at * vocabulary, (at + 1) * vocabulary),
          withHint.subarray(hintedAt * vocabulary, (hintedAt + 1) * vocabulary),
        ];
        for (const [word, log] of mine.entries()) divergence += Math.exp(log) * (log - theirs[word]);
        for (const { targets, weights } of layers) {
          const word = drawn(mine, rng);
          targets[at] = word;
          weights[at] = (theirs[word] - mine[word]) / (samples * asked);
        }
      }
    }
    return {
      targets: layers.map(({ targets }) => targets),
      weights: layers.map(({ weights }) => weights),
      records: { divergence: divergence / asked },
    };
  };
  return { read, weigh };
}

/** Draws a word by its log probabilities. */
export function drawn(logs: ArrayLike<number>, rng: Rng): number {
  let left = rng.next();
  let word = 0;
  for (; word < logs.length - 1; word++) {
    left -= Math.exp(logs[word]);
    if (left < 0) break;
  }
  return word;
}
