/**
 * @file Type of policies that choose the shares of the parts of a mixture, window by window: pure functions of the past windows.
 *
 *     window   1              2              3                   `every` steps each
 *     shares   .3 .3 .3       .5 .2 .3       .6 .1 .3
 *     losses   before after   before after                       of the observed parts, on fixed programs
 *
 * The state of the trainer includes the windows, so a resumed training makes the same choices.
 */

import type { z } from "zod";
import type { Rng } from "../../../core/rng.ts";

export interface Window {
  /** Its first step, and its stage. */
  readonly from: number;
  readonly stage: number;
  /** Of all parts; 0 for a part without programs in this stage. */
  readonly shares: readonly number[];
  /** Observed parts, whose losses are measured before and after the window. */
  readonly looked: readonly number[];
  /** Losses of the observed parts. */
  readonly before: readonly number[];
  /** The same after the window; empty while it is open, or if a stage ended within it. */
  readonly after: readonly number[];
}

/** Input of a policy. Parts are those with programs in the stage, counted from 0. */
export interface Past {
  /** The configured shares, with sum 1. */
  readonly given: readonly number[];
  /** Closed windows of this stage, oldest first. */
  readonly windows: readonly Pick<Window, "shares" | "looked" | "before" | "after">[];
  /** Share of the training that is done. */
  readonly done: number;
}

interface Chosen {
  /** With sum 1. */
  readonly shares: readonly number[];
  readonly looked: readonly number[];
}

export interface Policy<Params = unknown> {
  readonly params: z.ZodType<Params>;
  /** @param rng for this window alone. */
  choose(past: Past, rng: Rng, params: Params): Chosen;
}

export function definePolicy<Params>(policy: Policy<Params>): Policy<Params> {
  return policy;
}
