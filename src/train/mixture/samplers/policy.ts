/**
 * @file How the shares of a mixture's parts are chosen, window by window: a pure function of what happened so far.
 *
 *     window   1              2              3                   `every` steps each
 *     shares   .3 .3 .3       .5 .2 .3       .6 .1 .3
 *     losses   before after   before after                       of the parts that were looked at, on fixed programs
 *
 * The trainer's state keeps the windows, so a training that goes on chooses what it would have chosen.
 */

import type { z } from "zod";
import type { Rng } from "../../../core/rng.ts";

export interface Window {
  /** Its first step, and the stage that it is in. */
  readonly from: number;
  readonly stage: number;
  /** Of all parts; 0 of one that has no programs in this stage. */
  readonly shares: readonly number[];
  /** Parts whose losses are looked at, before it and after it. */
  readonly looked: readonly number[];
  /** Of each of these. */
  readonly before: readonly number[];
  /** The same; empty while the window is open, and where a stage ended within it. */
  readonly after: readonly number[];
}

/** What a policy knows. Parts are those that have programs in the stage, counted from 0. */
export interface Past {
  /** As the configuration gives them, or all the same; they sum to 1. */
  readonly given: readonly number[];
  /** Of this stage, those that are closed, oldest first. */
  readonly windows: readonly Pick<Window, "shares" | "looked" | "before" | "after">[];
  /** Of the training, the share that is done. */
  readonly done: number;
}

export interface Chosen {
  /** They sum to 1. */
  readonly shares: readonly number[];
  readonly looked: readonly number[];
}

export interface Policy<Params = unknown> {
  readonly name: string;
  readonly source: string;
  readonly params: z.ZodType<Params>;
  /** @param rng of this window alone. */
  choose(past: Past, rng: Rng, params: Params): Chosen;
}

export function definePolicy<Params>(policy: Policy<Params>): Policy<Params> {
  return policy;
}
