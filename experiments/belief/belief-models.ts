/**
 * @file What does a trained model know where the state can only be known as probabilities? Its nats above the exact filter.
 *
 *     task      three variables; a line maybe swaps two of them, unseen (p = 1/4); one is printed after every line
 *     trained   a mixture: all are printed at every reveal (8 lines), at every 2nd (12), every 4th and every 8th (16)
 *     recipes   belief-models.recipes.yaml: each model's own, of one space for all
 *     tested    every reveal full (8 lines); every 8th (16 and 400 lines); never (400 lines from a known start)
 *     measured  nats paid before each reveal, above the exact filter on the same programs, by the number of partial reveals
 *               since the last full one or the known start; compared with what marginals pay
 *
 * A's abstract says that linear RNNs can be worse than nonlinear ones at probabilistic automata with reveals: linear
 * recurrences cannot renormalise, so they may lose accuracy as partial reveals follow one another, where the nonlinear ones
 * (LSTM, GRU) stay near the exact filter. "Can be" is not "are", so no outcome here is against it; and what is measured is
 * what was learned in so many steps, not what could be held.
 *
 * Source: A, arXiv:2602.14814, its abstract (the whole text was not read); the task's form and sizes are our own.
 */

import { type MarginalRule, marginalFilter, surprises } from "../../src/analysis/belief/index.ts";
import { type TrainedRun, testAbout } from "../../src/app/run/open.ts";
import type { PermutationWalk } from "../../src/core/permutation-walk.ts";
import { mean, standardError } from "../../src/core/statistics.ts";
import type { NumbersFigure, PlainTable } from "../../src/report/index.ts";
import { CurriculumConfig, type RunConfig } from "../../src/schemas/run-config.ts";
import { SearchSpace } from "../../src/schemas/search-space.ts";
import { type Example, exampleFrom } from "../../src/tasks/index.ts";
import { readUncertain } from "../../src/tasks/pfsa/parser.ts";
import { evaluate, freshExamples } from "../../src/train/evaluate.ts";
import {
  A,
  about,
  above,
  architectures,
  atLeast,
  atMost,
  crossed,
  defineExperiment,
  defineMeasurement,
  described,
  type Measurements,
  type Measuring,
  type ModelSearch,
  measuredLine,
  modelLabel,
  PAPER,
  type PlannedRun,
  type PlannedTest,
  type Recipe,
  readRecipes,
  recipeSpace,
  runBy,
  type Scale,
  type Searched,
  SMOKE,
  type UnreadResult,
  unsearchedRecipes,
} from "../runner/index.ts";

/** Lines of a program, and every so many reveals one is full. */
export type Kind = readonly [commands: number, fullEvery: number];

export const commandChange = ([commands, fullEvery]: Kind) => ({ commands, fullEvery });

/** More than naming what was seen last gets of the second kind, less than the exact filter of the third. */
const ENOUGH = { threshold: 0.8, averagingWindow: 1000 } as const;

/** Lines of the first lesson of one curriculum. */
const SHORT = 3;

/** By name; `kinds` from frequent full reveals to rare ones. */
export function curricula(kinds: readonly Kind[]): Readonly<Record<string, CurriculumConfig>> {
  const all = kinds.map(commandChange);
  const [densest] = all;
  const short = { ...densest, commands: SHORT };
  const rarer = kinds.slice(2).map((_, i) => all.slice(0, i + 2));
  const stages = {
    "all at once": [all],
    "full reveals first": [[densest], all],
    "ever rarer full reveals": [[densest], ...rarer, all],
    "full reveals of short programs first": [[short], [short, densest], ...rarer, all],
  };
  return Object.fromEntries(
    Object.entries(stages).map(([name, each]) => [name, CurriculumConfig.parse({ stages: each, ...ENOUGH })]),
  );
}

interface Searching {
  readonly task: RunConfig["task"];
  readonly kinds: readonly Kind[];
  /** Lines of a program without any full reveal. */
  readonly beyond: number;
  /** Fresh programs per test. */
  readonly programs: number;
}

