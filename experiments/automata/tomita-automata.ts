/**
 * @file Can the automaton of a language be read off a network that has learned it? Tomita's seven languages, from their strings alone.
 *
 *     trained   strings of 1 to 16 symbols; after each: is it in the language so far? One layer of width 32
 *     recipes   tomita-automata.recipes.yaml: each model's own, found on language 5; the state-regularised GRU's with its temperature
 *     read      300 fresh strings of 16: hidden states in clusters, of the state-regularised GRU its own states; then the minimal machine
 *     decided   for strings of every length: is it the language's (analysis/automaton.ts)?
 *     tested    strings of 16, 64 and 256 symbols: does the network itself go on as its automaton does?
 *
 * Expected, as the state-regularised GRU was proposed for: its automaton is the language's in at least five of seven.
 * Source: Wang and Niepert 2019, arXiv:1901.08817 (its abstract; the number is our own); languages Tomita 1982.
 */

import { extractAutomaton } from "../../src/analysis/automaton.ts";
import { collect } from "../../src/app/analyze/record-activations.ts";
import { type TrainedRun, testAbout } from "../../src/app/run/open.ts";
import { rngFrom } from "../../src/core/rng.ts";
import { mean, median } from "../../src/core/statistics.ts";
import { mixerTraits } from "../../src/models/index.ts";
import { percentSign } from "../../src/report/index.ts";
import { hasLearned } from "../../src/schemas/convergence.ts";
import { SearchSpace } from "../../src/schemas/search-space.ts";
import {
  about,
  architectures,
  atEnd,
  atLeast,
  type ClaimOf,
  configBy,
  crossed,
  defineExperiment,
  defineMeasurement,
  described,
  type Measuring,
  type ModelSearch,
  measurementRows,
  OWN_QUESTION,
  type PlannedRun,
  type PlannedTest,
  type Recipe,
  readRecipes,
  type Scale,
  SMOKE,
  type UnreadResult,
  unsearchedRecipes,
} from "../runner/index.ts";

const compared = ["sr-gru", "gru", "lstm"] as const;
type Compared = (typeof compared)[number];

interface Settings {
  readonly languages: readonly number[];
  /** Symbols of a string, at most. */
  readonly longest: number;
  /** Symbols of every string of a test; the first are the longest trained ones. */
  readonly tested: readonly number[];
  readonly recipes: Readonly<Record<Compared, Recipe>>;
  /** Fresh programs per test. */
  readonly programs: number;
  readonly device: "cpu" | "cuda";
}

/** How strings may be taught, by name. */
function curricula(longest: number) {
  const upTo = (length: number) => [{ length: [1, length] }];
  const [eighth, quarter, half] = [longest / 8, longest / 4, longest / 2];
  return {
    "at once": [upTo(longest)],
    "short strings first": [upTo(quarter), upTo(half), upTo(longest)],
    "shortest strings first": [upTo(eighth), upTo(quarter), upTo(half), upTo(longest)],
  };
}

const SIZE = { layers: 1, width: 32, feedForward: 64 } as const;
const unsearched = (longest: number, train: object, model: object = SIZE) =>
  unsearchedRecipes(compared, { model, heads: 1, train }, { stages: curricula(longest)["at once"] });

const settings: Record<Scale, Settings> = {
  smoke: {
    ...{ languages: [1, 5], longest: 8, tested: [8, 16] },
    recipes: unsearched(8, SMOKE.train, SMOKE.model),
    ...{ programs: SMOKE.programs, device: SMOKE.device },
  },
  laptop: {
    ...{ languages: [1, 2, 3, 4, 5, 6, 7], longest: 16, tested: [16, 64, 256] },
    recipes: readRecipes(new URL("./tomita-automata.recipes.yaml", import.meta.url), compared),
    ...{ programs: 300, device: "cpu" },
  },
  paper: {
    ...{ languages: [1, 2, 3, 4, 5, 6, 7], longest: 16, tested: [16, 64, 256, 1024] },
    recipes: unsearched(
      16,
      { steps: 20_000, batch: 32, learningRate: 5e-3, schedule: "cosine" },
      { ...SIZE, width: 64 },
    ),
    ...{ programs: 1000, device: "cuda" },
  },
};

