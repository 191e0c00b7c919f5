/**
 * @file What does a trained model hold where the state can only be known as probabilities? Its nats above the exact filter.
 *
 *     task      three variables; a line maybe swaps two of them, unseen (p = 1/4); one is printed after every line
 *     trained   a mixture: all are printed at every reveal (8 lines), at every 2nd (12), every 4th and every 8th (16)
 *     recipes   belief-models.recipes.yaml: each model's own, of one space for all (recipes.ts)
 *     tested    every reveal full (8 lines); every 8th (16 lines); never (48 lines from a known start)
 *     measured  nats paid before each reveal, above the exact filter on the same programs, by the number of partial reveals
 *               since the last full one or the known start; beside it what marginals would pay
 *
 * A's abstract says that linear RNNs can be worse than nonlinear ones at probabilistic automata with reveals: linear
 * recurrences cannot renormalise, so they may fall behind as partial reveals follow one another, where the nonlinear ones
 * (LSTM, GRU) stay near the exact filter. "Can be" is not "are", so no outcome here is against it; and what is measured is
 * what was learned in so many steps, not what could be held.
 *
 * Source: A, arXiv:2602.14814, its abstract (the whole text was not read); the task's form and sizes are our own.
 */

import { mean, studentInterval } from "../../src/math/statistics.ts";
import { counted, listed } from "../../src/report/index.ts";
import { architectures, described } from "../engine/architectures.ts";
import { type ClaimOf, crossed, defineExperiment } from "../engine/define.ts";
import type { PlannedTest, Scale, UnreadResult } from "../engine/experiment.ts";
import { readRecipes, runBy, unsearchedRecipes } from "../engine/recipes.ts";
import { PAPER, SMOKE } from "../engine/sizes.ts";
import { A, OWN_QUESTION } from "../engine/sources.ts";
import { hadNotLearned, notLearned } from "../engine/words.ts";
import { measureNats, natsAboveExact } from "./belief-nats.ts";
import {
  type BeliefSettings,
  belowMarginals,
  FULL_REVEALS,
  far,
  longestTrained,
  nats,
  nearestInAll,
} from "./belief-read.ts";
import { nearnessView, summaryTable } from "./belief-views.ts";
import { beliefSearches, changeOf, curricula } from "./recipes.ts";

const linear = ["deltanet[-1,1]", "deltanet[0,1]"] as const;
const nonlinear = ["lstm", "gru"] as const;
const compared = [...linear, ...nonlinear, "transformer"] as const;

const kinds = {
  smoke: [
    [4, 1],
    [4, 2],
  ],
  laptop: [
    [8, 1],
    [12, 2],
    [16, 4],
    [16, 8],
  ],
  paper: [
    [16, 1],
    [32, 2],
    [64, 4],
    [64, 16],
  ],
} as const;

const unsearched = (
  scale: Scale,
  { memory: _, ...setup }: Parameters<typeof unsearchedRecipes>[1] & { memory?: number },
) => unsearchedRecipes(compared, setup, curricula(kinds[scale])["ever rarer full reveals"]);

const settings: Record<Scale, BeliefSettings> = {
  smoke: {
    ...{ variables: 3, trained: kinds.smoke, beyond: 6 },
    recipes: unsearched("smoke", { ...SMOKE, train: { ...SMOKE.train, learningRate: 1e-2 } }),
    ...{ programs: 24, device: SMOKE.device },
  },
  laptop: {
    ...{ variables: 3, trained: kinds.laptop, beyond: 48 },
    recipes: readRecipes(new URL("./belief-models.recipes.yaml", import.meta.url), compared),
    trainedOn: 24_000,
    ...{ programs: 500, device: "cpu" },
  },
  paper: {
    ...{ variables: 5, trained: kinds.paper, beyond: 256 },
    recipes: unsearched("paper", { ...PAPER, train: { ...PAPER.train, learningRate: 5e-4 } }),
    ...{ programs: PAPER.programs, device: PAPER.device },
  },
};

const PROBABILITY = 0.25;
/** The last kind is that of the held-out programs; each stage of a curriculum has its own. */
const taskOf = ({ variables, trained }: Pick<BeliefSettings, "variables" | "trained">) => ({
  ...{ name: "pfsa", variables, probability: PROBABILITY, spacing: 1 },
  ...changeOf(trained[trained.length - 1]),
});

