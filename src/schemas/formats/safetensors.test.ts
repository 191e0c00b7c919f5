import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { LabError } from "../../core/error.ts";
import { decodeSafetensors, encodeSafetensors, type StoredTensor } from "./safetensors.ts";

const folder = tmpFolder("safetensors");
const bytesOf = (header: string, data: readonly number[]) => {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(header)));
  return new Uint8Array(Buffer.concat([length, Buffer.from(header), Buffer.from(data)]));
};

test("the bytes are those that the format's description asks for, written out by hand", () => {
  const header =
    '{"a":{"dtype":"I32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"U8","shape":[],"data_offsets":[8,9]}}';
  const padded = header.padEnd(Math.ceil(header.length / 8) * 8, " ");
  const encoded = encodeSafetensors({
    b: { dtype: "U8", shape: [], data: Uint8Array.of(7) },
    a: { dtype: "I32", shape: [2], data: Int32Array.of(1, -1) },
  });
  expect([...encoded]).toEqual([...bytesOf(padded, [1, 0, 0, 0, 255, 255, 255, 255, 7])]);
});

const name = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !text.startsWith("__"));
const float = fc.record({
  dtype: fc.constant("F32" as const),
  rows: fc.integer({ min: 0, max: 5 }),
  columns: fc.integer({ min: 0, max: 5 }),
  first: fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
});
const tensor = float.map(({ rows, columns, first }): StoredTensor => {
  const data = Float32Array.from({ length: rows * columns }, (_, i) => first + i);
  return { dtype: "F32", shape: [rows, columns], data };
});
const wide = fc
  .array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { maxLength: 4 })
  .map(
    (values): StoredTensor => ({ dtype: "I64", shape: [values.length], data: BigInt64Array.from(values) }),
  );
const narrow = fc
  .uint8Array({ maxLength: 5 })
  .map((data): StoredTensor => ({ dtype: "U8", shape: [data.length], data: Uint8Array.from(data) }));
const tensors = fc.dictionary(name, fc.oneof(tensor, wide, narrow), { maxKeys: 6, noNullPrototype: true });

test("what is encoded is decoded, from any position in a larger buffer", () => {
  fc.assert(
    fc.property(tensors, fc.integer({ min: 0, max: 8 }), (written, shift) => {
      const bytes = encodeSafetensors(written, { step: "12" });
      const moved = new Uint8Array(bytes.length + shift);
      moved.set(bytes, shift);
      const read = decodeSafetensors(moved.subarray(shift), "model.safetensors");
      expect(read.tensors).toEqual(written);
      expect(read.metadata).toEqual({ step: "12" });
    }),
    { seed: 2, numRuns: 200 },
  );
});

test("a file cut anywhere, or with bytes behind it, is refused by name", () => {
  const bytes = encodeSafetensors({
    w: { dtype: "F32", shape: [3], data: Float32Array.of(1, 2, 3) },
    v: { dtype: "F64", shape: [1], data: Float64Array.of(4) },
  });
  for (let length = 0; length < bytes.length; length++) {
    expect(() => decodeSafetensors(bytes.subarray(0, length), "cut.safetensors")).toThrow(
      /^cut\.safetensors: /,
    );
  }
  const longer = new Uint8Array(bytes.length + 1);
  longer.set(bytes);
  expect(() => decodeSafetensors(longer, "long.safetensors")).toThrow(LabError);
});

test.each([
  [
    "two arrays in the same place",
    '{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}}',
    3,
  ],
  ["a hole", '{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}', 2],
  ["a shape that does not fill its place", '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}', 4],
  ["a negative size", '{"a":{"dtype":"U8","shape":[-1],"data_offsets":[0,0]}}', 0],
  ["an unknown dtype", '{"a":{"dtype":"F7","shape":[1],"data_offsets":[0,1]}}', 1],
  ["offsets the wrong way round", '{"a":{"dtype":"U8","shape":[0],"data_offsets":[1,0]}}', 1],
  ["metadata that are not strings", '{"__metadata__":{"a":1}}', 0],
  ["a header that is a list", "[]", 0],
  ["a header that is no JSON", "{", 0],
  [
    "a name that would change the object itself",
    '{"__proto__":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}',
    0,
  ],
])("refused as corrupt: %s", (_, header, length) => {
  const read = () => decodeSafetensors(bytesOf(header, new Array(length).fill(0)), "bad.safetensors");
  expect(read).toThrow(expect.objectContaining({ name: "LabError", kind: "corrupt" }));
});

const python = (() => {
  try {
    return execFileSync("python3", ["--version"], { encoding: "utf8" });
  } catch {
    return undefined;
  }
})();

test.skipIf(python === undefined)(
  "Python's json and struct read the same numbers (skipped without python3)",
  () => {
    const file = join(folder, "x.safetensors");
    writeFileSync(
      file,
      encodeSafetensors({
        weight: { dtype: "F32", shape: [2, 2], data: Float32Array.of(1.5, -2, 3, 0.25) },
        step: { dtype: "I64", shape: [], data: BigInt64Array.of(-5n) },
      }),
    );
    const program = `
import json, struct, sys
raw = open(sys.argv[1], "rb").read()
n, = struct.unpack("<Q", raw[:8])
header, data = json.loads(raw[8:8 + n]), raw[8 + n:]
read = lambda key, code: list(struct.unpack("<" + code, data[slice(*header[key]["data_offsets"])]))
print(json.dumps([n % 8, read("weight", "4f"), read("step", "q")]))`;
    const printed = execFileSync("python3", ["-c", program, file], { encoding: "utf8" });
    expect(JSON.parse(printed)).toEqual([0, [1.5, -2, 3, 0.25], [-5]]);
  },
);