const taskOf = (language: number, { longest }: Pick<Settings, "longest">) => ({
  ...{ name: "tomita", language, length: [1, longest], targets: "each" },
});

/** Membership in the language after each symbol; only the last answer of each string is scored. */
const testOf = (length: number, longest: number): PlannedTest => ({
  ...{ name: `${length} symbols`, change: { length }, asTrained: length <= longest, chance: 1 / 2 },
});

const HARDEST = 5;
/** What is drawn from for all of them: only the state-regularised GRU has a temperature. */
function searchesOf({ longest, tested }: Settings): ModelSearch[] {
  const temperatures = {
    "temperature 1": 1,
    "temperature 0.3": 0.3,
    "temperature 0.1": 0.1,
    "temperature 3": 3,
  };
  return compared.map((model) => {
    const own = { ...architectures[model].model(), ...SIZE };
    const models =
      model === "sr-gru"
        ? Object.fromEntries(
            Object.entries(temperatures).map(([name, temperature]) => [name, { ...own, temperature }]),
          )
        : { "as it is": own };
    return {
      model,
      config: {
        task: taskOf(HARDEST, { longest }),
        train: { minLearningRateRatio: 0.05 },
        evaluate: { examples: 200, settings: tested.map((length) => ({ length })) },
      },
      space: SearchSpace.parse({
        ...{ programs: 96_000, rungs: 3, keep: 3 },
        space: {
          "train.learningRate": { from: 0.001, to: 0.02, scale: "log" },
          "train.batch": [8, 16, 32],
          "train.schedule": ["constant", "cosine"],
          model: models,
          "curriculum.stages": curricula(longest),
        },
      }),
    };
  });
}

const readOff = defineMeasurement({
  id: "readOff",
  label: "The extracted automaton",
  at: {},
  values: {
    equivalent: "is the language's",
    states: "states",
    trueStates: "of the language",
    consistency: "steps that go as it does",
    clusters: "clusters, or its discrete states",
    own: "by its discrete states",
    agreeing: "words on which they agree",
    collapse: "state collapse",
  },
});

async function* measureAutomaton(run: TrainedRun, { tests, config }: PlannedRun): Measuring {
  yield { done: 0, of: 1 };
  const test = testAbout(run, tests[0].change, config.evaluate.examples);
  const states = run.model.mixers.flatMap((mixer) => mixerTraits(mixer).states ?? []);
  const { recording, forward } = await collect(run, test, async () => {}, ["residual", ...states]);
  await forward.release();
  const found = extractAutomaton(recording, rngFrom(config.seed).fork("read off"));
  if (typeof found === "string") throw new Error(found); // strings have an automaton
  const { equivalent, trueStates, consistency, clusters, by, words, collapse, counterexample } = found;
  return [
    readOff.row({
      values: {
        ...{
          equivalent: Number(equivalent),
          states: found.states,
          trueStates,
          consistency,
          clusters,
          collapse,
        },
        ...{ own: Number(by === "states"), agreeing: words.agreeing / words.words },
      },
      ...(counterexample && { note: `they differ on "${counterexample.join("")}"` }),
    }),
  ];
}

const settingOf = (language: number) => `Tomita ${language}`;

/** Of those runs that have learned their language, what was read off each. */
function readFrom(result: UnreadResult, model: Compared, wanted: { setting?: string; seed?: number } = {}) {
  return readOff
    .of(result, { model, ...wanted })
    .filter(({ setting, seed }) => hasLearned(result, { setting, model, seed }));
}

const isRight = ({ values }: { readonly values: { readonly equivalent: number } }) => values.equivalent === 1;

/** Of each seed how many languages. */
const languagesRead =
  (model: Compared): NonNullable<ClaimOf<Settings>["measure"]> =>
  (result) =>
    result.seeds.map((seed) => readFrom(result, model, { seed }).filter(isRight).length);

const share = (rows: readonly Parameters<typeof isRight>[0][]) =>
  `${rows.filter(isRight).length} of ${rows.length}`;

