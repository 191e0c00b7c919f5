/**
 * @file How far a difference between two models depends on which programs they were asked: the paired bootstrap.
 *
 *     D = Σ_p (right_b(p) − right_a(p)) / Σ_p asked(p)
 *
 * n programs are drawn with replacement from the n that both were asked, D computed again, many times; the interval holds
 * the middle 95 % of these. It says nothing of other seeds: a training that went well by luck stays lucky in each draw.
 * Source: Efron 1979, Ann. Statist. 7:1 (percentile method).
 */

import type { Rng } from "../math/rng.ts";
import { quantile } from "../math/statistics.ts";
import type { Interval } from "./seeds.ts";

/** A program that both models were asked about. */
export interface AskedProgram {
  readonly asked: number;
  /** How many of those each named. */
  readonly rightA: number;
  readonly rightB: number;
}

export interface BootstrapOptions {
  readonly rng: Rng;
  readonly draws?: number;
}

/** The share that b has right above that of a, and its interval at 95 %. */
export function bootstrapDifference(
  programs: readonly AskedProgram[],
  { rng, draws = 2000 }: BootstrapOptions,
): { readonly difference: number; readonly interval: Interval } {
  const redrawn = Float64Array.from({ length: draws }, () =>
    differenceOf(programs.map(() => programs[rng.below(programs.length)])),
  );
  return {
    difference: differenceOf(programs),
    interval: [quantile(redrawn, 0.025), quantile(redrawn, 0.975)],
  };
}

function differenceOf(programs: readonly AskedProgram[]): number {
  let asked = 0;
  let more = 0;
  for (const program of programs) {
    asked += program.asked;
    more += program.rightB - program.rightA;
  }
  return asked === 0 ? 0 : more / asked;
}
