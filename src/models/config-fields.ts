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

export const betaMaxField = z
  .union([z.literal(1), z.literal(2)])
  .default(2)
  .describe("Upper bound of b: 1 is the original model, 2 admits negative eigenvalues");