export const tomitaAutomata = defineExperiment<Settings>({
  name: "tomita-automata",
  question: "Can the automaton of a language be extracted from a network that fits it?",
  about: "Which networks yield the automaton of a Tomita language?",
  publishedIn: "SR-RNN, in words",
  models: described(compared),
  settings,
  published: compared.map((model) => ({
    source: model === "sr-gru" ? "Wang and Niepert 2019, arXiv:1901.08817, in words" : OWN_QUESTION,
    statement:
      model === "sr-gru"
        ? "Automata can be extracted from a state-regularized network"
        : `... and from ${architectures[model].label}, which has no discrete states`,
    here: "languages, of seven, that it fits and whose minimal automaton is extracted",
    models: [model],
    unit: "number",
    measure: languagesRead(model),
  })),
  searches: searchesOf(settings.laptop),
  measurements: [readOff],
  measureRun: measureAutomaton,

  plan: (setup, seeds) => ({
    runs: crossed(seeds, setup.languages, compared).map(([seed, language, model]) => {
      const config = configBy(setup.recipes[model], taskOf(language, setup), { ...setup, seed });
      const tests = setup.tested.map((length) => testOf(length, setup.longest));
      return { setting: settingOf(language), model, config, tests };
    }),
    sample: { length: 6 },
  }),

  checks: (result, { languages }) =>
    languages.flatMap((language) =>
      compared.flatMap((model) => {
        const setting = settingOf(language);
        const read = readOff.of(result, { model, setting }).map((row) => Number(isRight(row)));
        const name = `${architectures[model].label}, ${setting}: automaton extracted`;
        return about([model], atLeast(name, read, 1, "number"), setting);
      }),
    ),

  report(result, setup) {
    const cellOf = (setting: string, model: Compared) => {
      const rows = readFrom(result, model, { setting });
      const all = readOff.of(result, { setting, model });
      if (rows.length === 0) return undefined;
      const about = `: ${share(rows)} runs that learned it, of ${all.length}`;
      return { share: rows.filter(isRight).length / rows.length, trained: false, about };
    };
    const labels = compared.map((model) => architectures[model].label);
    const names = setup.languages.map(settingOf);
    const table = {
      columns: [
        "language",
        "network",
        "fits",
        "extracted",
        "states (median)",
        "by its states",
        ...setup.tested.map((length) => `right at ${length}`),
      ],
      rows: setup.languages.flatMap((language) =>
        compared.map((model) => {
          const setting = settingOf(language);
          const all = readOff.of(result, { setting, model });
          const rows = readFrom(result, model, { setting });
          const states = rows.map(({ values }) => values.states);
          return [
            String(language),
            architectures[model].label,
            `${rows.length} of ${all.length}`,
            share(rows),
            states.length === 0 ? "" : `${median(states)} of ${rows[0].values.trueStates}`,
            String(rows.filter(({ values }) => values.own === 1).length),
            ...setup.tested.map((length) => {
              const asked = rows.flatMap(({ seed }) =>
                measurementRows(result, { setting, model, seed, test: `${length} symbols` }),
              );
              return asked.length === 0 ? "" : percentSign(mean(asked.map(atEnd)));
            }),
          ];
        }),
      ),
    };
    return {
      lead: "The automaton of the language is right on strings of every length.",
      views: [
        {
          heading: "Which networks yield the automaton",
          text: `The automaton is extracted from ${setup.programs} strings of ${setup.tested[0]} symbols. A run counts if it fits the language. Its automaton is right if it is equivalent to the language's, on strings of every length, by the product of the two.`,
          caption: "Share of the runs that fit the language; below it, their number.",
          figures: [
            {
              kind: "grid" as const,
              title: "the extracted automaton is right",
              rowLabel: "language",
              columnLabel: "network",
              rows: setup.languages.map(String),
              columns: labels,
              cells: names.map((setting) => compared.map((model) => cellOf(setting, model))),
            },
          ],
          ...{ table, words: 2 },
        },
      ],
      table: {
        table,
        legend: [
          "  fits: runs that score 95 % at the trained length; extracted: those that yield the minimal automaton of the language;",
          "  states: of the extracted automaton, and of the language; by its states: by the discrete states of the network, not by clusters;",
          "  right: accuracy on the last symbol of strings of N symbols, in those runs",
        ],
      },
    };
  },
});
