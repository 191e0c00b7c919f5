/**
 * @file Several tasks as one: an example is a variant of a part, drawn by the shares of its window.
 *
 *     parts      [1/spacing] [1/spacing, 4/spacing]        shares .3 .7
 *     example    .3 of the first's, .35 of each of the second's
 */

import { fail } from "../../core/error.ts";
import { drawnFrom, type Rng } from "../../core/rng.ts";
import { type Prepared, statesAtMost } from "../../tasks/task.ts";
import type { Window } from "./samplers/policy.ts";

export interface MixedPart {
  /** All equally likely; empty if the part has no programs in this stage. */
  readonly variants: readonly Prepared[];
  /** Whether its last variant is the hardest of the stage. */
  readonly own: boolean;
}

/** Of all parts; undefined if there is only one. */
type Shares = readonly number[] | undefined;

/** The part and variant of an example: its first random draws. */
export function drawPart<Part extends MixedPart>(parts: readonly Part[], shares: Shares, rng: Rng) {
  const part = parts[shares === undefined ? 0 : drawnFrom(shares, rng)];
  return { part, variant: rng.below(part.variants.length) };
}

/** @param sharesNow the shares for the next example. Errors: LabError for variants with different words, values or states. */
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
    // Variants may have different probabilities, and an example does not show its variant.
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
    fail(at, "changes that keep the vocabulary", variant.words);
  }
  if (variant.values.length !== base.values.length) {
    fail(at, "changes that keep the values", variant.values.length);
  }
  // A written state is identified by its index.
  if (variant.writtenStates?.length !== base.writtenStates?.length) {
    const count = variant.writtenStates?.length;
    fail(at, "changes that keep the number of states", count);
  }
}

/** The windows of a training, part of the state of the trainer. */
export interface SharesLog {
  readonly windows: readonly Window[];
  /** The shares of all parts at a step; undefined before the first window. */
  at(step: number): readonly number[] | undefined;
  load(windows: readonly Window[]): void;
}

export function sharesLog(): SharesLog {
  let windows: readonly Window[] = [];
  return {
    get windows() {
      return windows;
    },
    at: (step) => windows.findLast(({ from }) => from <= step)?.shares,
    load(others) {
      windows = others;
    },
  };
}
