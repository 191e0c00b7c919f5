/**
 * @file The inverse of I + tril(A, -1), in plain numbers, by forward substitution: row i of R is
 *
 *     r_i = e_i - sum_{j < i} a_ij r_j
 */

/** a [C, C], of which only the part below the diagonal is read -> [C, C]. */
export function unitLowerInverseNaive(a: readonly (readonly number[])[]): number[][] {
  const r: number[][] = [];
  for (const [i, row] of a.entries()) {
    const next = row.map((_, column) => (column === i ? 1 : 0));
    for (let j = 0; j < i; j++) {
      for (let column = 0; column <= j; column++) next[column] -= row[j] * r[j][column];
    }
    r.push(next);
  }
  return r;
}

/** The well-known product (I - A)(I + A^2)(I + A^4)..., rounded to float32 after every operation: a counterexample. */
export function doublingInverseFloat32(a: readonly (readonly number[])[]): number[][] {
  const order = a.length;
  let power = a.map((row, i) => row.map((each, j) => (j < i ? Math.fround(-each) : 0)));
  let r = plusIdentity(power);
  for (let s = 2; s < order; s *= 2) {
    power = productFloat32(power, power);
    r = productFloat32(r, plusIdentity(power));
  }
  return r;
}

function plusIdentity(x: readonly (readonly number[])[]): number[][] {
  return x.map((row, i) => row.map((each, j) => Math.fround(each + (i === j ? 1 : 0))));
}

function productFloat32(x: readonly (readonly number[])[], y: readonly (readonly number[])[]): number[][] {
  return x.map((row) =>
    y[0].map((_, j) => row.reduce((sum, each, l) => Math.fround(sum + Math.fround(each * y[l][j])), 0)),
  );
}
