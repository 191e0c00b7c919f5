/**
 * @file Dense linear algebra on small matrices (rows of numbers), for PCA, linear probes and angles.
 *
 *     symmetricEigen(A)        A = Σ λ_i v_i v_i', λ_1 >= λ_2 >= ..., |v_i| = 1        by Jacobi rotations
 *     solvePositive(A, B)      X with A X = B, A = L L' positive definite              by Cholesky
 *
 * Source: Golub and Van Loan, Matrix Computations, sections 4.2 and 8.5.
 */

export type Matrix = readonly ArrayLike<number>[];

const MOST_SWEEPS = 60;

export function symmetricEigen(matrix: Matrix) {
  const n = matrix.length;
  const a = matrix.map((row) => Float64Array.from(row));
  const v = a.map((_, i) => Float64Array.from({ length: n }, (_, j) => (i === j ? 1 : 0))); // rows are vectors
  const total = Math.hypot(...a.map((row) => Math.hypot(...row)));
  for (let sweep = 0; sweep < MOST_SWEEPS && offDiagonal(a) > 1e-15 * total; sweep++) {
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) if (Math.abs(a[p][q]) > 1e-18 * total) rotate(a, v, p, q);
    }
  }
  const order = a.map((row, i) => [row[i], i] as const).sort((x, y) => y[0] - x[0]);
  // vectors[i] belongs to values[i]; its largest entry is positive.
  // Values in descending order.
  return { values: order.map(([value]) => value), vectors: order.map(([, i]) => upright(v[i])) };
}

function offDiagonal(a: readonly Float64Array[]): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) for (let j = 0; j < i; j++) sum += 2 * a[i][j] ** 2;
  return Math.sqrt(sum);
}

/** Jacobi rotation of axes p and q that makes a[p][q] zero. */
function rotate(a: readonly Float64Array[], v: readonly Float64Array[], p: number, q: number): void {
  const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta ** 2 + 1));
  const c = 1 / Math.sqrt(t ** 2 + 1);
  const s = t * c;
  for (const row of a) [row[p], row[q]] = [c * row[p] - s * row[q], s * row[p] + c * row[q]];
  for (const rows of [a, v]) {
    const [x, y] = [rows[p], rows[q]];
    for (let k = 0; k < x.length; k++) [x[k], y[k]] = [c * x[k] - s * y[k], s * x[k] + c * y[k]];
  }
}

function upright(vector: Float64Array): Float64Array {
  const largest = vector.reduce((most, x) => (Math.abs(x) > Math.abs(most) + 1e-12 ? x : most), 0);
  return largest < 0 ? vector.map((x) => -x) : vector;
}

/** B and X have a row for each row of A. @throws Error where A is not positive definite. */
export function solvePositive(matrix: Matrix, right: Matrix): Float64Array[] {
  const n = matrix.length;
  const l = matrix.map((row) => Float64Array.from(row));
  for (let j = 0; j < n; j++) {
    for (let k = 0; k < j; k++) l[j][j] -= l[j][k] ** 2;
    if (!(l[j][j] > 0)) throw new Error(`solvePositive: pivot ${j} is ${l[j][j]}`);
    l[j][j] = Math.sqrt(l[j][j]);
    for (let i = j + 1; i < n; i++) {
      for (let k = 0; k < j; k++) l[i][j] -= l[i][k] * l[j][k];
      l[i][j] /= l[j][j];
    }
  }
  const x = right.map((row) => Float64Array.from(row));
  const subtract = (from: Float64Array, factor: number, row: Float64Array) => {
    for (let c = 0; c < from.length; c++) from[c] -= factor * row[c];
  };
  const divide = (row: Float64Array, by: number) => {
    for (let c = 0; c < row.length; c++) row[c] /= by;
  };
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) subtract(x[i], l[i][k], x[k]);
    divide(x[i], l[i][i]);
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) subtract(x[i], l[k][i], x[k]);
    divide(x[i], l[i][i]);
  }
  return x;
}

export function dot(x: ArrayLike<number>, y: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < x.length; i++) sum += x[i] * y[i];
  return sum;
}

/** The angle between the lines through x and y, in degrees from 0 to 90: x and -x are one line. */
export function angleBetweenLines(x: ArrayLike<number>, y: ArrayLike<number>): number {
  const cosine = Math.abs(dot(x, y)) / Math.sqrt(dot(x, x) * dot(y, y));
  return (Math.acos(Math.min(1, cosine)) * 180) / Math.PI;
}

/** The covariance Σ (x - c)(x - c)' / n of rows x; c is the origin if not given. */
export function secondMoments(rows: Matrix, centre?: ArrayLike<number>): Float64Array[] {
  const width = rows[0]?.length ?? 0;
  const moments = Array.from({ length: width }, () => new Float64Array(width));
  const shifted = new Float64Array(width);
  for (const row of rows) {
    for (let i = 0; i < width; i++) shifted[i] = row[i] - (centre?.[i] ?? 0);
    for (let i = 0; i < width; i++) {
      for (let j = 0; j <= i; j++) moments[i][j] += shifted[i] * shifted[j];
    }
  }
  for (let i = 0; i < width; i++) {
    for (let j = 0; j <= i; j++) {
      moments[i][j] /= rows.length;
      moments[j][i] = moments[i][j];
    }
  }
  return moments;
}

export function meanRow(rows: Matrix): Float64Array {
  const sum = new Float64Array(rows[0]?.length ?? 0);
  for (const row of rows) for (let i = 0; i < sum.length; i++) sum[i] += row[i];
  return sum.map((each) => each / rows.length);
}
