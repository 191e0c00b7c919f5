/**
 * @file Weights that are set by hand and solve a task at length 1,000: a proof that one layer (or two, where `config` says so) can hold its state, whether or not
 * training finds it. A twin (NAME.naive.ts) lists those of its mixer under `holds`; `held.soak.ts` runs them in float32.
 *
 *     holds: [{ task: { name: "parity" }, config: { convolution: 0 }, set: (d) => ({ embedding: ..., head: ... }) }]
 *
 * Weights are rows by the paths of stack.ts. What is left out is 0, and of norms 1.
 */

export interface Held {
  /** Parity, or group words; without its length. */
  readonly task: { readonly name: string; readonly [field: string]: unknown };
  /** The mixer's own fields, and `layers` where it is not one. */
  readonly config: object;
  /** For a model of width d. */
  readonly set: (d: number) => Readonly<Record<string, readonly (readonly number[])[]>>;
}

/** A weight that is 0 but where it is set: `at(row, column, value)`. */
export function sparse(rows: number, columns: number) {
  const weight = Array.from({ length: rows }, () => new Array<number>(columns).fill(0));
  return {
    weight,
    at(row: number, column: number, value: number): void {
      weight[row][column] = value;
    },
  };
}

/** What RMSNorm makes of a row of this length: it is multiplied by this. */
export const normFactor = (length: number, d: number) => 1 / Math.sqrt(length ** 2 / d + 1e-6);

/** The z of at least -1.278 with silu(z) = y, for y of at least -0.278. */
export function siluInverse(y: number): number {
  let [low, high] = [-1.2784645, Math.max(1, y + 1)];
  for (let halving = 0; halving < 80; halving++) {
    const middle = (low + high) / 2;
    if (middle / (1 + Math.exp(-middle)) < y) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
