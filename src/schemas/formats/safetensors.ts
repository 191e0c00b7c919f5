/**
 * @file Safetensors: named arrays in one file, supported by all frameworks.
 *
 *     8 bytes    N, the length of the header, unsigned little-endian
 *     N bytes    JSON {"w": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {...}}, spaces to a multiple of 8
 *     the rest   the arrays, little-endian, row-major; offsets count from here and leave no hole
 *
 * Source: github.com/huggingface/safetensors, section "Format". Its Rust reader refuses what is refused here.
 */

import { LabError } from "../../core/error.ts";

/** The array type of each dtype. F16 and BF16 are represented by their 16 bits, BOOL by bytes 0 and 1. */
const arrays = {
  F64: Float64Array,
  I64: BigInt64Array,
  U64: BigUint64Array,
  F32: Float32Array,
  I32: Int32Array,
  U32: Uint32Array,
  F16: Uint16Array,
  BF16: Uint16Array,
  I16: Int16Array,
  U16: Uint16Array,
  I8: Int8Array,
  U8: Uint8Array,
  BOOL: Uint8Array,
} as const;

type SafetensorsType = keyof typeof arrays;

/** `data` has product(shape) elements, row-major. */
export type StoredTensor = {
  readonly [D in SafetensorsType]: {
    readonly dtype: D;
    readonly shape: readonly number[];
    readonly data: InstanceType<(typeof arrays)[D]>;
  };
}[SafetensorsType];

export interface Safetensors {
  readonly tensors: Readonly<Record<string, StoredTensor>>;
  readonly metadata: Readonly<Record<string, string>>;
}

const reserved = new Set(["__metadata__", "__proto__"]);
const longestHeader = 100_000_000; // bound of the reference reader

/**
 * The bytes of a safetensors file. The same tensors give the same bytes whatever the order of their keys: wide
 * elements first (so that every array is aligned), then by name.
 */
export function encodeSafetensors(
  tensors: Readonly<Record<string, StoredTensor>>,
  metadata: Readonly<Record<string, string>> = {},
): Uint8Array {
  const entries = Object.entries(tensors).sort(
    ([a, x], [b, y]) => y.data.BYTES_PER_ELEMENT - x.data.BYTES_PER_ELEMENT || (a < b ? -1 : 1),
  );
  const header: Record<string, unknown> = {};
  if (Object.keys(metadata).length > 0) header.__metadata__ = sortedByKey(metadata);
  let end = 0;
  for (const [name, { dtype, shape, data }] of entries) {
    if (reserved.has(name)) throw new Error(`encodeSafetensors: the name ${name} is reserved`);
    if (!(data instanceof arrays[dtype]) || data.length !== elements(shape)) {
      const got = `${data.constructor.name}(${data.length})`;
      throw new Error(`encodeSafetensors: ${name} is ${dtype} [${shape}], its data ${got}`);
    }
    header[name] = { dtype, shape, data_offsets: [end, end + data.byteLength] };
    end += data.byteLength;
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const start = 8 + Math.ceil(json.length / 8) * 8;
  const bytes = new Uint8Array(start + end).fill(0x20, 8, start);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(start - 8), true);
  bytes.set(json, 8);
  let at = start;
  for (const [, { data }] of entries) {
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return bytes;
}

/**
 * Reads a safetensors file. Arrays are views into `bytes` where alignment allows, copies elsewhere.
 * Errors: LabError of kind "corrupt" that names `file` for any inconsistency.
 */
export function decodeSafetensors(bytes: Uint8Array, file: string): Safetensors {
  const { header, start } = readHeader(bytes, file);
  const tensors: Record<string, StoredTensor> = {};
  let metadata: Record<string, string> = {};
  const spans: { name: string; from: number; to: number }[] = [];
  for (const [name, value] of Object.entries(header)) {
    if (name === "__metadata__") {
      metadata = readMetadata(value, file);
      continue;
    }
    if (reserved.has(name)) corrupt(file, "names that are not reserved", name);
    const { dtype, shape, from, to } = readEntry(name, value, file);
    const size = elements(shape) * arrays[dtype].BYTES_PER_ELEMENT;
    if (to - from !== size) corrupt(file, `${name} (${dtype} [${shape}]) to hold ${size} bytes`, to - from);
    if (start + to > bytes.length) {
      corrupt(file, `at least ${start + to} bytes, for ${name}`, bytes.length);
    }
    spans.push({ name, from, to });
    tensors[name] = tensorAt(bytes, start + from, size, dtype, shape);
  }
  spans.sort((a, b) => a.from - b.from || a.to - b.to);
  let end = 0;
  for (const { name, from, to } of spans) {
    if (from !== end) corrupt(file, `${name} to begin at offset ${end}, without overlap or hole`, from);
    end = to;
  }
  if (start + end !== bytes.length) corrupt(file, `${start + end} bytes`, bytes.length);
  return { tensors, metadata };
}

function readHeader(bytes: Uint8Array, file: string): { header: Record<string, unknown>; start: number } {
  if (bytes.length < 8) corrupt(file, "at least 8 bytes", bytes.length);
  const length = new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true);
  const most = Math.min(bytes.length - 8, longestHeader);
  if (length > BigInt(most)) corrupt(file, `a header of at most ${most} bytes`, String(length));
  const start = 8 + Number(length);
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(8, start));
    const header: unknown = JSON.parse(text);
    if (isRecord(header)) return { header, start };
  } catch {
    // falls through to the one message for everything that is no JSON object
  }
  return corrupt(file, "a safetensors header (a JSON object)", "other bytes");
}

