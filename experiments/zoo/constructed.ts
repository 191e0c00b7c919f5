/**
 * @file Cells with weights set by hand, at the row's own settings, so that "can" is proven whether or not it is learned: a test compares
 * each with the constructions of src/models/constructions, which solve the task at length 1,000 in float32. A model that tracks all words of a
 * group tracks two of them.
 */

import { ofTwoLayers } from "./data.ts";

const swaps = ["s3-swaps", "s5-swaps"] as const;
const words = ["parity", "z3", ...swaps, "s3", "a5-two"] as const;
const reflections = ["parity", ...swaps] as const;
const turning = ["parity", "z3"] as const;
const cell = ["parity", "z3", "s3-swaps"] as const;

const oneLayer: Readonly<Record<string, readonly string[]>> = {
  mamba: ["parity"],
  deltanet: reflections,
  "gated-deltanet": reflections,
  kda: reflections,
  mamba3: turning,
  "mamba3-long": turning,
  "deltaproduct-n2": words,
  "deltaproduct-n4": [...words, "s5-two"],
  "pd-ssm": [...words, "s5-two"],
  "sd-ssm": [...words, "s5-two"],
  path: ["s3-swaps"],
  rnn: cell,
  gru: cell,
  lstm: cell,
  slstm: ["parity", "z3"],
};

/** By row, besides what one layer holds. */
const twoLayers: Readonly<Record<string, readonly string[]>> = {
  ...{ deltanet: ["s3"], "gated-deltanet": ["s3"], kda: ["s3"] },
  ...{ mamba3: ["s3"], "mamba3-long": ["s3"], path: ["s3"] },
};

/** A second layer of zeros changes nothing. */
export const constructed: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(oneLayer).map(([row, own]) => [
    row,
    [...own, ...[...own, ...(twoLayers[row] ?? [])].map(ofTwoLayers)],
  ]),
);

export const isConstructed = (row: string, column: string): boolean =>
  Object.hasOwn(constructed, row) && constructed[row].includes(column);
