/** @file Rows of a table by index, and one-hot vectors, in plain numbers. */

import { at, filled, type Numbers } from "./naive.ts";

/** table [V, d], indices [...] -> [..., d]. */
export function embeddingNaive(table: Numbers, indices: Numbers): Numbers {
  return filled([...indices.shape, table.shape[1]], (index) =>
    at(table, [at(indices, index.slice(0, -1)), index[index.length - 1]]),
  );
}

/** indices [...] -> [..., count]. */
export function oneHotNaive(indices: Numbers, count: number): Numbers {
  return filled([...indices.shape, count], (index) =>
    at(indices, index.slice(0, -1)) === index[index.length - 1] ? 1 : 0,
  );
}
