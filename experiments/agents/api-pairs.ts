/**
 * @file How many pairs of calls do sampled API traces have, if rare pairs come first, and by uniform walks?
 *
 *     pair       a call, and the last call that wrote what it reads: login('ann') -> pull('x')
 *     work       traces of eight calls, by each walk; pairs are counted after each trace
 *     baseline   the better of two uniform walks: any possible call, or any that is new in the trace
 *     settings   the domains of the task `api`
 *
 * Nothing is trained. Expected: 1.5 times as many pairs after 50 traces. Source: StateGen (YuhengHuang42/stateful_bench).
 */

import { rngFrom } from "../../src/core/rng.ts";
import { mean } from "../../src/core/statistics.ts";
import { domains } from "../../src/tasks/api/index.ts";
import { coverage, fresh, rare, uniform } from "../../src/tasks/api/sampler.ts";
import { apiMachine } from "../../src/tasks/api/state-machine.ts";
import {
  atLeast,
  defineExperiment,
  defineMeasurement,
  type Measuring,
  measuredLine,
  type PlannedWork,
  type UnreadResult,
  workOf,
} from "../runner/index.ts";

/** The pairs are compared after so many traces. */
const laptop = { calls: 8, traces: 50 };
type Settings = typeof laptop;
const settings = {
  smoke: { ...laptop, traces: 5 },
  laptop,
  paper: { ...laptop, traces: 500 },
};

const MORE = 1.5;
/** Traces after which pairs are shown. */
const shown = [1, 2, 5, 10, 20, 50, 100, 200];
const walks = { rare, fresh, uniform };
type Walk = keyof typeof walks;
type Domain = keyof typeof domains;
const names = Object.keys(domains) as Domain[];

const pairsSeen = defineMeasurement({
  id: "pairsSeen",
  label: "different pairs of calls",
  at: { traces: "traces" },
  values: { pairs: "pairs" },
});

function* measureWork({ seed, setting, model, options }: PlannedWork<Settings, Walk, Domain>): Measuring {
  const { calls: length, traces } = options;
  const walk = walks[model];
  const { pairs } = coverage(apiMachine(domains[setting]), { traces, length }, walk, rngFrom(seed));
  yield { done: 1, of: 1 };
  const at = shown.filter((count) => count < traces);
  return [...at, traces].map((count) =>
    pairsSeen.row({ at: { traces: count }, values: { pairs: pairs[count - 1] } }),
  );
}

/** For each seed the pairs with rare pairs first over those of the better uniform walk, after all traces. */
const relative = (result: UnreadResult, { traces }: Settings, setting: string) =>
  result.seeds.flatMap((seed) => {
    const [first, ...others] = Object.keys(walks).map(
      (model) =>
        pairsSeen.of(result, { setting, model, seed, at: { traces } })[0]?.values.pairs ?? Number.NaN,
    );
    return Number.isNaN(first) ? [] : [first / Math.max(...others)];
  });

export const apiPairs = defineExperiment<Settings>({
  name: "api-pairs",
  question: "How many more pairs of calls do traces have if rare pairs are sampled first?",
  about: "How many pairs of API calls do sampled traces have? Trains nothing",
  publishedIn: "StateGen",
  models: {
    rare: { label: "rare pairs first", summary: "" },
    fresh: { label: "uniform walk without repeated calls", summary: "" },
    uniform: { label: "uniform walk", summary: "" },
  },
  settings,
  published: names.map((setting) => ({
    statement: `Traces of ${setting} have more pairs of calls if rare pairs are sampled first`,
    ...{ models: Object.keys(walks), setting, unit: "number" },
    here: "different pairs after all traces, relative to the better of two uniform walks",
    measure: (result, setup) => relative(result, setup, setting),
  })),
  measurements: [pairsSeen],
  measureWork,

  plan: (setup, seeds) => workOf(setup, seeds, Object.keys(walks), names),

  checks: (result, setup) =>
    names.flatMap((setting) =>
      atLeast(
        `${setting}: pairs relative to the better uniform walk`,
        relative(result, setup, setting),
        MORE,
        "number",
      ),
    ),

  report: (result, setup) => ({
    views: [
      {
        heading: "Pairs by traces",
        text: `On average ${mean(names.flatMap((setting) => relative(result, setup, setting))).toFixed(2)} times the pairs of the better uniform walk.`,
        caption: "Strong line: mean over seeds.",
        figures: names.map((setting) => ({
          ...{ kind: "numbers", title: setting, yLabel: "different pairs of calls", xLabel: "traces" },
          lines: Object.keys(walks).map((model, index) => ({
            label: model,
            index,
            seeds: measuredLine(pairsSeen.of(result, { setting, model }), "traces", "pairs"),
          })),
        })),
      },
    ],
    untabled: [pairsSeen.id],
  }),
});
