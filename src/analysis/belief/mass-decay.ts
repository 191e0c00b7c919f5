/**
 * @file Mass decay: what each filter pays a reveal, how fast the joint filter loses its mass, and when it is gone.
 *
 *     n variables; each command names a pair, all equally likely, and swaps it with probability p, unseen; after every r
 *     commands one variable, all equally likely, is revealed. Episodes start known; of each the first 20 reveals are
 *     dropped and the next 200 counted.
 *
 * The slope of ln(mass) of the unnormalised filter, in float64, is compared with an entropy rate from elsewhere: the
 * nats that the exact filter pays on other episodes.
 */

import { precisions } from "../../math/half-precision.ts";
import type { Event, Machine } from "../../math/hidden-markov.ts";
import { machineOf } from "../../math/permutation-walk.ts";
import { type Rng, rngFrom } from "../../math/rng.ts";
import { mean } from "../../math/statistics.ts";
import { drawEpisode } from "./episode.ts";
import { exactFilter } from "./exact.ts";
import { type Filter, follow, surprises } from "./filter.ts";
import { jointFilter, massOf } from "./joint.ts";
import { marginalFilter } from "./marginal.ts";
import { type Calibration, calibrator, type Estimate, estimate } from "./score.ts";
import { swapWalk } from "./swap-walk.ts";
import { measureUnderflow, type Underflow } from "./underflow.ts";
import { windowedFilter } from "./windowed.ts";

export interface MassDecayOptions {
  readonly variables: number;
  /** p: of each swap. */
  readonly probability: number;
  /** r: commands per reveal. */
  readonly spacing: number;
  /** Counted reveals; rounded up to whole episodes of 200, at least two. */
  readonly reveals: number;
  readonly seed: number;
  /** Commands that the windowed filter sees; by default twice the spacing. */
  readonly window?: number;
}

export interface FilterScore {
  readonly filter: string;
  /** Nats a reveal. */
  readonly nats: Estimate;
  /** Nats a reveal above the exact filter on the same episodes. */
  readonly aboveExact: Estimate;
  readonly calibration: Calibration;
}

export interface MassDecay {
  readonly setting: Required<MassDecayOptions> & { readonly episodes: number };
  /** "exact" first. */
  readonly filters: readonly FilterScore[];
  /** What ln(mass) falls by a reveal, in the unnormalised float64 filter. */
  readonly massSlope: Estimate;
  /** Nats a reveal that the exact filter pays on other episodes, as many. */
  readonly entropyRate: Estimate;
  readonly underflow: readonly Underflow[];
}

export interface Progress {
  readonly done: number;
  readonly of: number;
}

const DROPPED = 20;
const COUNTED = 200;
const UNDERFLOW_EPISODES = 32;

export function massDecay(options: MassDecayOptions): MassDecay {
  const steps = massDecaySteps(options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same, with a stop after each part of the work. */
export function* massDecaySteps(options: MassDecayOptions): Generator<Progress, MassDecay> {
  const { variables, probability, spacing, seed } = options;
  const window = options.window ?? 2 * spacing;
  const walk = swapWalk(variables, probability);
  const machine = machineOf(walk);
  const filters: Readonly<Record<string, Filter>> = {
    exact: exactFilter(machine),
    sinkhorn: marginalFilter(walk, "sinkhorn"),
    "row+column": marginalFilter(walk, "row+column"),
    row: marginalFilter(walk, "row"),
    windowed: windowedFilter(machine, window),
  } as Readonly<Record<string, Filter>>; // what a belief is, only its own filter knows
  const episodes = Math.max(2, Math.ceil(options.reveals / COUNTED));
  const of = episodes + precisions.length;
  const rng = rngFrom(seed).fork(`mass-decay ${variables} ${probability} ${spacing}`);
  const drawn = (label: string, i: number) => drawn200(machine, spacing, rng.fork(label).fork(i));

  const scores = Object.entries(filters).map(([name, filter]) => scoring(name, filter));
  const slopes: number[] = [];
  const others: number[] = [];
  for (let i = 0; i < episodes; i++) {
    const events = drawn("episode", i);
    for (const score of scores) score.add(events);
    slopes.push(massSlope(machine, events));
    others.push(mean(surprises(filters.exact, drawn("other", i)).slice(DROPPED)));
    yield { done: i + 1, of };
  }
  const entropyRate = estimate(others);
  const underflow: Underflow[] = [];
  for (const precision of precisions) {
    const stream = rng.fork(`underflow ${precision}`);
    underflow.push(
      measureUnderflow(machine, { spacing }, precision, entropyRate.mean, UNDERFLOW_EPISODES, stream),
    );
    yield { done: episodes + underflow.length, of };
  }
  return {
    setting: { variables, probability, spacing, reveals: episodes * COUNTED, seed, window, episodes },
    filters: scores.map((score) => score.result(scores[0].nats)),
    massSlope: estimate(slopes),
    entropyRate,
    underflow,
  };
}

function drawn200(machine: Machine, spacing: number, rng: Rng): Event[] {
  return drawEpisode(machine, { reveals: DROPPED + COUNTED, spacing }, rng);
}

/** Follows episode after episode with one filter. */
function scoring(name: string, filter: Filter) {
  const calibration = calibrator();
  const nats: number[] = [];
  return {
    nats,
    add(events: readonly Event[]) {
      let paid = 0;
      let reveals = 0;
      for (const { shares, answer } of follow(filter, events)) {
        if (++reveals <= DROPPED) continue;
        paid -= Math.log(shares[answer]);
        calibration.add(shares, answer);
      }
      nats.push(paid / (reveals - DROPPED));
    },
    result: (exact: readonly number[]): FilterScore => ({
      filter: name,
      nats: estimate(nats),
      aboveExact: estimate(nats.map((paid, i) => paid - exact[i])),
      calibration: calibration.result(),
    }),
  };
}

/** (ln mass after the dropped reveals − ln mass at the end) / reveals between. */
function massSlope(machine: Machine, events: readonly Event[]): number {
  const logs = Array.from(follow(jointFilter(machine, "float64"), events), ({ after }) =>
    Math.log(massOf(after)),
  );
  const last = logs.length - 1;
  return (logs[DROPPED - 1] - logs[last]) / (last - DROPPED + 1);
}
