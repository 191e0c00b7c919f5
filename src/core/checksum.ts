/**
 * @file Cyclic redundancy checks of 32 bits, in the order of bits that files use: CRC-32 of zip and PNG, CRC-32C of TensorBoard.
 *
 *     crc32("123456789") = cbf43926        crc32c("123456789") = e3069283
 */

type Checksum = (bytes: Uint8Array) => number;

function checksumOf(polynomial: number): Checksum {
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    let rest = byte;
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ polynomial : rest >>> 1;
    return rest;
  });
  return (bytes) => {
    let rest = 0xffffffff;
    for (const byte of bytes) rest = table[(rest ^ byte) & 0xff] ^ (rest >>> 8);
    return (rest ^ 0xffffffff) >>> 0;
  };
}

/** Polynomials in reflected (least significant bit first) form. */
export const crc32 = checksumOf(0xedb88320);
export const crc32c = checksumOf(0x82f63b78);
