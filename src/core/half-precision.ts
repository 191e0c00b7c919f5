/**
 * @file Reduced-precision numbers: a float64 rounded to the nearest value of a smaller format, ties to even.
 *
 *     x = m · 2^(e − f),   e = max(⌊log2 |x|⌋, least)        m is rounded to an integer
 *
 *                 f    least    smallest normal    smallest    largest
 *     float16     10     −14              2^−14       2^−24      65504
 *     bfloat16     7    −126             2^−126      2^−133    3.4e38
 *     float32     23    −126             2^−126      2^−149    3.4e38
 *     float64     52   −1022            2^−1022     2^−1074   1.8e308
 *
 * Rounding the float64 sum, product or quotient of two numbers of a smaller format equals the operation in that format: float64 has
 * more than twice their digits, so double rounding is harmless.
 *
 * Source: IEEE 754-2019, section 4.3.1; the double rounding: Figueroa 1995, ACM SIGNUM Newsletter 30:21.
 */

export const precisions = ["float64", "float32", "bfloat16", "float16"] as const;
export type Precision = (typeof precisions)[number];

interface Format {
  /** f: binary digits after the point of a normal number. */
  readonly fraction: number;
  /** Exponents of the smallest and the largest normal numbers. */
  readonly least: number;
  readonly most: number;
}

const formats: Readonly<Record<Precision, Format>> = {
  float64: { fraction: 52, least: -1022, most: 1023 },
  float32: { fraction: 23, least: -126, most: 127 },
  bfloat16: { fraction: 7, least: -126, most: 127 },
  float16: { fraction: 10, least: -14, most: 15 },
};

/** Below it precision decreases with the magnitude (subnormal numbers). */
export function smallestNormal(precision: Precision): number {
  return 2 ** formats[precision].least;
}

/** Half of it, and all below that, is rounded to zero. */
export function smallestPositive(precision: Precision): number {
  const { least, fraction } = formats[precision];
  return 2 ** (least - fraction);
}

/** x rounded to the format: ±Infinity beyond the largest, ±0 at half of the smallest and below. */
export function roundedTo(precision: Precision): (x: number) => number {
  switch (precision) {
    case "float64":
      return (x) => x;
    case "float32":
      return Math.fround;
    case "bfloat16":
    case "float16":
      return roundedToFormat(formats[precision]);
    default:
      return precision satisfies never;
  }
}

/** Adding and subtracting 1.5 · 2^52 rounds |m| < 2^51 to an integer, since no fraction bits are left. */
const INTEGERS_ONLY = 1.5 * 2 ** 52;

const number = new Float64Array(1);
const halves = new Int32Array(number.buffer);
/** Index of the 32-bit half of a float64 with the exponent: depends on endianness. */
const high = new Int32Array(Float64Array.of(1).buffer)[1] === 0 ? 0 : 1;

function roundedToFormat({ fraction, least, most }: Format): (x: number) => number {
  const largest = (2 - 2 ** -fraction) * 2 ** most;
  const units = Float64Array.from({ length: most - least + 1 }, (_, i) => 2 ** (least + i - fraction));
  return (x) => {
    if (x === 0 || !Number.isFinite(x)) return x;
    number[0] = x;
    const exponent = ((halves[high] >> 20) & 0x7ff) - 1023;
    if (exponent > most) return x * Number.POSITIVE_INFINITY;
    const unit = units[Math.max(exponent - least, 0)];
    const rounded = (x / unit + INTEGERS_ONLY - INTEGERS_ONLY) * unit;
    if (rounded === 0) return x * 0;
    return Math.abs(rounded) > largest ? x * Number.POSITIVE_INFINITY : rounded;
  };
}
