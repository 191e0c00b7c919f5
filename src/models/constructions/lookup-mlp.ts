/**
 * @file A gated feed-forward layer as a table: exactly one entry has all that it asks for, and what that gives is written.
 *
 *     unit = silu(L (sum of what it asks - what it needs)) * constant       L times the surplus where all is there, and 0 where something is missing
 */

import type { Rows } from "../naive.ts";
import { normFactor, sparse } from "./construction.ts";

/** The column of the width that is 1 at every word. */
export const CONSTANT = 0;
const LARGE = 100;

/** One unit of a table: what it adds up, and what of the constant it needs; `gives` is written where there is more. */
export interface Entry {
  readonly asks: readonly (readonly [column: number, factor: number])[];
  readonly needs: number;
  /** By how much what it asks for is more than it needs, where all is there. */
  readonly surplus: number;
  /** The length of what the residual then holds. */
  readonly length: number;
  readonly gives: readonly (readonly [column: number, value: number])[];
}

/** A gated layer that looks up: exactly one entry has what it needs. */
export function tableOf(d: number, entries: readonly Entry[]): Readonly<Record<string, Rows>> {
  const hidden = 2 * d;
  const [gateAndUp, down] = [sparse(d, 2 * hidden), sparse(hidden, d)];
  for (const [at, { asks, needs, surplus, length, gives }] of entries.entries()) {
    const factor = normFactor(length, d);
    const sharp = (2 * LARGE) / (surplus * factor); // silu of 200 and of -200 are 200 and 0
    for (const [column, each] of asks) gateAndUp.at(column, at, sharp * each);
    gateAndUp.at(CONSTANT, at, -sharp * needs);
    gateAndUp.at(CONSTANT, hidden + at, 1);
    const found = 2 * LARGE * factor;
    for (const [column, value] of gives) down.at(at, column, value / found);
  }
  return { "feedForward.gateAndUp": gateAndUp.weight, "feedForward.down": down.weight };
}