function testsOf({ variables, trained, beyond }: BeliefSettings): Omit<PlannedTest, "asTrained">[] {
  const chance = 1 / variables;
  return [
    { name: FULL_REVEALS, change: changeOf(trained[0]), chance },
    { name: "as trained", change: changeOf(trained[trained.length - 1]), chance },
    { name: "beyond", change: changeOf([beyond, 0]), chance },
  ];
}

/** For each seed the nats a reveal by which a nonlinear recurrence is nearer the exact filter than the better DeltaNet. */
function nearerThanLinear(
  result: UnreadResult,
  setup: BeliefSettings,
  model: (typeof nonlinear)[number],
): number[] {
  const theirs = linear.map((each) => far(result, setup, each));
  return far(result, setup, model).flatMap((own, i) => {
    const others = theirs.flatMap((values) => values[i] ?? []);
    return others.length === 0 ? [] : [Math.min(...others) - own];
  });
}

/** Whether Student's interval over the seeds leaves open which of the two is nearer. */
function isOpen(gaps: readonly number[]): boolean {
  const [low, high] = studentInterval(gaps);
  return low <= 0 && high >= 0;
}

/** From so many partial reveals on float32 leaves its normal range at a factor of 1/5 each (mass-decay). */
const HORIZON = 54;

/** Whether A's barrier can be seen at all: it begins where the mass is lost. */
function belowHorizon({ beyond }: Pick<BeliefSettings, "beyond">): string[] {
  const longest = beyond - 1; // the last reveal is asked after all others
  return longest >= HORIZON
    ? []
    : [
        `At most ${longest} partial reveals in a row were tested, below the ${HORIZON} at which float32 loses the mass at a factor of 1/5 (mass-decay): whether linear recurrences fail beyond that is not decided here.`,
      ];
}

