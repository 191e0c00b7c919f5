/**
 * @file Numbers of 16 bits (IEEE 754 binary16), which halve what the page has to load.
 *
 *     1 sign, 5 exponent e, 10 fraction f:   (-1)^sign 2^(e - 15) (1 + f / 1024);   e = 0: (-1)^sign 2^-14 f / 1024
 */

/** The nearest one, ties to even, as its bits; for magnitudes up to 65,504. */
export function toHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (!(size <= 65_504)) throw new RangeError(`toHalf: expected a magnitude of at most 65504, got ${value}`);
  const exponent = Math.max(-14, Math.floor(Math.log2(size)));
  const scaled = size / 2 ** (exponent - 10); // 1024 to 2048, less below 2^-14
  const floor = Math.floor(scaled);
  const up = scaled - floor > 0.5 || (scaled - floor === 0.5 && floor % 2 === 1);
  // A fraction that is rounded up to 2048 carries into the exponent by itself.
  return sign | (((exponent + 14) << 10) + floor + (up ? 1 : 0));
}

export function fromHalf(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = (bits & 1023) / 1024;
  const size = exponent === 0 ? 2 ** -14 * fraction : 2 ** (exponent - 15) * (1 + fraction);
  return bits & 0x8000 ? -size : size;
}