/** A search for each model, scored by the likelihood of the true values relative to the exact filter. */
export function beliefSearches(
  models: readonly Searched[],
  { task, kinds, beyond, programs }: Searching,
): ModelSearch[] {
  const tests = [...kinds, [beyond, 0] as const].map(commandChange);
  return models.map((model) => ({
    model,
    config: {
      task,
      train: { minLearningRateRatio: 0.05, padding: "bucket" },
      evaluate: { examples: programs, settings: tests },
    },
    space: SearchSpace.parse({
      ...{ programs: 16_000, rungs: 2, keep: 3, score: "likelihood" },
      space: { ...recipeSpace(model), curriculum: curricula(kinds) },
    }),
  }));
}

export const natsAboveExact = defineMeasurement({
  id: "natsAboveExact",
  label: "excess loss over the exact filter",
  at: { test: "test", partials: "partial reveals since the state was known" },
  values: {
    exact: "exact",
    nats: "nats",
    above: "above",
    standardError: "standard error",
    row: "marginals: row",
    rowColumn: "row + column",
    sinkhorn: "Sinkhorn",
  },
});

/**
 * For each reveal of a program the number of partial reveals since the last full one, or the known start;
 * undefined for all values of a full reveal but the first, since the first has just shown the state.
 */
export function partialsBefore(
  { reveals }: Pick<Example, "reveals">,
  variables: number,
): (number | undefined)[] {
  let partials = 0;
  return reveals.map(({ commands }, i) => {
    if (reveals[i - 1]?.commands === commands) return undefined;
    const now = partials;
    const full = variables > 1 && reveals[i + variables - 1]?.commands === commands;
    partials = full ? 0 : partials + 1;
    return now;
  });
}

/** Nats that marginals pay at each reveal of a program. Values are named by the variable that held them at first. */
export function marginalSurprises(text: string, rule: MarginalRule): number[] {
  const { variables, start, steps } = readUncertain(text);
  const commands = steps.flatMap((step) => (step.kind === "command" ? [step.command] : []));
  const walk: PermutationWalk = {
    variables: variables.length,
    commands,
    start: start === undefined ? "uniform" : "known",
  };
  let ran = 0;
  const events = steps.map((step) =>
    step.kind === "command"
      ? { kind: "act" as const, action: ran++ }
      : {
          kind: "reveal" as const,
          question: step.variable,
          answer: start?.indexOf(step.value) ?? step.value,
        },
  );
  return surprises(marginalFilter(walk, rule), events);
}

/** Places with fewer reveals than this say too little. */
const LEAST = 20;

async function* measureNats(run: TrainedRun, { tests, config }: PlannedRun): Measuring {
  const rows: Measurements[number][] = [];
  for (const [i, { name, change }] of tests.entries()) {
    yield { done: i, of: tests.length };
    const test = testAbout(run, change, config.evaluate.examples);
    const answers = await evaluate(run.model, { tree: run.tree, data: run.weights }, test, run.runtime);
    const paid = answers.surprises?.vocabulary ?? []; // a model's answers have them
    const places = freshExamples(test);
    const at = new Map<number, { nats: number; exact: number; marginals: Record<MarginalRule, number> }[]>();
    for (const [program, place] of places.entries()) {
      const example = exampleFrom(test.prepared, test.stream(place));
      const row = marginalSurprises(example.text, "row");
      const both = marginalSurprises(example.text, "row+column");
      const scaled = marginalSurprises(example.text, "sinkhorn");
      for (const [reveal, partials] of partialsBefore(example, test.prepared.variables.length).entries()) {
        if (partials === undefined) continue;
        const { posterior, value } = example.reveals[reveal];
        const here = at.get(binOf(partials)) ?? [];
        here.push({
          nats: paid[program][reveal],
          exact: -Math.log(posterior![value]), // this task gives a posterior to every reveal
          marginals: { row: row[reveal], "row+column": both[reveal], sinkhorn: scaled[reveal] },
        });
        at.set(binOf(partials), here);
      }
    }
    for (const [partials, paidHere] of [...at].toSorted(([a], [b]) => a - b)) {
      if (paidHere.length < LEAST) continue;
      const above = (of: (each: (typeof paidHere)[number]) => number) =>
        mean(paidHere.map((each) => of(each) - each.exact));
      rows.push(
        natsAboveExact.row({
          at: { test: name, partials },
          values: {
            exact: mean(paidHere.map(({ exact }) => exact)),
            nats: mean(paidHere.map(({ nats }) => nats)),
            above: above(({ nats }) => nats),
            standardError: standardError(paidHere.map(({ nats, exact }) => nats - exact)),
            row: above(({ marginals }) => marginals.row),
            rowColumn: above(({ marginals }) => marginals["row+column"]),
            sinkhorn: above(({ marginals }) => marginals.sinkhorn),
          },
        }),
      );
    }
  }
  return rows;
}