export const beliefModels = defineExperiment<BeliefSettings>({
  name: "belief-models",
  question:
    "Where the state can only be known as probabilities, which model comes near the exact filter, and does it stay near?",
  about: "which model comes near the exact filter, and stays near",
  publishedIn: "A, abstract",
  models: described(compared),
  settings,
  published: [
    ...nonlinear.map(
      (model): ClaimOf<BeliefSettings> => ({
        source: `${A}, abstract`,
        statement: `Linear RNNs can be worse than nonlinear ones at probabilistic automata with reveals (${architectures[model].label})`,
        here: "nats a reveal by which it is nearer the exact filter than the better DeltaNet, after more partial reveals than were trained: above 0 they are worse",
        models: [model, ...linear],
        unit: "nats",
        measure: (result, setup) => nearerThanLinear(result, setup, model),
      }),
    ),
    ...compared.map(
      (model): ClaimOf<BeliefSettings> => ({
        source: OWN_QUESTION,
        statement: `${architectures[model].label}: nats a reveal above the exact filter, after more partial reveals than were trained`,
        models: [model],
        unit: "nats",
        measure: (result, setup) => far(result, setup, model),
      }),
    ),
  ],
  searches: beliefSearches(compared, {
    task: taskOf(settings.laptop),
    ...{ kinds: kinds.laptop, beyond: settings.laptop.beyond, programs: 200 },
  }),
  measurements: [natsAboveExact],
  measureRun: measureNats,

  plan: (setup, seeds) => ({
    runs: crossed(seeds, compared).map(([seed, model]) => ({
      ...{ setting: "", model },
      ...runBy(setup.recipes[model], taskOf(setup), { ...setup, seed }, testsOf(setup), setup.trainedOn),
    })),
    sample: { commands: 4, fullEvery: 2 },
  }),

  findings(result, setup) {
    const not = notLearned(result, compared);
    const hasLearned = (model: (typeof compared)[number]) => !not.includes(model);
    const nearer = nonlinear.flatMap((model) => {
      if (!hasLearned(model) || !linear.some(hasLearned)) return [];
      const gaps = nearerThanLinear(result, setup, model);
      const agreeing = gaps.filter((gap) => gap > 0).length;
      if (gaps.length === 0 || agreeing === gaps.length) return [];
      return [
        `${architectures[model].label} is nearer the exact filter than the better DeltaNet in ${agreeing} of ${gaps.length} seeds; on average it is ${nats(Math.abs(mean(gaps)))} ${mean(gaps) > 0 ? "nearer" : "farther"}${isOpen(gaps) ? ", in an interval that contains 0" : ""}.`,
      ];
    });
    const uniform = Math.log(setup.variables);
    const lost = compared.flatMap((model) => {
      if (!hasLearned(model)) return [`${hadNotLearned([architectures[model].label])}.`];
      const rows = natsAboveExact.of(result, { model, at: { test: "beyond" } });
      const paid = mean(rows.map(({ values }) => values.nats));
      return rows.length > 0 && paid > 0.9 * uniform
        ? [
            `${architectures[model].label} pays ${nats(paid)} beyond training, where a uniform guess pays ${nats(uniform)}.`,
          ]
        : [];
    });
    return [...nearer, ...lost, ...belowHorizon(setup)];
  },

  report(result, setup) {
    const above = (model: (typeof compared)[number]) => mean(far(result, setup, model));
    const present = compared.filter((model) => far(result, setup, model).length > 0);
    const byNearness = present.toSorted((a, b) => above(a) - above(b));
    const said = byNearness.map((model) => `${architectures[model].label} ${nats(above(model))}`);
    const [nearest] = byNearness;
    const not = notLearned(result, present);
    const [best] = byNearness.filter((model) => !not.includes(model));
    const unlearned =
      not.length === 0 ? "" : `; ${hadNotLearned(not.map((model) => architectures[model].label))}`;
    const near = present.filter((model) => belowMarginals(result, setup, model));
    const most = longestTrained(setup);
    const marginals = natsAboveExact
      .of(result, { model: nearest, at: { test: "beyond" } })
      .filter(({ at }) => Number(at.partials) > most);
    const linearPays = mean(marginals.map(({ values }) => values.rowColumn));
    const guessPays = Math.log(setup.variables) - mean(marginals.map(({ values }) => values.exact));
    const table = summaryTable(result, setup, present);
    return {
      title:
        best === undefined
          ? "No model had learned its training in this budget"
          : nearestInAll(result, setup, best, present)
            ? `${architectures[best].label} stays nearest to the exact filter, ${nats(above(best))} above it${unlearned}`
            : `No model stays nearest to the exact filter in every seed; on average ${architectures[best].label} does, ${nats(above(best))} above it${unlearned}`,
      lead: `After more than ${counted(most, "partial reveal")} in a row, which is more than in training, the models pay above the exact filter, a reveal: ${listed(said)}. Marginals with linear writes of row and column would pay ${nats(linearPays)}, a uniform guess ${nats(guessPays)}.`,
      views: [
        {
          heading: "How far from what can be known",
          text:
            "Before each reveal a model states a probability for every word, and pays minus the logarithm of what it gave to the true value. The exact filter, on the same programs, pays the least that is possible; what is drawn is the difference. " +
            "At 0 the state was known until one line ago; every partial reveal since then shows one variable and leaves the rest to be inferred. Right: programs without any full reveal, longer than trained ones.",
          caption:
            "Nats above the exact filter; strong line: mean over seeds. Row + column, Sinkhorn: marginals in plain numbers, the first by linear updates, the second not. The dotted level is what a uniform guess pays in the long run.",
          figures: nearnessView(result, setup, present),
          table,
        },
        ...(near.length === 0 || near.length === present.length
          ? []
          : [
              {
                heading: "The same, of who stays below linear marginals",
                text: "Only the models that pay less, beyond training, than marginals with linear writes of row and column.",
                caption: "As above, on a scale of its own.",
                figures: nearnessView(result, setup, near).map(({ levels: _, ...figure }) => figure),
              },
            ]),
      ],
      untabled: [natsAboveExact.id],
      table: {
        table,
        legend: [
          "  Nats a reveal that are paid above the exact filter on the same programs, by partial reveals since the state was known;",
          "  with several seeds their mean (lowest to highest). Marginals: in plain numbers, for comparison",
        ],
      },
    };
  },
});
