/**
 * @file Filters on episodes of any machine: what they pay, whether they are calibrated, and what becomes of the mass.
 *
 *     an episode     actions and questions uniform, `spacing` actions a reveal; the first 20 reveals are dropped,
 *                    the next 200 counted
 *     the slope      (ln mass after the dropped reveals − ln mass at the end) / reveals between, in float64
 *     the rate       nats a reveal of the exact filter, on other episodes
 */

import { precisions, smallestNormal } from "../../core/half-precision.ts";
import type { Event, Machine } from "../../core/hidden-markov.ts";
import { permutationMachine } from "../../core/permutation-walk.ts";
import type { PartsDone } from "../../core/progress.ts";
import { type Rng, rngFrom } from "../../core/rng.ts";
import { mean } from "../../core/statistics.ts";
import { type EntropyBounds, entropyRateBounds } from "./block-entropy.ts";
import {
  exactFilter,
  type Filter,
  jointFilter,
  runFilter,
  surprises,
  swapWalk,
  totalMass,
  windowedFilter,
} from "./filter.ts";
import { marginalFilter, marginalRules } from "./marginal.ts";
import { measureUnderflow, type Underflow } from "./normalization-loss.ts";
import { drawEpisode } from "./sample-trajectory.ts";
import { type Calibration, calibrator, type Estimate, estimate } from "./score.ts";

export interface FilterScore {
  readonly filter: string;
  /** Nats a reveal. */
  readonly nats: Estimate;
  /** Nats a reveal above the exact filter on the same episodes. */
  readonly aboveExact: Estimate;
  readonly calibration: Calibration;
}

export interface Decay {
  readonly episodes: number;
  /** "exact" first, "windowed" second. */
  readonly filters: readonly FilterScore[];
  /** The decrease of ln(mass) per reveal, in the unnormalized float64 filter. */
  readonly massSlope: Estimate;
  /** −ln(mass) after so many reveals of an episode, all of them, for which no episode has left float64's normal range. */
  readonly fall: readonly { readonly reveals: number; readonly nats: Estimate }[];
  /** Nats a reveal that the exact filter pays on other episodes, as many. */
  readonly entropyRate: Estimate;
  readonly underflow: readonly Underflow[];
}

export interface DecayPlan {
  readonly spacing: number;
  /** Actions that the windowed filter sees. */
  readonly window: number;
  /** Counted reveals; rounded up to whole episodes, at least two. */
  readonly reveals: number;
  /** Over how many episodes each precision's underflow is measured; 32 by default. */
  readonly underflowEpisodes?: number;
}

const DROPPED = 20;
const COUNTED = 200;
const UNDERFLOW_EPISODES = 32;
/** Reveals between two points of the fall. */
const STRIDE = 20;