/** One place for each of 0 to 8, then wider ones, named by their middle: 10.5 is 9 to 12. */
function binOf(partials: number): number {
  if (partials <= 8) return partials;
  const [from, width] = partials <= 24 ? [8, 4] : partials <= 48 ? [24, 8] : [48, 32];
  return from + Math.floor((partials - from - 1) / width) * width + (width + 1) / 2;
}

interface BeliefSettings {
  readonly variables: number;
  /** Kinds of programs, from frequent full reveals to rare ones. */
  readonly trained: readonly Kind[];
  /** Lines of a program without a full reveal. */
  readonly beyond: number;
  readonly recipes: Readonly<
    Record<"deltanet[-1,1]" | "deltanet[0,1]" | "lstm" | "gru" | "transformer", Recipe>
  >;
  /** Programs that each is trained on, where that is not what was searched. */
  readonly trainedOn?: number;
  /** Fresh programs per test. */
  readonly programs: number;
  readonly device: "cpu" | "cuda";
}

/** The test with the densest reveals: all variables, after every line. */
const FULL_REVEALS = "full reveals";
/** As long as the programs without a full reveal, with those of training: what length alone costs. */
const LONGER = "longer";

const longestTrained = ({ trained }: BeliefSettings) =>
  Math.max(...trained.map(([, fullEvery]) => fullEvery - 1));

type Paid = "above" | "rowColumn" | "sinkhorn";

/** Nats above the exact filter, one number a seed: the mean over the places of a test from `least` to `most` partial reveals. */
function aboveOf(
  result: UnreadResult,
  model: string,
  { test, least, most }: { readonly test: string; readonly least: number; readonly most: number },
  paid: Paid = "above",
): number[] {
  const rows = natsAboveExact
    .of(result, { model, at: { test } })
    .filter(({ at }) => Number(at.partials) >= least && Number(at.partials) <= most);
  return result.seeds.flatMap((seed) => {
    const own = rows.filter((row) => row.seed === seed);
    return own.length === 0 ? [] : [mean(own.map(({ values }) => values[paid]))];
  });
}

/** After more partial reveals than were trained. */
const far = (result: UnreadResult, setup: BeliefSettings, model: string) =>
  aboveOf(result, model, {
    test: "beyond",
    least: longestTrained(setup) + 1,
    most: Number.POSITIVE_INFINITY,
  });

/** Marginal filters, drawn in the same figure. */
const marginals = { rowColumn: "row + column", sinkhorn: "Sinkhorn" } as const;
const rules = Object.keys(marginals) as (keyof typeof marginals)[];

/** As trained, and beyond: one figure each. */
function nearnessView(
  result: UnreadResult,
  setup: BeliefSettings,
  models: readonly string[],
): NumbersFigure[] {
  const order = Object.keys(result.models);
  return (["as trained", "beyond"] as const).map((test): NumbersFigure => {
    const rowsOf = (model: string) => natsAboveExact.of(result, { model, at: { test } });
    const first = rowsOf(models[0] ?? order[0]);
    const exact = mean(first.map(({ values }) => values.exact));
    return {
      kind: "numbers",
      title:
        test === "as trained"
          ? "As trained: a full reveal now and then"
          : "Never a full reveal, longer programs",
      yLabel: "excess loss over the exact filter, nats per reveal",
      xLabel: natsAboveExact.at.partials,
      levels: [{ y: Math.log(setup.variables) - exact, label: "uniform guess" }],
      ...(test === "beyond" && { mark: { x: longestTrained(setup), label: "trained to here" } }),
      lines: [
        ...models.map((model) => ({
          label: modelLabel(result, model),
          index: order.indexOf(model),
          seeds: measuredLine(rowsOf(model), "partials", "above"),
        })),
        ...rules.map((rule) => ({
          label: marginals[rule],
          index: order.length,
          seeds: measuredLine(first, "partials", rule),
        })),
      ],
    };
  });
}