function readMetadata(value: unknown, file: string): Record<string, string> {
  if (!isRecord(value) || Object.values(value).some((text) => typeof text !== "string")) {
    return corrupt(file, "__metadata__ to map names to strings", value);
  }
  return value as Record<string, string>; // checked above
}

function readEntry(name: string, value: unknown, file: string) {
  if (!isRecord(value)) return corrupt(file, `${name} to be {dtype, shape, data_offsets}`, value);
  const { dtype, shape, data_offsets: offsets } = value;
  if (typeof dtype !== "string" || !Object.hasOwn(arrays, dtype)) {
    return corrupt(file, `the dtype of ${name} to be one of ${Object.keys(arrays).join(", ")}`, dtype);
  }
  if (!isSizes(shape)) return corrupt(file, `the shape of ${name} to be a list of sizes`, shape);
  if (!isSizes(offsets) || offsets.length !== 2 || offsets[0] > offsets[1]) {
    return corrupt(file, `the data_offsets of ${name} to be [begin, end]`, offsets);
  }
  return { dtype: dtype as SafetensorsType, shape, from: offsets[0], to: offsets[1] };
}

function tensorAt(
  bytes: Uint8Array,
  from: number,
  size: number,
  dtype: SafetensorsType,
  shape: number[],
): StoredTensor {
  const ArrayType = arrays[dtype];
  const aligned = (bytes.byteOffset + from) % ArrayType.BYTES_PER_ELEMENT === 0;
  const [buffer, offset] = aligned
    ? [bytes.buffer, bytes.byteOffset + from]
    : [bytes.slice(from, from + size).buffer, 0];
  const data = new ArrayType(buffer as ArrayBuffer, offset, size / ArrayType.BYTES_PER_ELEMENT);
  return { dtype, shape, data } as StoredTensor; // the array type was chosen by the dtype
}

/** The number of elements of a tensor of this shape; 1 for a scalar's []. */
function elements(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sortedByKey(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function corrupt(file: string, expected: string, got: unknown): never {
  const shown = (JSON.stringify(got) ?? String(got)).slice(0, 200);
  throw new LabError(
    `${file}: expected ${expected}, got ${shown}. The file is damaged or no safetensors`,
    "corrupt",
  );
}