/** Follows the exact, the windowed and the given filters; yields after each part of the work. */
export function* decaySteps(
  machine: Machine,
  others: Readonly<Record<string, Filter>>,
  { spacing, window, reveals, underflowEpisodes = UNDERFLOW_EPISODES }: DecayPlan,
  rng: Rng,
): Generator<PartsDone, Decay> {
  const exact = exactFilter(machine);
  const filters = { exact, windowed: windowedFilter(machine, window), ...others };
  const scores = Object.entries(filters).map(([name, filter]) => scoring(name, filter as Filter));
  const episodes = Math.max(2, Math.ceil(reveals / COUNTED));
  const of = episodes + precisions.length;
  const drawn = (label: string, i: number) =>
    drawEpisode(machine, { reveals: DROPPED + COUNTED, spacing }, rng.fork(label).fork(i));
  const masses: number[][] = [];
  const elsewhere: number[] = [];
  for (let i = 0; i < episodes; i++) {
    const events = drawn("episode", i);
    for (const score of scores) score.add(events);
    masses.push(massesAlong(machine, events));
    elsewhere.push(mean(surprises(exact, drawn("other", i)).slice(DROPPED)));
    yield { done: i + 1, of };
  }
  const entropyRate = estimate(elsewhere);
  const underflow: Underflow[] = [];
  for (const precision of precisions) {
    const stream = rng.fork(`underflow ${precision}`);
    const options = { spacing, episodes: underflowEpisodes };
    underflow.push(measureUnderflow(machine, precision, entropyRate.mean, options, stream));
    yield { done: episodes + underflow.length, of };
  }
  return {
    episodes,
    filters: scores.map((score) => score.result(scores[0].nats)),
    massSlope: estimate(masses.map(slopeOf)),
    fall: fallOf(masses),
    entropyRate,
    underflow,
  };
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
      for (const { shares, answer } of runFilter(filter, events)) {
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

/** The mass after each reveal, for as long as it keeps all its digits. */
function massesAlong(machine: Machine, events: readonly Event[]): number[] {
  const masses = Array.from(runFilter(jointFilter(machine, "float64"), events), ({ after }) =>
    totalMass(after),
  );
  return masses.slice(0, masses.findLastIndex((mass) => mass >= smallestNormal("float64")) + 1);
}

/** Nats per reveal after the dropped ones. */
function slopeOf(masses: readonly number[]): number {
  return Math.log(masses[DROPPED - 1] / masses[masses.length - 1]) / (masses.length - DROPPED);
}

function fallOf(masses: readonly (readonly number[])[]): Decay["fall"] {
  const shortest = Math.min(...masses.map(({ length }) => length));
  return Array.from({ length: Math.floor(shortest / STRIDE) }, (_, i) => {
    const reveals = (i + 1) * STRIDE;
    return { reveals, nats: estimate(masses.map((each) => -Math.log(each[reveals - 1]))) };
  });
}

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
  /** Over how many episodes each precision's underflow is measured; 32 by default. */
  readonly underflowEpisodes?: number;
}

export interface MassDecay extends Decay {
  readonly setting: Required<Omit<MassDecayOptions, "underflowEpisodes">>;
  /** Of three variables or fewer, where listing everything is cheap enough. */
  readonly bounds?: EntropyBounds;
}

export function massDecay(options: MassDecayOptions): MassDecay {
  const steps = massDecaySteps(options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * Mass decay: what each filter pays a reveal, how fast the joint filter loses its mass, and when it is gone.
 *
 *     n variables; each command names a pair, all equally likely, and swaps it with probability p, unseen; after every r
 *     commands one variable, all equally likely, is revealed. Episodes start known.
 *
 * The slope of ln(mass) is compared with an entropy rate from elsewhere: what the exact filter pays on other episodes,
 * and for three variables the bounds that are found by listing everything that can happen.
 */
export function* massDecaySteps(options: MassDecayOptions): Generator<PartsDone, MassDecay> {
  const { variables, probability, spacing, seed, reveals, underflowEpisodes } = options;
  const window = options.window ?? 2 * spacing;
  const walk = swapWalk(variables, probability);
  const marginals = marginalRules.map((rule) => [rule, marginalFilter(walk, rule)]);
  const others = Object.fromEntries(marginals) as Readonly<Record<string, Filter>>; // each knows its own belief
  const rng = rngFrom(seed).fork(`mass-decay ${variables} ${probability} ${spacing}`);
  const plan = { spacing, window, reveals, ...(underflowEpisodes !== undefined && { underflowEpisodes }) };
  const decay = yield* decaySteps(permutationMachine(walk), others, plan, rng);
  const longest = longestBlock(variables, spacing);
  return {
    setting: { variables, probability, spacing, reveals, seed, window },
    ...decay,
    ...(longest >= 2 && { bounds: entropyRateBounds(walk, spacing, longest) }),
  };
}

const MOST_PATHS = 1e6;

/** The most reveals of which all paths can be listed in about a second; 0 for more than three variables. */
function longestBlock(variables: number, spacing: number): number {
  if (variables > 3) return 0;
  const pairs = (variables * (variables - 1)) / 2;
  const eachReveal = (2 * pairs) ** spacing * variables;
  const orders = variables === 3 ? 6 : 2;
  return Math.min(6, Math.floor(Math.log(MOST_PATHS / orders) / Math.log(eachReveal)));
}
