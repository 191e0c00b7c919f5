import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { crc32, crc32c } from "./checksum.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

test("both have the values that their definitions publish", () => {
  expect(crc32(bytesOf("123456789"))).toBe(0xcbf43926);
  expect(crc32c(bytesOf("123456789"))).toBe(0xe3069283);
  // RFC 3720, B.4.
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
  expect(crc32c(new Uint8Array(32).fill(255))).toBe(0x62a8ab43);
  expect(crc32c(Uint8Array.from({ length: 32 }, (_, i) => i))).toBe(0x46dd794e);
});

test("CRC-32 is that of zlib", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(crc32(bytes)).toBe(zlibCrc32(bytes));
    }),
    { seed: 1 },
  );
});
