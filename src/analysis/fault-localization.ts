/**
 * @file Who looks for a fault by blocks, and how often it is named: by what is seen, and by how often the judge errs.
 *
 *     executions    1 2 3 2 3 2 4         of blocks; the fault is in 3, whose first execution is the third
 *     a judge       says "right" or "wrong" of each that is shown, each time wrong with probability e; named is the first one said to be wrong
 *     chance        sum over the executions of the faulty block that are shown of P(said wrong) x P(said right of all shown before it)
 */

import type { Rng } from "../core/rng.ts";

export interface Search {
  /** The block of each execution. */
  readonly sequence: readonly number[];
  /** Executions that are shown. */
  readonly shown: readonly number[];
  /** The block with the fault. */
  readonly fault: number;
  /** The execution with which the run goes wrong: those of the faulty block from there on are wrong themselves, the others are not. */
  readonly first: number;
}

const isWrong = ({ sequence, fault, first }: Search, at: number) => sequence[at] === fault && at >= first;

/** The probability that the faulty block is named by a judge that errs with probability `error` at each execution. */
export function chanceOfNaming(search: Search, error: number): number {
  let [silent, chance] = [1, 0];
  for (const at of search.shown) {
    const said = isWrong(search, at) ? 1 - error : error;
    if (search.sequence[at] === search.fault) chance += silent * said;
    silent *= 1 - said;
  }
  return chance;
}

/** The block that such a judge names; null where it finds all right. */
export function namedBlock(search: Search, error: number, rng: Rng): number | null {
  for (const at of search.shown) {
    const errs = rng.fork(at).next() < error;
    if (isWrong(search, at) !== errs) return search.sequence[at];
  }
  return null;
}

/** A judge that sees the output alone guesses among the blocks that ran. */
export const chanceOfGuessing = ({ sequence, fault }: Search): number =>
  sequence.includes(fault) ? 1 / new Set(sequence).size : 0;

/** The probability that one of so many independent tries names the block: a failed repair is repeated. */
export const chanceWithin = (chance: number, tries: number): number => 1 - (1 - chance) ** tries;
