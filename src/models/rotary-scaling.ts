/**
 * @file Rotary frequencies for contexts longer than the original training context.
 *
 *     linear    f' = f / factor
 *     llama3    w = original f / 2 pi, the turns in the original length
 *               f' = (1 - s) f / factor + s f,   s = (w - low) / (high - low), at least 0, at most 1
 *     yarn      p(n) = d ln(original / 2 pi n) / 2 ln base, the pair that makes n turns in the original length
 *               f' as for llama3,   s = 1 - (i - floor p(fast)) / (ceil p(slow) - floor p(fast)) for pair i
 *               cos and sin are multiplied by `attention`
 *     dynamic   position t >= original: f' = f g^(-2i/(d-2)),   g = factor (t + 1) / original - factor + 1
 *
 * In `dynamic`, g grows with the position, as if transformers generates token by token. Its pass over a whole sequence takes the last g for
 * all positions, so that logits depend on later tokens.
 *
 * Source: linear: Chen et al. 2023, arXiv:2306.15595; llama3: Grattafiori et al. 2024, arXiv:2407.21783; yarn: Peng et al. 2023,
 * arXiv:2309.00071; all as transformers computes them.
 */

import { z } from "zod";

const factor = z.number().positive();
/** Tokens of the original training context. */
const original = z.int().positive();

export const RotaryScaling = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("linear"), factor }),
  z.strictObject({
    kind: z.literal("llama3"),
    factor,
    /** Frequencies with fewer turns are slowed down by the whole factor. */
    low: z.number().positive(),
    /** Frequencies with more turns stay unchanged. */
    high: z.number().positive(),
    original,
  }),
  z.strictObject({
    kind: z.literal("yarn"),
    factor,
    original,
    /** By default 32. */
    fast: z.number().positive().optional(),
    /** By default 1. */
    slow: z.number().positive().optional(),
    /** By default 0.1 ln(factor) + 1. */
    attention: z.number().positive().optional(),
  }),
  z.strictObject({ kind: z.literal("dynamic"), factor, original }),
]);
export type RotaryScaling = z.infer<typeof RotaryScaling>;

/** The factor on cos and sin. */
export function rotaryMagnitude(scaling: RotaryScaling | undefined): number {
  if (scaling?.kind !== "yarn") return 1;
  return scaling.attention ?? 0.1 * Math.log(Math.max(1, scaling.factor)) + 1;
}

/** Maps the frequency of pair i at a position, in radians per position, for heads of this width, to the scaled one. */
export function scaledFrequency(
  scaling: RotaryScaling | undefined,
  width: number,
  base: number,
): (frequency: number, pair: number, position: number) => number {
  if (scaling === undefined) return (frequency) => frequency;
  const { factor } = scaling;
  const between = (share: number, frequency: number) => {
    const kept = Math.min(1, Math.max(0, share));
    return (1 - kept) * (frequency / factor) + kept * frequency;
  };
  switch (scaling.kind) {
    case "linear":
      return (frequency) => frequency / factor;
    case "llama3": {
      const { low, high, original: length } = scaling;
      return (frequency) => between(((length * frequency) / (2 * Math.PI) - low) / (high - low), frequency);
    }
    case "yarn": {
      const pairWith = (turns: number) =>
        (width * Math.log(scaling.original / (2 * Math.PI * turns))) / (2 * Math.log(base));
      const first = Math.max(0, Math.floor(pairWith(scaling.fast ?? 32)));
      const last = Math.min(width - 1, Math.ceil(pairWith(scaling.slow ?? 1)));
      const span = last === first ? 0.001 : last - first;
      return (frequency, pair) => between(1 - (pair - first) / span, frequency);
    }
    case "dynamic":
      return (frequency, pair, position) => {
        if (pair === 0 || position < scaling.original) return frequency;
        const growth = (factor * (position + 1)) / scaling.original - factor + 1;
        return frequency * growth ** ((-2 * pair) / (width - 2));
      };
  }
}