/** Three decimals, and no sign before a zero. */
const rounded = (value: number) => (Math.round(1000 * value) / 1000 || 0).toFixed(3);

function shown(values: readonly number[]): string {
  if (values.length === 0) return "";
  const [low, high] = [Math.min(...values), Math.max(...values)].map(rounded);
  return low === high ? low : `${rounded(mean(values))} (${low} to ${high})`;
}

/** Means over places and seeds: models by what was asked. */
function summaryTable(result: UnreadResult, setup: BeliefSettings, models: readonly string[]): PlainTable {
  const most = longestTrained(setup);
  const ranges = [
    { label: `as trained, up to ${most} partials`, test: "as trained", least: 0, most },
    { label: `${setup.beyond} lines, up to ${most}`, test: LONGER, least: 0, most },
    { label: `no full reveal, up to ${most}`, test: "beyond", least: 0, most },
    {
      label: `no full reveal, more than ${most}`,
      test: "beyond",
      least: most + 1,
      most: Number.POSITIVE_INFINITY,
    },
  ];
  return {
    columns: ["excess loss over the exact filter", ...ranges.map(({ label }) => label)],
    rows: [
      ...models.map((model) => [
        modelLabel(result, model),
        ...ranges.map((range) => shown(aboveOf(result, model, range))),
      ]),
      ...rules.map((rule) => [
        `marginals, ${marginals[rule]}`,
        ...ranges.map((range) => shown(aboveOf(result, models[0], range, rule))),
      ]),
    ],
  };
}

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
  { averagingWindow: _, ...setup }: Parameters<typeof unsearchedRecipes>[1] & { averagingWindow?: number },
) => unsearchedRecipes(compared, setup, curricula(kinds[scale])["ever rarer full reveals"]);

const settings: Record<Scale, BeliefSettings> = {
  smoke: {
    ...{ variables: 3, trained: kinds.smoke, beyond: 6 },
    recipes: unsearched("smoke", { ...SMOKE, train: { ...SMOKE.train, learningRate: 1e-2 } }),
    ...{ programs: 24, device: SMOKE.device },
  },
  laptop: {
    ...{ variables: 3, trained: kinds.laptop, beyond: 400 },
    recipes: readRecipes(new URL("./belief-models.recipes.yaml", import.meta.url), compared),
    trainedOn: 24_000,
    ...{ programs: 200, device: "cpu" },
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
  ...commandChange(trained[trained.length - 1]),
});

