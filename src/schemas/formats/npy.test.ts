import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { encodeNpy } from "./npy.ts";

test("the bytes are those that numpy.save writes for arange(3, dtype='<f4')", () => {
  const bytes = Buffer.from(encodeNpy([3], Float32Array.of(0, 1, 2)));
  const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  const expected = Buffer.concat([
    Buffer.from([0x93]),
    Buffer.from("NUMPY"),
    Buffer.from([1, 0, 118, 0]), // 128 - 10
    Buffer.from(`${header}${" ".repeat(117 - header.length)}\n`),
    Buffer.from("00000000" + "0000803f" + "00000040", "hex"),
  ]);
  expect(bytes.equals(expected)).toBe(true);
});

test("data that do not fill the shape are refused", () => {
  expect(() => encodeNpy([2, 2], Float32Array.of(1))).toThrow(/holds 4 elements, got 1/);
});

const numpy = (() => {
  try {
    return execFileSync("python3", ["-c", "import numpy"], { stdio: "pipe" });
  } catch {
    return undefined;
  }
})();

test.skipIf(numpy === undefined)("NumPy loads the same array (skipped without NumPy)", () => {
  const file = encodeNpy([2, 1, 3], Int32Array.of(1, -2, 3, 4, 5, 6));
  const program =
    "import io, json, sys, numpy; a = numpy.load(io.BytesIO(sys.stdin.buffer.read())); print(json.dumps([a.shape, a.tolist(), str(a.dtype)]))";
  const printed = execFileSync("python3", ["-c", program], { input: file, encoding: "utf8" });
  expect(JSON.parse(printed)).toEqual([[2, 1, 3], [[[1, -2, 3]], [[4, 5, 6]]], "int32"]);
});
