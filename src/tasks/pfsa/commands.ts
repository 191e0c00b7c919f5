/**
 * @file Commands with hidden outcomes: as words, and as the outcome that was drawn.
 *
 *     swap      a, b = b, a                                         deterministic
 *     maybe     if random.random() < 0.5: a, b = b, a               whether it happened
 *     either    if random.random() < 0.5: a, b = b, a               which of the two happened
 *               else: b, c = c, b
 *     hidden    a, b, c = random.choice([(b, a, c), (c, b, a), (a, c, b)])      which pair was swapped
 *
 * A pair is named in alphabetical order. The two pairs of `either` differ; `hidden` lists all of them.
 */

import { indexPairs, swapPermutation } from "../../core/permutation-walk.ts";
import type { Rng } from "../../core/rng.ts";
import { choiceParts, maybeParts, type Parts, swapParts } from "./vocabulary.ts";

export const commandKinds = ["swap", "maybe", "either", "hidden"] as const;
type UncertainKind = (typeof commandKinds)[number];

interface DrawnCommand {
  readonly parts: Parts;
  /** The variable from which variable i takes its value. */
  readonly outcome: readonly number[];
}

export function commandDrawer(names: readonly string[], probability: number) {
  const n = names.length;
  const pairs = indexPairs(n);
  const nothing = swapPermutation(n, 0, 0);
  const swaps = pairs.map(([i, j]) => ({
    parts: swapParts(names[i], names[j]),
    outcome: swapPermutation(n, i, j),
  }));
  const maybe = maybeParts(probability);
  const hidden = choiceParts(
    names,
    swaps.map(({ outcome }) => outcome.map((from) => names[from])),
  );
  return (kind: UncertainKind, rng: Rng): DrawnCommand => {
    const at = rng.below(swaps.length);
    const { parts, outcome } = swaps[at];
    switch (kind) {
      case "swap":
        return { parts: [...parts, "\n"], outcome };
      case "maybe": {
        const happened = rng.next() < probability;
        return { parts: [...maybe, ...parts, "\n"], outcome: happened ? outcome : nothing };
      }
      case "either": {
        const draw = rng.below(swaps.length - 1);
        const other = swaps[draw < at ? draw : draw + 1];
        const first = rng.next() < probability;
        return {
          parts: [...maybe, ...parts, "\n", "else: ", ...other.parts, "\n"],
          outcome: first ? outcome : other.outcome,
        };
      }
      case "hidden":
        return { parts: [...hidden, "\n"], outcome };
      default:
        return kind satisfies never;
    }
  };
}
