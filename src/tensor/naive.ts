/**
 * @file Arrays of plain float64 numbers with a shape, for the naive references.
 *
 *     const x = filled([2, 3], ([i, j]) => 10 * i + j);   // [[0, 1, 2], [10, 11, 12]]
 *     at(x, [1, 2])                                       // 12
 */

/** Numbers in row-major order. */
export interface Numbers {
  readonly shape: readonly number[];
  readonly data: Float64Array;
}

/** The array whose element at every index is `value(index)`. */
export function filled(shape: readonly number[], value: (index: readonly number[]) => number): Numbers {
  const length = shape.reduce((product, each) => product * each, 1);
  const index = new Array<number>(shape.length).fill(0);
  const data = new Float64Array(length);
  for (let n = 0; n < length; n++) {
    data[n] = value(index);
    // Counts up like an odometer, the last axis fastest.
    for (let axis = shape.length - 1; axis >= 0 && ++index[axis] === shape[axis]; axis--) index[axis] = 0;
  }
  return { shape, data };
}

export function at(x: Numbers, index: readonly number[]): number {
  let offset = 0;
  for (const [axis, length] of x.shape.entries()) {
    if (!(index[axis] >= 0 && index[axis] < length))
      throw new RangeError(`[${index}] is outside [${x.shape}]`);
    offset = offset * length + index[axis];
  }
  if (index.length !== x.shape.length) throw new RangeError(`[${index}] is no index of [${x.shape}]`);
  return x.data[offset];
}

/** A row-major array from nested lists: nested([[1, 2], [3, 4]]). */
export function nested(values: number | readonly unknown[]): Numbers {
  const shape: number[] = [];
  for (let inner: unknown = values; Array.isArray(inner); inner = inner[0]) shape.push(inner.length);
  return filled(shape, (index) =>
    Number(index.reduce<unknown>((inner, i) => (inner as readonly unknown[])[i], values)),
  );
}

/** x with every row along the last axis replaced by `change(row)`; all results have one length. */
export function mapRows(x: Numbers, change: (row: readonly number[]) => readonly number[]): Numbers {
  const width = x.shape[x.shape.length - 1];
  const rows = Array.from({ length: x.data.length / width }, (_, i) =>
    change([...x.data.subarray(i * width, (i + 1) * width)]),
  );
  return { shape: [...x.shape.slice(0, -1), rows[0].length], data: Float64Array.from(rows.flat()) };
}
