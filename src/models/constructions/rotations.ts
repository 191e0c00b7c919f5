/**
 * @file Constructions for a rotating memory (Mamba-3), with hand-set weights. B and C are their biases or one direction per word, so
 * that only two channels of N are used, i and i + R, which rotate together: a plane.
 *
 *     Z_n        <s> writes (1, 0); the word g rotates by 2 pi g / n; one head reads each channel:  cos, -sin of the sum
 *     parity     0: D = 0, no change;   1: D = 1, rotates by pi, and writes 1:   h = 1 - h
 *     Tomita 5   the parity of 0s in one head, that of 1s in the other, with steps of 0 at the other's symbol
 *     Tomita 6   each symbol rotates by a third, 1 back, and writes Q p - p:   h = Q^x p - p, which is 0 for x = 0, the count of 0s less that of 1s
 *
 * Each step decays by e^-0.0001: after 1,000 words the point has 0.9 of its length, and its exact angle.
 */

import type { Rows } from "../naive.ts";
import { CONSTANT, type Construction, normFactor, siluInverse, sparse } from "./construction.ts";

/** Saturates sigmoid and tanh in float32, and softplus of its negative is below the mixer's minimum. */
export const CERTAIN = 40;
export const softplusInverse = (y: number) => Math.log(Math.expm1(y));
const ONE = softplusInverse(1);
const [HEADS, STATES, EXPANSION, TURNING] = [2, 16, 2, 0.5] as const;
const TURNS = (TURNING * STATES) / 2; // R

/** The mixer's settings. */
export const TURNING_CONFIG = { heads: HEADS, stateSize: STATES, expansion: EXPANSION, turning: TURNING };

type InHeads = readonly [number, number];

/** Inputs of the mixer's parts from the columns, besides their biases. */
interface Given {
  readonly column: number;
  readonly value?: InHeads;
  readonly step?: InHeads;
  /** Before the tanh, in half turns. */
  readonly turn?: number;
  /** The direction of writes in the plane; (1, 0) by default. */
  readonly along?: InHeads;
}

interface TurningMixer {
  /** The norm's factor for `value` and `turn`. */
  readonly factor: number;
  readonly given: readonly Given[];
  readonly stepBias: number;
  /** The plane's channel that each head reads, 0 or 1, and its output column. */
  readonly reads: readonly (readonly [channel: number, column: number])[];
}

export function turningMixer(
  d: number,
  { factor, given, stepBias, reads }: TurningMixer,
): Record<string, Rows> {
  const channels = EXPANSION * d;
  const [gateAt, valueAt, writeAt] = [0, channels, 2 * channels];
  const stepsAt = writeAt + 2 * STATES;
  const [fadingAt, sharesAt, turnsAt] = [1, 2, 3].map((part) => stepsAt + part * HEADS);
  const input = sparse(d, turnsAt + TURNS);
  const own = (head: number) => (head * channels) / HEADS; // the first channel of a head
  for (let head = 0; head < HEADS; head++) {
    input.at(CONSTANT, gateAt + own(head), siluInverse(1) / factor);
    input.at(CONSTANT, fadingAt + head, -CERTAIN / factor);
    input.at(CONSTANT, sharesAt + head, CERTAIN / factor);
    for (const { column, value, step } of given) {
      if (value) input.at(column, valueAt + own(head), value[head] / factor);
      if (step) input.at(column, stepsAt + head, step[head] / factor);
    }
  }
  for (const { column, turn = 0, along = [0, 0] } of given) {
    input.at(column, turnsAt, turn / factor);
    for (const [i, each] of along.entries()) input.at(column, writeAt + i * TURNS, each / factor);
  }
  const chosen = given.some(({ along }) => along !== undefined);
  const [writeBias, readBias] = [sparse(1, HEADS * STATES), sparse(1, HEADS * STATES)];
  const out = sparse(channels, d);
  for (let head = 0; head < HEADS; head++) if (!chosen) writeBias.at(0, head * STATES, 1);
  for (const [head, [channel, column]] of reads.entries()) {
    readBias.at(0, head * STATES + channel * TURNS, 1);
    out.at(own(head), column, 1);
  }
  return {
    ...{ input: input.weight, out: out.weight },
    ...{ writeBias: writeBias.weight, readBias: readBias.weight },
    // RMSNorm scales a direction to length sqrt(N).
    ...(chosen && { writeNorm: [new Array<number>(STATES).fill(1 / Math.sqrt(STATES))] }),
    stepBias: [new Array<number>(HEADS).fill(stepBias)],
  };
}

