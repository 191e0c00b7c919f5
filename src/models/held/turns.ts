/**
 * @file Counting modulo n in a memory that turns (Mamba-3), set by hand. B and C are their biases, so that only two channels of N are
 * used, i and i + R, which turn together: a plane.
 *
 *     Z_n       <s> writes (1, 0); the word g turns by 2 pi g / n; one head reads each channel:  cos, -sin of the sum
 *     parity    0: D = 0, nothing happens;   1: D = 1, turns by pi, and writes 1:   h = 1 - h
 *
 * Each step fades by e^-0.0001: after 1,000 words the point has 0.9 of its length, and its angle. Columns of the width: [constant, one for each
 * word, what each head reads].
 */

import type { Rows } from "../naive.ts";
import { type Held, normFactor, siluInverse, sparse } from "./held.ts";

/** So that sigmoid and tanh are 1 in float32, and softplus of its negative is less than what the mixer takes for the least. */
const CERTAIN = 40;
/** softplus of it is 1. */
const ONE = Math.log(Math.E - 1);
const CONSTANT = 0;
const [HEADS, STATES, EXPANSION, TURNING] = [2, 16, 2, 0.5] as const;
const TURNS = (TURNING * STATES) / 2; // R

/** The row's own settings. */
export const TURNING_CONFIG = { heads: HEADS, stateSize: STATES, expansion: EXPANSION, turning: TURNING };

interface Word {
  /** What the mixer's own parts are given by this word, beside their biases. */
  readonly value?: number;
  readonly step?: number;
  /** Before the tanh: of half a turn. */
  readonly turn?: number;
}

interface Turning {
  readonly words: readonly Word[];
  readonly stepBias: number;
  /** Logits of the words from what the two heads read. */
  readonly logits: readonly (readonly [cos: number, sin: number, constant?: number])[];
}

function weightsOf(d: number, { words, stepBias, logits }: Turning): Record<string, Rows> {
  const channels = EXPANSION * d;
  const factor = normFactor(Math.SQRT2, d);
  const column = (word: number) => 1 + word;
  const read = (head: number) => 1 + words.length + head;
  const embedding = sparse(words.length, d);
  for (const word of words.keys()) {
    embedding.at(word, CONSTANT, 1);
    embedding.at(word, column(word), 1);
  }
  const [gateAt, valueAt, stepsAt] = [0, channels, 2 * channels + 2 * STATES];
  const [fadingAt, sharesAt, turnsAt] = [1, 2, 3].map((part) => stepsAt + part * HEADS);
  const input = sparse(d, turnsAt + TURNS);
  const own = (head: number) => (head * channels) / HEADS; // the first channel of a head
  for (let head = 0; head < HEADS; head++) {
    input.at(CONSTANT, gateAt + own(head), siluInverse(1) / factor);
    input.at(CONSTANT, fadingAt + head, -CERTAIN / factor);
    input.at(CONSTANT, sharesAt + head, CERTAIN / factor);
    for (const [word, { value = 0, step = 0 }] of words.entries()) {
      input.at(column(word), valueAt + own(head), value / factor);
      input.at(column(word), stepsAt + head, step / factor);
    }
  }
  for (const [word, { turn = 0 }] of words.entries()) input.at(column(word), turnsAt, turn / factor);
  const [writeBias, readBias] = [sparse(1, HEADS * STATES), sparse(1, HEADS * STATES)];
  for (let head = 0; head < HEADS; head++) {
    writeBias.at(0, head * STATES, 1);
    readBias.at(0, head * STATES + head * TURNS, 1); // channel 0, and R, which turns with it
  }
  const out = sparse(channels, d);
  for (let head = 0; head < HEADS; head++) out.at(own(head), read(head), 1);
  const head = sparse(d, words.length);
  for (const [word, [cos, sin, constant = 0]] of logits.entries()) {
    head.at(read(0), word, cos);
    head.at(read(1), word, sin);
    head.at(CONSTANT, word, constant);
  }
  const mixer = {
    ...{ input: input.weight, out: out.weight },
    ...{ writeBias: writeBias.weight, readBias: readBias.weight },
    stepBias: [new Array<number>(HEADS).fill(stepBias)],
  };
  return {
    embedding: embedding.weight,
    head: head.weight,
    ...Object.fromEntries(Object.entries(mixer).map(([name, rows]) => [`layers.0.mixer.${name}`, rows])),
  };
}

/** Group words of Z_n: <s>, then the elements 0 .. n - 1. */
export function heldTurns(n: number): Held["set"] {
  const elements = Array.from({ length: n }, (_, g) => g);
  const half = (g: number) => (2 * g <= n ? (2 * g) / n : (2 * g) / n - 2); // in half turns, -1 .. 1
  const turn = (g: number) => (2 * g === n ? CERTAIN : Math.atanh(half(g)));
  return (d) =>
    weightsOf(d, {
      words: [{ value: 1 }, ...elements.map((g) => ({ turn: turn(g) }))],
      stepBias: ONE,
      logits: [
        [0, 0],
        ...elements.map((g) => [Math.cos(Math.PI * half(g)), -Math.sin(Math.PI * half(g))] as const),
      ],
    });
}

/** Parity of bits, without a first word. */
export const heldParityByTurns: Held["set"] = (d) =>
  weightsOf(d, {
    words: [{}, { value: 1, step: CERTAIN + ONE, turn: CERTAIN }],
    stepBias: -CERTAIN,
    logits: [
      [0, 0, 0.5],
      [1, 0, 0],
    ],
  });
