/**
 * @file Mass decay: what each filter pays a reveal, how fast the joint filter loses its mass, and when it is gone.
 *
 *     n variables; each command names a pair, all equally likely, and swaps it with probability p, unseen; after every r
 *     commands one variable, all equally likely, is revealed. Episodes start known.
 *
 * The slope of ln(mass) is compared with an entropy rate from elsewhere: what the exact filter pays on other episodes,
 * and for three variables the bounds that are found by listing everything that can happen.
 */

import { permutationMachine } from "../../core/permutation-walk.ts";
import type { PartsDone } from "../../core/progress.ts";
import { rngFrom } from "../../core/rng.ts";
import { type EntropyBounds, entropyRateBounds } from "./block-entropy.ts";
import { type Decay, decaySteps } from "./decay.ts";
import { swapWalk } from "./exact.ts";
import type { Filter } from "./filter.ts";
import { marginalFilter, marginalRules } from "./marginal.ts";

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

/** The same, with a stop after each part of the work. */
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
