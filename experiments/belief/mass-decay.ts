/**
 * @file Can a hidden state be remembered by linear updates? What filters pay, and how fast the joint one loses its mass.
 *
 *     settings   n variables; each command names a pair and swaps it with probability p, unseen; a reveal every r commands
 *     work       one setting: exact, windowed and marginal filters; the joint filter's mass in four precisions
 *
 * Nothing is trained. Expected: the mass of the unnormalised joint filter falls exponentially, by the entropy rate of the
 * reveals, so that no precision lasts; marginals do not decay, but with a linear write pay more than the exact filter, and
 * scaled by Sinkhorn's rule hardly more. The entropy rate comes from two independent routes: the exact filter on other
 * episodes, and for three variables a listing of everything that can happen, without any filter.
 *
 * Source: A's findings, arXiv:2602.14814, in words; the numbers are an earlier program's of our own
 * (src/analysis/belief/reference.ts), since A's were not available.
 */

import { massDecaySteps } from "../../src/analysis/belief/index.ts";
import { crossed, defineExperiment } from "../engine/define.ts";
import type { Measuring, PlannedWork, Scale, UnreadResult } from "../engine/experiment.ts";
import { claims, disagreements } from "./mass-decay-claims.ts";
import { filterNats, massFall, massTrajectory, rowsOfDecay, underflow } from "./mass-decay-rows.ts";
import { type FilterName, filters, five, isOfFive, nameOf, three, type Walk } from "./mass-decay-settings.ts";
import { massFigure, natsFigure, underflowTable } from "./mass-decay-views.ts";

interface Settings {
  readonly walks: readonly Walk[];
  readonly reveals: number;
  readonly underflowEpisodes: number;
}

const settings: Record<Scale, Settings> = {
  smoke: { walks: [five[0], five[1], three[0]], reveals: 600, underflowEpisodes: 3 },
  laptop: { walks: [...five, ...three], reveals: 40_000, underflowEpisodes: 32 },
  paper: { walks: [...five, ...three], reveals: 400_000, underflowEpisodes: 128 },
};

function* measureWork({ seed, options }: PlannedWork): Measuring {
  const steps = massDecaySteps({ ...(options as unknown as Walk & { reveals: number }), seed }); // from `plan` below
  for (;;) {
    const step = steps.next();
    if (step.done) return rowsOfDecay(step.value);
    yield step.value;
  }
}

/** `0.15 to 0.43 nats` */
function range(values: readonly number[]): string {
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) =>
    Math.max(0, value).toFixed(2),
  );
  return least === most ? `${least} nats` : `${least} to ${most} nats`;
}

const aboveExact = (result: UnreadResult, model: FilterName) =>
  filterNats
    .of(result, { model })
    .filter(({ setting }) => isOfFive(setting))
    .map(({ values }) => values.aboveExact);

export const massDecay = defineExperiment<Settings>({
  name: "mass-decay",
  question:
    "A program swaps variables by chance, unseen, and now and then shows one. Can what is known of its state be kept by linear updates?",
  about: "can a belief be kept by linear updates (trains nothing)",
  publishedIn: "A, in words",
  models: filters,
  settings,
  published: claims,
  measurements: [filterNats, massFall, underflow, massTrajectory],
  measureWork,

  plan: ({ walks, ...options }, seeds) => ({
    runs: [],
    work: crossed(seeds, walks).map(([seed, walk]) => ({
      setting: nameOf(walk),
      model: "joint",
      seed,
      options: { ...walk, ...options },
    })),
    sample: { name: "pfsa", variables: 5, commands: 8, spacing: 4 },
  }),

  findings: disagreements,

  report(result) {
    const zero = underflow
      .of(result, { at: { precision: "float32" } })
      .filter(({ setting }) => isOfFive(setting))
      .map(({ values }) => values.zeroMeasured);
    const slopes = massFall.of(result).map(({ values }) => values);
    const falls = slopes.map(({ nats }) => nats);
    const linear = [...aboveExact(result, "row"), ...aboveExact(result, "row+column")];
    const worst = Math.max(...slopes.map(({ differenceInErrors }) => Math.abs(differenceInErrors)));
    return {
      title: `Without renormalisation the belief is gone from float32 after ${Math.round(Math.min(...zero))} to ${Math.round(Math.max(...zero))} partial reveals`,
      lead:
        `The joint filter's mass falls by the entropy rate of what is revealed, on a straight line: slope and rate, from other episodes, are at most ${worst.toFixed(1)} standard errors apart. ` +
        `Marginals lose no mass, but written linearly they pay ${range(linear)} a reveal more than the exact filter; scaled by Sinkhorn's rule, which is not linear, ${range(aboveExact(result, "sinkhorn"))}.`,
      views: [
        {
          heading: "What each filter pays",
          text:
            "Before each reveal a filter states a probability for every value, and pays minus the logarithm of what it gave to the true one. The exact filter pays the least that is possible. " +
            "A hidden swap is linear and exact for marginals; a reveal is not, since it says something about the other variables too. Where reveals are rare, marginals with a linear write pay more than who guesses: they are sure of what they do not know.",
          caption:
            "Dotted: what a uniform guess pays, ln 5 nats; where float32 (and bfloat16) begins to lose digits, 1.2e-38. All numbers with their standard errors, over episodes, are in the tables below.",
          figures: [natsFigure(result), massFigure(result)],
        },
        {
          heading: "How long each precision lasts",
          text: `The mass is the probability of everything that was revealed, so it falls by ${range(falls)} a reveal and meets the smallest number of every format. Predicted from the entropy rate alone: reveals for which the mass keeps all its digits (normal), and until it is zero. Measured with every product and sum rounded. Where the mass is spread over many orders it dies earlier, since each of its parts is rounded to zero before their sum would be.`,
          caption:
            "Reveals, mean over episodes. Every state: until a state that is still possible has become zero.",
          figures: [],
          table: underflowTable(result),
          words: 2,
        },
      ],
      untabled: [massTrajectory.id, underflow.id],
    };
  },
});
