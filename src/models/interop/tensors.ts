/** @file Conversion of checkpoint tensors, in both directions: any floating type to F32, a Linear of PyTorch, [out, in], to [in, out]. */

import { fail } from "../../core/error.ts";
import type { StoredTensor } from "../../schemas/formats/safetensors.ts";
import { type Shape, size } from "../../tensor/index.ts";

export interface Weight {
  readonly shape: Shape;
  readonly data: Float32Array;
}

/** The tensors of a checkpoint, by their names. @throws LabError (corrupt) for one that is missing or of another shape. */
export interface Read {
  shape(name: string): Shape;
  floats(name: string, shape: Shape): Float32Array;
}

export function tensorReader(tensors: Readonly<Record<string, StoredTensor>>, at: string): Read {
  const stored = (name: string): StoredTensor =>
    tensors[name] ?? fail(at, `a tensor ${name}`, "none", undefined, "corrupt");
  return {
    shape: (name) => stored(name).shape,
    floats(name, shape) {
      const found = stored(name);
      if (found.shape.join() !== shape.join())
        fail(`${at}, ${name}`, `shape [${shape}]`, found.shape, undefined, "corrupt");
      const floats = asFloats(found, `${at}, ${name}`);
      const bad = floats.find((each) => !Number.isFinite(each));
      if (bad !== undefined) fail(`${at}, ${name}`, "finite numbers", String(bad), undefined, "corrupt");
      return floats;
    },
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

/** A parameter of ours as tensors of theirs, which lie one after another along our last axis. */
export interface Part {
  readonly names: readonly string[];
  /** Our length of each along the last axis; equal by default. */
  readonly widths?: readonly number[];
  /** The shape of their tensor, from ours. */
  theirs(own: Shape): Shape;
  /** Their first axis is our last. */
  readonly turned: boolean;
}
export type Parts = Readonly<Record<string, Part>>;

/** Tensors of the same shape in both. */
export const plain = (...names: string[]): Part => ({ names, theirs: (own) => own, turned: false });

/** Linear layers without biases: [out, in], ours [in, out]. */
export const linear = (...names: string[]): Part => ({
  names: names.map((name) => `${name}.weight`),
  theirs: ([input, out]) => [out, input],
  turned: true,
});

/** Depthwise convolutions: [channels, 1, taps], ours [taps, channels]. */
export const taps = (...names: string[]): Part => ({
  names: names.map((name) => `${name}.weight`),
  theirs: ([count, channels]) => [channels, 1, count],
  turned: true,
});

/** Our parameter of shape `own` from their tensors. @throws LabError (corrupt) for a tensor that is missing or of another shape. */
export function readPart(part: Part, own: Shape, read: Read): Weight {
  const columns = own.at(-1)!;
  const rows = size(own) / columns;
  const data = new Float32Array(size(own));
  let left = 0;
  for (const [name, width] of namesWithWidths(part, columns)) {
    const shape = part.theirs(own.with(-1, width));
    const found = read.floats(name, shape);
    const piece = part.turned ? turned(found, shape[0]) : found;
    for (let i = 0; i < rows; i++) data.set(piece.subarray(i * width, (i + 1) * width), i * columns + left);
    left += width;
  }
  return { shape: own, data };
}

/** The inverse of `readPart`. */
export function writePart(part: Part, { shape: own, data }: Weight): Readonly<Record<string, Weight>> {
  const columns = own.at(-1)!;
  const tensors: Record<string, Weight> = {};
  let left = 0;
  for (const [name, width] of namesWithWidths(part, columns)) {
    const rows = size(own) / columns;
    const piece = new Float32Array(rows * width);
    for (let i = 0; i < rows; i++) {
      const start = i * columns + left;
      piece.set(data.subarray(start, start + width), i * width);
    }
    const shape = part.theirs(own.with(-1, width));
    tensors[name] = { shape, data: part.turned ? turned(piece, piece.length / shape[0]) : piece };
    left += width;
  }
  return tensors;
}

const namesWithWidths = ({ names, widths }: Part, columns: number) =>
  names.map((name, i) => [name, widths?.[i] ?? columns / names.length] as const);

/** A matrix of so many rows, transposed. */
function turned(data: Float32Array, rows: number): Float32Array {
  const columns = data.length / rows;
  const result = new Float32Array(data.length);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) result[j * rows + i] = data[i * columns + j];
  return result;
}
