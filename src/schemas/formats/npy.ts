/**
 * @file NPY: one array in one file, as NumPy writes it.
 *
 *     93 'NUMPY' 1 0, length of the header (2 bytes), {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n, data
 *
 * The header is padded with spaces so that the data begin at a multiple of 64.
 * Source: numpy.org/doc/stable/reference/generated/numpy.lib.format.html, version 1.0.
 */

const descriptions = {
  Float32Array: "<f4",
  Float64Array: "<f8",
  Int32Array: "<i4",
  Uint32Array: "<u4",
  Uint8Array: "|u1",
} as const;

export type NpyArray = Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array;

/** The bytes of an .npy file. `data` has product(shape) elements, row-major. */
export function encodeNpy(shape: readonly number[], data: NpyArray): Uint8Array {
  const count = shape.reduce((product, size) => product * size, 1);
  if (count !== data.length)
    throw new Error(`encodeNpy: [${shape}] holds ${count} elements, got ${data.length}`);
  const kind = data.constructor.name as keyof typeof descriptions; // one of the five by the type of data
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(", ")})`;
  const header = `{'descr': '${descriptions[kind]}', 'fortran_order': False, 'shape': ${tuple}, }`;
  const start = Math.ceil((10 + header.length + 1) / 64) * 64;
  const bytes = new Uint8Array(start + data.byteLength);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, (start - 10) & 0xff, (start - 10) >> 8]);
  bytes.set(new TextEncoder().encode(`${header.padEnd(start - 11)}\n`), 10);
  bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), start);
  return bytes;
}
