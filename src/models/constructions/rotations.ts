/**
 * @file Constructions for a rotating memory (Mamba-3), with hand-set weights. B and C are their biases, so
 * that only two channels of N are used, i and i + R, which rotate together: a plane.
 *
 *     Z_n        <s> writes (1, 0); the word g rotates by 2 pi g / n; one head reads each channel:  cos, -sin of the sum
 *     parity     0: D = 0, no change;   1: D = 1, rotates by pi, and writes 1:   h = 1 - h
 *
 * Each step decays by e^-0.0001: after 1,000 words the point has 0.9 of its length, and its exact angle.
 */

import type { Rows } from "../naive.ts";
import {
  CONSTANT,
  type Construction,
  lookupWeights,
  normFactor,
  reflectionFrames,
  siluInverse,
  sparse,
} from "./construction.ts";
import { groupReflections } from "./group-reflections.ts";

/** Saturates sigmoid and tanh in float32, and softplus of its negative is below the mixer's minimum. */
const CERTAIN = 40;
const softplusInverse = (y: number) => Math.log(Math.expm1(y));
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
}

interface TurningMixer {
  /** The norm's factor for `value` and `turn`. */
  readonly factor: number;
  readonly given: readonly Given[];
  readonly stepBias: number;
  /** The plane's channel that each head reads, 0 or 1, and its output column. */
  readonly reads: readonly (readonly [channel: number, column: number])[];
}

function turningMixer(d: number, { factor, given, stepBias, reads }: TurningMixer): Record<string, Rows> {
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
  for (const { column, turn = 0 } of given) input.at(column, turnsAt, turn / factor);
  const [writeBias, readBias] = [sparse(1, HEADS * STATES), sparse(1, HEADS * STATES)];
  const out = sparse(channels, d);
  for (let head = 0; head < HEADS; head++) writeBias.at(0, head * STATES, 1);
  for (const [head, [channel, column]] of reads.entries()) {
    readBias.at(0, head * STATES + channel * TURNS, 1);
    out.at(own(head), column, 1);
  }
  return {
    ...{ input: input.weight, out: out.weight },
    ...{ writeBias: writeBias.weight, readBias: readBias.weight },
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

/** Parity of bits: a 1 rotates by a half and writes 1, h = 1 - h. */
export const constructParityByRotation: Construction["set"] = (d) => {
  const step = CERTAIN + ONE;
  return weightsOf(d, {
    words: [{ turn: CERTAIN }, { value: [1, 1], step: [step, step], turn: CERTAIN }],
    ...{ stepBias: -CERTAIN, reads: [0, 0] },
    logits: [
      [0, 0, 0.5],
      [1, 0, 0],
    ],
  });
};

/*
 * S_3 with hand-set weights in two layers of a rotating memory (Mamba-3): rotations of one layer commute, and those of S_3 do
 * not.
 *
 *     c_t   the parity of the number of mirrors so far, as 1 or -1, tracked by the first layer
 *     N_t = F^c_t M_t           M_t the product of all words, F a mirror of the group: always a turn
 *     word g      N_t = F^c_t g F^c_{t-1} N_{t-1}: by a third, back by a third, or not at all
 *
 * The feed-forward layer between them is a table (construction.ts): for each word and each c one of the three rotations. A step of 2/3
 * with a tanh of 1 is exactly a third of a turn. The answer follows from three numbers: the rotated point, and c.
 *
 * Source: as delta-two-layer.ts.
 */

/** Columns of the width: words one by one, c as 1 or -1, the rotation of the second layer, and its output. */
const [WORD, PARITY, TURN, READ] = [1, 8, 9, 10];

export const constructRotationsTwoLayers: Construction["set"] = (d) => {
  const { mirrors } = groupReflections("S_3");
  const [frame] = mirrors.find((own) => own.length === 1)!; // F: a swap
  const { turnOf } = reflectionFrames(frame);
  const isMirror = (own: readonly unknown[]) => own.length % 2 === 1;
  const [embedding, head] = [sparse(1 + mirrors.length, d), sparse(d, 1 + mirrors.length)];
  for (let word = 0; word <= mirrors.length; word++) {
    embedding.at(word, CONSTANT, 1);
    embedding.at(word, WORD + word, 1);
  }
  const first = turningMixer(d, {
    factor: normFactor(Math.SQRT2, d),
    given: [
      { column: WORD, value: [1, 1] },
      ...mirrors.flatMap((own, g) => (isMirror(own) ? [{ column: WORD + 1 + g, turn: CERTAIN }] : [])),
    ],
    stepBias: softplusInverse(1),
    reads: [[0, PARITY]],
  });
  const turns = mirrors.flatMap((own, g) =>
    [0, 1].flatMap((c) => {
      const sign = Math.sign(Math.round(turnOf(own, c)));
      if (sign === 0) return [];
      return {
        asks: [[WORD + 1 + g, 1] as const, [PARITY, c === 0 ? 1 : -1] as const],
        ...{ needs: 1.4, surplus: 0.5 }, // the first layer's state decays to 0.9 at most
        length: Math.sqrt(3),
        gives: [[TURN, sign] as const],
      };
    }),
  );
  const second = turningMixer(d, {
    factor: normFactor(Math.sqrt(3), d), // of <s>
    given: [
      { column: WORD, value: [3 / 2, 3 / 2] }, // times the step: 1
      { column: TURN, turn: CERTAIN },
    ],
    stepBias: softplusInverse(2 / 3),
    reads: [
      [0, READ],
      [1, READ + 1],
    ],
  });
  for (const [g, own] of mirrors.entries()) {
    const c = Number(isMirror(own));
    const angle = turnOf(own, c); // like the first word after <s>
    head.at(READ, 1 + g, Math.cos(angle));
    head.at(READ + 1, 1 + g, -Math.sin(angle));
    head.at(PARITY, 1 + g, c === 0 ? 0.75 : -0.75);
  }
  const at = (layer: number, part: string, weights: object) =>
    Object.entries(weights).map(([name, rows]) => [`layers.${layer}.${part}${name}`, rows]);
  return {
    embedding: embedding.weight,
    head: head.weight,
    ...Object.fromEntries([
      ...at(0, "mixer.", first),
      ...at(0, "", lookupWeights(d, turns)),
      ...at(1, "mixer.", second),
    ]),
  };
};
