/**
 * @file Several tasks as one: an example is one of a part's variants, the part drawn by the shares of its window.
 *
 *     parts      [1/spacing] [1/spacing, 4/spacing]        shares .3 .7
 *     example    .3 of the first's, .35 of each of the second's
 */

import { fail } from "../../core/error.ts";
import type { Rng } from "../../core/rng.ts";
import { type Prepared, statesAtMost } from "../../tasks/task.ts";
import { drawnFrom } from "./samplers/exp3.ts";

export interface MixedPart {
  /** All equally likely; none where the part has no programs in this stage. */
  readonly variants: readonly Prepared[];
  /** Whether its last variant is the stage's hardest. */
  readonly own: boolean;
}

/** Of all parts; undefined where there is but one. */
export type Shares = readonly number[] | undefined;

/** Which part an example is of, and which of its variants: its first draws. */
export function drawPart(parts: readonly MixedPart[], shares: Shares, rng: Rng) {
  const part = parts[shares === undefined ? 0 : drawnFrom(shares, rng)];
  return { part, variant: rng.below(part.variants.length) };
}

/** @param sharesNow of the example that is written. Errors: LabError for variants that are no one task. */
export function mixed(
  parts: readonly MixedPart[],
  base: Prepared,
  at: string,
  sharesNow: () => Shares = () => undefined,
): Prepared {
  const variants = parts.flatMap((part) => part.variants);
  for (const variant of variants) checkAlike(variant, base, at);
  const most = (size: (variant: Prepared) => number) => Math.max(...variants.map(size));
  const { posterior: _, hidden: __, ...fields } = base;
  const [{ posterior }] = variants;
  return {
    ...fields,
    // Variants may move the state by different chances, and an example does not tell whose it is.
    ...(variants.length === 1 && posterior !== undefined && { posterior }),
    maximumWords: most(({ maximumWords }) => maximumWords),
    maximumStates: most(statesAtMost),
    maximumChanges: most(({ maximumChanges, variables }) => maximumChanges ?? variables.length),
    write(rng, sink) {
      const { part, variant } = drawPart(parts, sharesNow(), rng);
      part.variants[variant].write(rng, sink);
    },
  };
}

function checkAlike(variant: Prepared, base: Prepared, at: string): void {
  if (variant.words.join("\0") !== base.words.join("\0")) {
    fail(at, "changes that leave the vocabulary as it is", variant.words);
  }
  if (variant.values.length !== base.values.length) {
    fail(at, "changes that leave the values as they are", variant.values.length);
  }
  // A state that is written out is known by its place among them.
  if (variant.writtenStates?.length !== base.writtenStates?.length) {
    const count = variant.writtenStates?.length;
    fail(at, "changes that leave the programs' states as they are", count);
  }
}