interface Turning {
  /** By word; its column is 1 + its index. */
  readonly words: readonly Omit<Given, "column">[];
  readonly stepBias: number;
  readonly reads: InHeads;
  /** Logits of the words from the outputs of the two heads. */
  readonly logits: readonly (readonly [one: number, other: number, constant?: number])[];
}

function weightsOf(d: number, { words, stepBias, reads, logits }: Turning): Record<string, Rows> {
  const column = (word: number) => 1 + word;
  const read = (head: number) => 1 + words.length + head;
  const [embedding, head] = [sparse(words.length, d), sparse(d, words.length)];
  for (const [word, [one, other, constant = 0]] of logits.entries()) {
    embedding.at(word, CONSTANT, 1);
    embedding.at(word, column(word), 1);
    head.at(read(0), word, one);
    head.at(read(1), word, other);
    head.at(CONSTANT, word, constant);
  }
  const mixer = turningMixer(d, {
    factor: normFactor(Math.SQRT2, d),
    given: words.map((word, i) => ({ ...word, column: column(i) })),
    stepBias,
    reads: reads.map((channel, head) => [channel, read(head)]),
  });
  return {
    embedding: embedding.weight,
    head: head.weight,
    ...Object.fromEntries(Object.entries(mixer).map(([name, rows]) => [`layers.0.mixer.${name}`, rows])),
  };
}

/** Group words of Z_n: <s>, then the elements 0 .. n - 1. */
export function constructRotations(n: number): Construction["set"] {
  const elements = Array.from({ length: n }, (_, g) => g);
  const half = (g: number) => (2 * g <= n ? (2 * g) / n : (2 * g) / n - 2); // in half turns, -1 .. 1
  const turn = (g: number) => (2 * g === n ? CERTAIN : Math.atanh(half(g)));
  return (d) =>
    weightsOf(d, {
      words: [{ value: [1, 1] }, ...elements.map((g) => ({ turn: turn(g) }))],
      stepBias: ONE,
      reads: [0, 1],
      logits: [
        [0, 0],
        ...elements.map((g) => [Math.cos(Math.PI * half(g)), -Math.sin(Math.PI * half(g))] as const),
      ],
    });
}

/** By word, the heads that count it modulo two, h = 1 - h there; without a first word. */
const flipping =
  (counts: readonly InHeads[], logits: Turning["logits"]): Construction["set"] =>
  (d) =>
    weightsOf(d, {
      words: counts.map((each) => ({
        value: each,
        step: [(CERTAIN + ONE) * each[0], (CERTAIN + ONE) * each[1]],
        turn: CERTAIN,
      })),
      ...{ stepBias: -CERTAIN, reads: [0, 0], logits },
    });

/** Parity of bits. */
export const constructParityByRotation = flipping(
  [
    [0, 0],
    [1, 1],
  ],
  [
    [0, 0, 0.5],
    [1, 0, 0],
  ],
);

/** Tomita's language 5: even numbers of 0s and of 1s. */
export const constructParitiesByRotation = flipping(
  [
    [1, 0],
    [0, 1],
  ],
  [
    [1, 1, 0],
    [0, 0, 0.5],
  ],
);

/** Tomita's language 6: as many 0s as 1s, modulo three. With p = (-1, 0) the first channel is 1 - cos: 0, or 1.5. */
export const constructThirdsByRotation: Construction["set"] = (d) => {
  const [cos, sin] = [-1 / 2, Math.sqrt(3) / 2];
  const step = 2 / 3; // tanh is 1 or -1, exactly: a third of a turn
  const word = (sign: 1 | -1) => {
    const length = Math.sqrt(3) / step; // of Q p - p
    return { value: [length, length], turn: sign * CERTAIN, along: [1 - cos, sign * sin] } as const;
  };
  return weightsOf(d, {
    words: [word(1), word(-1)],
    stepBias: softplusInverse(step),
    reads: [0, 0],
    logits: [
      [1, 0, 0],
      [0, 0, 0.75],
    ],
  });
};
