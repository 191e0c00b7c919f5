/**
 * @file The delta rule, one step at a time, in plain numbers: the reference for the chunked kernel.
 *
 *     S_t = S_{t-1} + b_t k_t (v_t - S_{t-1}' k_t)'        S [dk, dv], S_0 = 0
 *     o_t = S_t' q_t
 *
 * and its gradient, by a backward pass with G = dL/dS_t (each step first adds the output's q_t do_t'):
 *
 *     dq = S_t do;  e = v - S_{t-1}' k;  db = k' G e;  dv = b G' k
 *     dk = b G e - S_{t-1} dv;  dS_{t-1} = G - k dv'
 */

type Vector = ArrayLike<number>;
export type Rows = readonly Vector[];

/** q, k: [T, dk]; v: [T, dv]; beta: [T]. Returns o: [T, dv]. */
export function deltaRuleNaive(q: Rows, k: Rows, v: Rows, beta: Vector): number[][] {
  const states = statesOf(k, v, beta);
  return q.map((query, t) => applyTransposed(states[t + 1], query));
}

export interface DeltaRuleGradients {
  readonly q: number[][];
  readonly k: number[][];
  readonly v: number[][];
  readonly beta: number[];
}

/** dL/dq, dL/dk, dL/dv and dL/dbeta for `dOutput` = dL/do: [T, dv]. */
export function deltaRuleGradientNaive(
  q: Rows,
  k: Rows,
  v: Rows,
  beta: Vector,
  dOutput: Rows,
): DeltaRuleGradients {
  const states = statesOf(k, v, beta);
  const gradients: DeltaRuleGradients = { q: [], k: [], v: [], beta: [] };
  const G = states[0].map((row) => row.map(() => 0)); // [dk, dv]
  for (let t = q.length - 1; t >= 0; t--) {
    addOuter(G, q[t], dOutput[t], 1);
    const error = errorOf(states[t], k[t], v[t]);
    const Ge = apply(G, error);
    const dValue = applyTransposed(G, k[t]).map((x) => beta[t] * x);
    const fromError = apply(states[t], dValue);
    gradients.q[t] = apply(states[t + 1], dOutput[t]);
    gradients.k[t] = Ge.map((x, i) => beta[t] * x - fromError[i]);
    gradients.v[t] = dValue;
    gradients.beta[t] = dot(k[t], Ge);
    addOuter(G, k[t], dValue, -1);
  }
  return gradients;
}

/** S_0 .. S_T. */
function statesOf(k: Rows, v: Rows, beta: Vector): number[][][] {
  const S = Array.from(k[0], () => Array.from(v[0], () => 0)); // [dk, dv]
  const states = [S.map((row) => [...row])];
  for (let t = 0; t < k.length; t++) {
    addOuter(S, k[t], errorOf(S, k[t], v[t]), beta[t]);
    states.push(S.map((row) => [...row]));
  }
  return states;
}

/** v - S' k: the error of the memory. */
function errorOf(S: Rows, key: Vector, value: Vector): number[] {
  const recalled = applyTransposed(S, key);
  return Array.from(value, (x, j) => x - recalled[j]);
}

/** M x. */
function apply(M: Rows, x: Vector): number[] {
  return M.map((row) => dot(row, x));
}

/** M' x. */
function applyTransposed(M: Rows, x: Vector): number[] {
  return Array.from(M[0], (_, j) => M.reduce((sum, row, i) => sum + row[j] * x[i], 0));
}

/** M += factor x y'. */
function addOuter(M: number[][], x: Vector, y: Vector, factor: number): void {
  for (const [i, row] of M.entries()) {
    for (let j = 0; j < row.length; j++) row[j] += factor * x[i] * y[j];
  }
}

function dot(x: Vector, y: Vector): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}
