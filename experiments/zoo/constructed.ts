/**
 * @file Cells with weights set by hand, at the row's own settings, so that "can" is proven whether or not it is learned: a test compares
 * each with the constructions of src/models/constructions, which solve the task at length 1,000 in float32. Two layers can track what one can, as the
 * second may be zeros, and a model that tracks all words of a group tracks two of them.
 */

import { sameAs } from "./predictions.ts";

const swaps = ["s3-swaps", "s5-swaps"] as const;
const tomita = ["tomita5", "tomita6"] as const;
const words = ["z3", ...swaps, "s3", "a5", "a5-two", "s3-deep", ...tomita] as const;
const reflections = ["parity", ...swaps, "s3-deep", ...tomita] as const;
const turning = ["parity", "z3", "s3-deep", ...tomita] as const;
const cell = ["parity", "z3", "s3-swaps", ...tomita] as const;

export const constructed: Readonly<Record<string, readonly string[]>> = {
  mamba: ["parity", "tomita5"],
  deltanet: reflections,
  "gated-deltanet": reflections,
  kda: reflections,
  mamba3: turning,
  "mamba3-long": turning,
  "deltaproduct-n2": ["parity", ...words],
  "deltaproduct-n4": ["parity", ...words, "s5", "s5-two"],
  "pd-ssm": ["parity", ...words, "s5", "s5-two"],
  "sd-ssm": ["parity", ...words, "s5", "s5-two"],
  path: ["s3-swaps", "s3-deep"],
  rnn: cell,
  gru: cell,
  lstm: cell,
  slstm: ["parity", "z3", ...tomita],
};

export const isConstructed = (row: string, column: string): boolean =>
  Object.hasOwn(constructed, row) && constructed[row].includes(sameAs(column));
