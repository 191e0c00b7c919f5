/** @file Conversion of checkpoint tensors: any floating type to F32, a Linear of PyTorch, [out, in], to [in, out]. */

import { fail } from "../../core/error.ts";
import type { StoredTensor } from "../../schemas/formats/safetensors.ts";

export interface Weight {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** A tensor by its original name. @throws LabError (corrupt) if it is missing or of another shape. */
export type Read = (name: string, shape?: readonly number[]) => Weight;

export function tensorReader(tensors: Readonly<Record<string, StoredTensor>>, at: string): Read {
  return (name, shape) => {
    const found: StoredTensor | undefined = tensors[name];
    if (found === undefined) return fail(at, `a tensor ${name}`, "none", undefined, "corrupt");
    if (shape !== undefined && found.shape.join() !== shape.join()) {
      fail(`${at}, ${name}`, `shape [${shape}]`, found.shape, undefined, "corrupt");
    }
    return { shape: found.shape, data: asFloats(found, `${at}, ${name}`) };
  };
}

function asFloats(tensor: StoredTensor, at: string): Float32Array {
  switch (tensor.dtype) {
    case "F32":
      return tensor.data;
    case "F64":
      return Float32Array.from(tensor.data);
    case "BF16":
      // bfloat16 is the upper half of a float32.
      return new Float32Array(Uint32Array.from(tensor.data, (bits) => bits * 0x10000).buffer);
    case "F16":
      return Float32Array.from(tensor.data, halfToNumber);
    default:
      return fail(at, "F32, F64, BF16 or F16", tensor.dtype);
  }
}

/** IEEE 754 binary16. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 0x1f, bits & 0x3ff];
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** [rows, columns] -> [columns, rows]. */
export function transposed({ shape: [rows, columns], data }: Weight): Weight {
  const turned = new Float32Array(data.length);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) turned[j * rows + i] = data[i * columns + j];
  return { shape: [columns, rows], data: turned };
}

/** [channels, 1, taps] -> [taps, channels]. */
export function channelsLast({ shape: [channels, , taps], data }: Weight): Weight {
  return transposed({ shape: [channels, taps], data });
}

/** [rows, a], [rows, b] -> [rows, a + b]. */
export function sideBySide(parts: readonly Weight[]): Weight {
  const [rows] = parts[0].shape;
  const columns = parts.reduce((sum, { shape }) => sum + shape[1], 0);
  const data = new Float32Array(rows * columns);
  let left = 0;
  for (const part of parts) {
    const width = part.shape[1];
    for (let i = 0; i < rows; i++)
      data.set(part.data.subarray(i * width, (i + 1) * width), i * columns + left);
    left += width;
  }
  return { shape: [rows, columns], data };
}

/** [taps, channels] -> [channels, 1, taps], the inverse of `channelsLast`. */
export function channelsFirst(weight: Weight): Weight {
  const { shape, data } = transposed(weight);
  return { shape: [shape[0], 1, shape[1]], data };
}

/** [rows, count * a] -> count times [rows, a]: the inverse of `sideBySide`. */
export function splitColumns({ shape: [rows, columns], data }: Weight, count: number): Weight[] {
  const width = columns / count;
  return Array.from({ length: count }, (_, part) => {
    const own = new Float32Array(rows * width);
    for (let i = 0; i < rows; i++) {
      const start = i * columns + part * width;
      own.set(data.subarray(start, start + width), i * width);
    }
    return { shape: [rows, width], data: own };
  });
}
