/**
 * @file After how many reveals does the joint filter lose its mass, and how many would be expected?
 *
 *     mass after t reveals ≈ exp(−h t)          h: entropy rate of the reveals, nats each
 *     normal  = ⌊ln(1 / smallest normal) / h⌋      reveals for which the mass keeps all digits of the format
 *     alive   = ⌈ln(2 / smallest) / h⌉ − 1         reveals for which the mass itself would not be rounded to 0
 *
 * At a factor of 1/5 a reveal, float32 is normal for 54 reveals and alive for 64. The mass is spread over states, and
 * a state below half of the smallest number is 0: so states are lost before the mass is, and the mass before `alive`.
 */

import { type Precision, smallestNormal, smallestPositive } from "../../core/half-precision.ts";
import type { Machine } from "../../core/hidden-markov.ts";
import type { Rng } from "../../core/rng.ts";
import { exactFilter, jointFilter, runFilter, totalMass } from "./filter.ts";
import { drawEpisode } from "./sample-trajectory.ts";
import { type Estimate, estimate } from "./score.ts";

export interface Horizon {
  readonly normal: number;
  readonly alive: number;
}

export interface Underflow {
  readonly precision: Precision;
  readonly episodes: number;
  /** Reveals, from the entropy rate alone. */
  readonly predicted: Horizon;
  /** Reveals; absent where more than `MOST_REVEALS` would be needed. */
  readonly measured?: Readonly<Record<keyof Horizon | "everyState", Estimate>>;
  /**
   * Nats a reveal above the exact filter, over the reveals before the mass is lost. Below 0 where it was lost to a short
   * format: near the end unlikely answers have 0 already, and what is still alive is what the others gained by.
   */
  readonly aboveExact?: Estimate;
}

const MOST_REVEALS = 5000;

/** Against the last digit of a quotient that is whole. */
const SLACK = 1e-9;

export function predictedHorizon(precision: Precision, entropyRate: number): Horizon {
  const toLast = -Math.log(smallestPositive(precision)) + Math.LN2;
  return {
    normal: Math.floor(-Math.log(smallestNormal(precision)) / entropyRate + SLACK),
    // At exactly half of the smallest number the mass is rounded to 0.
    alive: Math.ceil(toLast / entropyRate - SLACK) - 1,
  };
}

export function measureUnderflow(
  machine: Machine,
  precision: Precision,
  entropyRate: number,
  { spacing, episodes }: { readonly spacing: number; readonly episodes: number },
  rng: Rng,
): Underflow {
  const predicted = predictedHorizon(precision, entropyRate);
  if (!(predicted.alive <= MOST_REVEALS)) return { precision, episodes: 0, predicted };
  const reveals = 2 * predicted.alive + 50;
  const lives = Array.from({ length: episodes }, (_, i) =>
    normalizationLife(machine, drawEpisode(machine, { reveals, spacing }, rng.fork(i)), precision),
  );
  const of = (key: keyof Life) => lives.map((life) => life[key]);
  return {
    precision,
    episodes,
    predicted,
    measured: {
      normal: estimate(of("normal")),
      everyState: estimate(of("everyState")),
      alive: estimate(of("alive")),
    },
    aboveExact: estimate(of("aboveExact")),
  };
}

interface Life {
  readonly normal: number;
  readonly everyState: number;
  readonly alive: number;
  readonly aboveExact: number;
}

/** Reveals for which the mass was normal, no possible state was lost, and the mass was not zero. */
export function normalizationLife(
  machine: Machine,
  events: Parameters<typeof runFilter>[1],
  precision: Precision,
): Life {
  const least = smallestNormal(precision);
  const exact = runFilter(exactFilter(machine), events);
  let normal: number | undefined;
  let everyState: number | undefined;
  let alive = 0;
  let excess = 0;
  for (const { shares, answer, after } of runFilter(jointFilter(machine, precision), events)) {
    const truth = exact.next();
    if (truth.done) break; // never: both follow the same events
    const mass = totalMass(after);
    if (mass < least) normal ??= alive;
    if (after.some((share, state) => share === 0 && truth.value.after[state] > 0)) everyState ??= alive;
    if (mass === 0) break;
    excess += Math.log(truth.value.shares[answer]) - Math.log(shares[answer]);
    alive++;
  }
  return {
    normal: normal ?? alive,
    everyState: everyState ?? alive,
    alive,
    aboveExact: alive > 0 ? excess / alive : 0,
  };
}
