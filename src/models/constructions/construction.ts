/**
 * @file Hand-set weights that solve a task at length 1,000: a proof that one layer (or two, if `config` says so) can represent its
 * state, whether or not training finds it. A reference (NAME.naive.ts) lists those of its mixer under `constructions`; `constructions.soak.ts`
 * runs them in float32.
 *
 *     constructions: [{ task: { name: "parity" }, config: { convolution: 0 }, set: (d) => ({ embedding: ..., head: ... }) }]
 *
 * Weights are rows by the paths of stack.ts. Missing ones are 0, norms 1.
 */

type Rows = readonly (readonly number[])[];

export interface Construction {
  /** Parity, or group words; without its length. */
  readonly task: { readonly name: string; readonly [field: string]: unknown };
  /** The mixer's own fields, and `layers` where it is not one. */
  readonly config: object;
  /** Weights for a model of width d. */
  readonly set: (d: number) => Readonly<Record<string, Rows>>;
}

/** A weight that is 0 except at the given entries: `at(row, column, value)`. */
export function sparse(rows: number, columns: number) {
  const weight = Array.from({ length: rows }, () => new Array<number>(columns).fill(0));
  return {
    weight,
    at(row: number, column: number, value: number): void {
      weight[row][column] = value;
    },
  };
}

/** The factor by which RMSNorm multiplies a row of this length. */
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

/*
 * A gated feed-forward layer as a lookup table: exactly one entry matches, and its output is written.
 *
 *     unit = silu(L (sum of inputs - threshold)) * constant       L times the surplus of a match, and 0 otherwise
 */

/** The input column that is 1 at every word. */
export const CONSTANT = 0;
const LARGE = 100;

/** One unit of a table: its weighted inputs and their threshold; `gives` is written above it. */
export interface Entry {
  readonly asks: readonly (readonly [column: number, factor: number])[];
  readonly needs: number;
  /** The excess of a match over the threshold. */
  readonly surplus: number;
  /** The length of the resulting residual. */
  readonly length: number;
  readonly gives: readonly (readonly [column: number, value: number])[];
}

/** A gated layer as a lookup table: exactly one entry exceeds its threshold. */
export function lookupWeights(d: number, entries: readonly Entry[]): Readonly<Record<string, Rows>> {
  const hidden = 2 * d;
  const [gateAndUp, down] = [sparse(d, 2 * hidden), sparse(hidden, d)];
  for (const [at, { asks, needs, surplus, length, gives }] of entries.entries()) {
    const factor = normFactor(length, d);
    const sharp = (2 * LARGE) / (surplus * factor); // silu of 200 and of -200 are 200 and 0
    for (const [column, each] of asks) gateAndUp.at(column, at, sharp * each);
    gateAndUp.at(CONSTANT, at, -sharp * needs);
    gateAndUp.at(CONSTANT, hidden + at, 1);
    const found = 2 * LARGE * factor;
    for (const [column, value] of gives) down.at(at, column, value / found);
  }
  return { "feedForward.gateAndUp": gateAndUp.weight, "feedForward.down": down.weight };
}

/*
 * Words that move a plane, in a frame that a mirror F may flip: c is whether it is flipped.
 *
 *     M_t                      the product of all words
 *     N_t = F^c_t M_t = (F^c_t g F^c_{t-1}) N_{t-1}
 *     c flips at every turn    then each word is one mirror of the frame
 *     c flips at every mirror  then each word is a turn, or nothing
 */

export type Vector = readonly number[];

export const dot = (a: Vector, b: Vector) => a.reduce((sum, each, i) => sum + each * b[i], 0);
export const mirrored = (x: Vector, k: Vector): Vector => x.map((each, i) => each - 2 * dot(x, k) * k[i]);
export const unit = (x: Vector): Vector => x.map((each) => each / Math.hypot(...x));

const BASIS: readonly Vector[] = [
  [1, 0],
  [0, 1],
];

/** F^c x, and the action of a word of these mirrors in the frame, F^after g F^before, with c equal to `after` after the word. */
export function reflectionFrames(frame: Vector) {
  const framed = (c: number, x: Vector) => (c === 1 ? mirrored(x, frame) : x);
  const movedBy = (own: readonly Vector[], before: number, after: number) => (x: Vector) =>
    framed(after, own.reduce<Vector>(mirrored, framed(before, x)));
  return {
    framed,
    /** c flips at every turn: the mirror's vector. */
    mirrorOf(own: readonly Vector[], after: number): Vector {
      const moved = movedBy(own, own.length % 2 === 0 ? 1 - after : after, after);
      // For a mirror Q = I - 2 k k' each column of I - Q is parallel to k.
      const columns = BASIS.map((x) => moved(x).map((each, i) => x[i] - each));
      return unit(columns.toSorted((a, b) => Math.hypot(...b) - Math.hypot(...a))[0]);
    },
    /** c flips at every mirror: the angle of the turn, in (-pi, pi]. */
    turnOf(own: readonly Vector[], after: number): number {
      const [x, y] = movedBy(own, own.length % 2 === 0 ? after : 1 - after, after)(BASIS[0]);
      return Math.atan2(y, x);
    },
  };
}
