/**
 * @file What experiments call right, lost or agreed: every threshold that a title or a finding rests on, once.
 */

import { LEARNED } from "../../src/records/learned.ts";

/** A share that is enough. */
export interface Criterion {
  readonly least: number;
  /** `95 %` */
  readonly inWords: string;
  met(share: number): boolean;
}

const atLeast = (least: number): Criterion => ({
  least,
  inWords: `${Math.round(100 * least)} %`,
  met: (share) => share >= least,
});

/** Has learned what it was trained on (records/learned.ts). */
export const learned = atLeast(LEARNED);
/** Follows the state: nearly all that is asked is right. Guesses, and memory of the last few commands, stay below. */
export const tracks = atLeast(0.95);
/** Still has the state where a program ends: nearly all last answers are right. */
export const keeps = atLeast(0.9);
/** Solves a task of G's tables: scaled accuracy, of which a guess has 0. */
export const solves = atLeast(0.9);
/** Goes through the longest words as if there were no end. */
export const lasts = atLeast(0.99);
/** Has not lost everything: half of the answers of a task where a guess has next to none. */
export const remembers = atLeast(0.5);

/** A difference of shares up to this is called no loss, and no distance from a reference. */
export const SLIGHT = 0.05;
/** The same of the last answers alone, of which there are fewer. */
export const SLIGHT_AT_END = 0.1;

/** As good as the published share: smaller models and budgets do not meet its digits. */
export const agreesWith = (published: number, ours: number) => Math.abs(ours - published) <= 0.1;

/** "Far fewer", where no number is published: half as many at most. The threshold is our own. */
export const FAR_FEWER = 1 / 2;

/** So many standard errors two numbers may be apart that ought to be the same. */
export const MOST_ERRORS = 3;