function testsOf({ variables, trained, beyond }: BeliefSettings): Omit<PlannedTest, "asTrained">[] {
  const chance = 1 / variables;
  return [
    { name: FULL_REVEALS, change: commandChange(trained[0]), chance },
    { name: "as trained", change: commandChange(trained[trained.length - 1]), chance },
    { name: LONGER, change: commandChange([beyond, trained[trained.length - 1][1]]), chance },
    { name: "beyond", change: commandChange([beyond, 0]), chance },
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

/** -log of the least normal number of float32, nats: a joint belief that is not normalized has less mass after reveals of so many nats. */
const FLOAT32 = 126 * Math.LN2;

/** The partial reveals that take the mass of a joint belief below the range of float32 (mass-decay). */
function horizonOf(result: UnreadResult): number {
  const rows = natsAboveExact.of(result, { at: { test: "beyond" } });
  return FLOAT32 / mean(rows.map(({ values }) => values.exact));
}

/** For each seed the nats a reveal that it pays more, above the exact filter, past the horizon than between training and horizon. */
function morePastHorizon(result: UnreadResult, setup: BeliefSettings, model: string): number[] {
  const horizon = horizonOf(result);
  const before = { test: "beyond", least: longestTrained(setup) + 1, most: horizon };
  const past = aboveOf(result, model, { test: "beyond", least: horizon, most: Number.POSITIVE_INFINITY });
  return aboveOf(result, model, before).flatMap((nats, i) => (i in past ? [past[i] - nats] : []));
}

/** Mean nats a reveal in programs without full reveals, one a seed. */
const paidBeyond = (result: UnreadResult, model: string) =>
  result.seeds.flatMap((seed) => {
    const rows = natsAboveExact.of(result, { model, seed, at: { test: "beyond" } });
    return rows.length === 0 ? [] : [mean(rows.map(({ values }) => values.nats))];
  });

export const beliefModels = defineExperiment<BeliefSettings>({
  name: "belief-models",
  question: "Which models approach the exact filter where swaps are hidden, and do they stay near it?",
  about: "Which models come near the exact Bayes filter?",
  publishedIn: "A, abstract",
  models: described(compared),
  settings,
  published: [
    nonlinear.map((model) => ({
      source: `${A}, abstract`,
      statement: `Linear RNNs can be worse than nonlinear ones at probabilistic automata with reveals (${architectures[model].label})`,
      here: "nats per reveal that it gains on the better DeltaNet, after more partial reveals than trained",
      // "Can be" is not "are".
      agrees: () => "inconclusive",
      models: [model, ...linear],
      unit: "nats",
      measure: (result, setup) => nearerThanLinear(result, setup, model),
    })),
    compared.map((model) => ({
      statement: `${architectures[model].label}: excess loss over the exact filter, nats per reveal, after more partial reveals than were trained`,
      models: [model],
      unit: "nats",
      measure: (result, setup) => far(result, setup, model),
    })),
    compared.map((model) => ({
      statement: `${architectures[model].label} falls behind the exact filter as partial reveals follow one another`,
      here: "excess loss past the range of float32 of a joint belief, less that before, nats per reveal",
      models: [model],
      unit: "nats",
      measure: (result, setup) => morePastHorizon(result, setup, model),
    })),
  ],
  searches: beliefSearches(compared, {
    task: taskOf(settings.laptop),
    ...{ kinds: kinds.laptop, beyond: 48, programs: 200 },
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

  checks(result, setup) {
    return [
      ...nonlinear.flatMap((model) =>
        about(
          [model, ...linear],
          above(
            `${architectures[model].label}: nats nearer the exact filter than the better DeltaNet`,
            nearerThanLinear(result, setup, model),
            0,
            "nats",
          ),
        ),
      ),
      ...compared.flatMap((model) =>
        about(
          [model],
          atMost(
            `${architectures[model].label}: nats per reveal beyond training, over those of a uniform guess`,
            paidBeyond(result, model).map((paid) => paid / Math.log(setup.variables)),
            0.9,
            "number",
          ),
        ),
      ),
      ...linear.flatMap((model) =>
        about(
          [model],
          above(
            `${architectures[model].label}: excess loss past the range of float32, less that before`,
            morePastHorizon(result, setup, model),
            0,
            "nats",
          ),
        ),
      ),
      // The barrier of A begins where the mass is lost.
      ...about(
        [],
        atLeast(
          "tested partial reveals in a row, relative to those that float32 can hold",
          [setup.beyond / horizonOf(result)],
          1,
          "number",
        ),
      ),
    ];
  },

  report(result, setup) {
    const present = compared.filter((model) => far(result, setup, model).length > 0);
    const table = summaryTable(result, setup, present);
    return {
      views: [
        {
          heading: "Excess loss over the exact filter",
          text:
            "The loss is in nats per reveal. No predictor has a lower mean loss than the exact filter. The figure shows the difference on the same programs. " +
            "The axis counts partial reveals since the state was known. Right: programs without a full reveal, longer than trained.",
          caption:
            "Strong line: mean over seeds. Row + column and Sinkhorn: marginals, with linear and nonlinear updates. Dotted: a uniform guess.",
          figures: nearnessView(result, setup, present),
          table,
        },
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
