/** @file Fields that the configurations of several models have. */

import { z } from "zod";

export const headsField = (count: number) => z.int().positive().default(count).describe("Number of heads");

export const convolutionField = (taps: number) =>
  z.int().min(0).default(taps).describe("Taps of the short convolution, 0 for none");

export const chunkField = (tokens: number) =>
  z
    .int()
    .positive()
    .default(tokens)
    .describe("Tokens per chunk of the parallel form, without influence on the result");

/** Fields of the layer around a matrix memory (matrix-memory-layer.ts). */
export const memoryFields = (taps: number, tokens: number) => ({
  heads: headsField(2),
  expandK: z.number().positive().default(1).describe("Width of all keys over the model's width"),
  expandV: z.number().positive().default(1).describe("Width of all values over the model's width"),
  convolution: convolutionField(taps),
  chunk: chunkField(tokens),
});

export const keyHeadsField = z
  .int()
  .positive()
  .optional()
  .describe("Number of heads of queries and keys, which several heads share; by default that of heads");

export const outputGateField = (gated: boolean) =>
  z.boolean().default(gated).describe("Whether an output gate silu(x Wg) multiplies the normed outputs");

export const betaMaxField = z
  .union([z.literal(1), z.literal(2)])
  .default(2)
  .describe("Upper bound of b: 1 is the original model, 2 admits negative eigenvalues");

/** See `logRates`. */
export const firstRateField = z
  .number()
  .optional()
  .describe("Initial r of every head, by default random; -3 forgets slowly");
