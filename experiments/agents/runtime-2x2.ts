/**
 * @file Do agents learn where their names live? Models that imitate one habit, in the runtime of their traces and in the other one.
 *
 *     trained on traces of     reuse      names of earlier cells, as where they stay
 *                              rederive   everything again in every cell, as where nothing stays
 *     run in                   persistent, stateless
 *     prompt                   fixed: the runtime is not named; informed: the runtime's name, also one that was in no trace
 *     tasks                    the same for all, 100 knapsacks; replies greedy, through the server, in contained interpreters
 *
 * Expected: the habit goes along. Who reused names meets NameErrors where nothing stays; who wrote everything again continues to do so where it
 * need not, for more tokens and the same value. Refuted if models that learned `reuse` have a NameError in fewer than half of the
 * episodes in a stateless runtime under the fixed prompt. That a script which reuses names fails there is no finding, but arithmetic; that a
 * model does not leave its habit when it sees the error is one.
 *
 * Source: mrcabbage972/agents-learn-runtime (QLoRA on Qwen3-8B). There the prompts of the two arms differ in more than this; here they are held fixed.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentFiles, type ReadEpisode, readEpisodes } from "../../src/app/agents/read.ts";
import { runLlmAgents } from "../../src/app/agents/run-llm.ts";
import type { TrainedRun } from "../../src/app/run/open.ts";
import { serveTrained } from "../../src/app/serve.ts";
import { silent } from "../../src/core/progress.ts";
import { rngFrom } from "../../src/core/rng.ts";
import { mean, pairedBootstrap } from "../../src/core/statistics.ts";
import { EndpointConfig } from "../../src/schemas/eval-config.ts";
import { readLedger } from "../../src/storage/index.ts";
import {
  type ArchitectureName,
  about,
  architectures,
  type ClaimOf,
  check,
  crossed,
  defineExperiment,
  defineMeasurement,
  described,
  recipeConfig,
  type Scale,
  type UnreadResult,
} from "../runner/index.ts";

const runtimes = ["persistent", "stateless"] as const;
type RuntimeName = (typeof runtimes)[number];
const prompts = ["fixed", "informed"] as const;
type PromptName = (typeof prompts)[number];

interface EpisodesWanted {
  readonly tasks: number;
  /** Inspections a cell, as the prompt says. */
  readonly step: number;
  readonly turns: number;
  readonly host: "auto" | "native" | "embedded";
}

/** Of each prompt the episodes in both runtimes, on the same tasks. */
async function* episodesBy(
  trained: TrainedRun,
  { tasks, step, turns, host }: EpisodesWanted,
): AsyncGenerator<{ readonly prompt: PromptName; readonly episodes: readonly ReadEpisode[] }> {
  const folder = mkdtempSync(join(tmpdir(), "statelab-episodes-"));
  const model = "cells";
  const serving = await serveTrained(trained, {
    ...{ folder, name: model, context: undefined, slots: 8, host: "127.0.0.1", port: 0 },
    ...{ seed: 0, queue: 256, key: undefined },
    onFault: (error) => {
      throw error;
    },
  });
  try {
    for (const prompt of prompts) {
      const out = join(folder, prompt);
      const { tally } = await runLlmAgents(
        {
          ...{ world: "knapsack", runtimes: [...runtimes], views: ["full"], control: "free" },
          ...{ policy: "templates", settings: [`templates.prompt=${prompt}`, `templates.step=${step}`] },
          ...{ episodes: tasks, seed: 0, turns, callsPerCell: 25, host, seconds: 60, folder: out },
          ...{ signal: new AbortController().signal, progress: silent },
        },
        EndpointConfig.parse({
          ...{ baseUrl: serving.url, protocol: "completion", models: [model], checkPrompt: false },
          ...{ connectSeconds: 30, totalSeconds: 300, atMost: 4, backOffUnit: 0.2 },
        }),
      );
      if (tally.answered !== tally.samples)
        throw new Error(`not all were answered: ${JSON.stringify(tally)}`);
      const { records } = readLedger(agentFiles(out).ledger);
      yield { prompt, episodes: readEpisodes(records, out) };
    }
  } finally {
    await serving.close();
    rmSync(folder, { recursive: true });
  }
}

const compared = [
  "deltanet[-1,1]",
  "lstm",
  "transformer+convolution",
] as const satisfies readonly ArchitectureName[];
type Compared = (typeof compared)[number];

const habits = ["reuse", "rederive", "fitting"] as const;
type Habit = (typeof habits)[number];
const settingOf = (habit: Habit) => `traces of ${habit}`;
const HOME = settingOf("reuse");

interface Recipe {
  readonly layers: number;
  readonly learningRate: number;
  readonly steps: number;
}

interface Settings extends EpisodesWanted {
  readonly habits: readonly Habit[];
  readonly width: number;
  readonly recipes: Readonly<Record<Compared, Recipe>>;
  readonly device: "cpu" | "cuda";
}

const short: Recipe = { layers: 1, learningRate: 5e-3, steps: 10 };
const settings: Record<Scale, Settings> = {
  smoke: {
    ...{ habits: ["reuse"], tasks: 1, step: 20, turns: 2, host: "auto", width: 16, device: "cpu" },
    recipes: { "deltanet[-1,1]": short, lstm: short, "transformer+convolution": short },
  },
  laptop: {
    ...{
      habits: ["reuse", "rederive"],
      tasks: 100,
      step: 8,
      turns: 6,
      host: "auto",
      width: 64,
      device: "cpu",
    },
    recipes: {
      "deltanet[-1,1]": { layers: 2, learningRate: 3e-3, steps: 1200 },
      lstm: { layers: 1, learningRate: 5e-3, steps: 2400 },
      "transformer+convolution": { layers: 3, learningRate: 1e-3, steps: 1200 },
    },
  },
  paper: {
    ...{ habits, tasks: 1000, step: 5, turns: 12, host: "auto", width: 256, device: "cuda" },
    recipes: {
      "deltanet[-1,1]": { layers: 4, learningRate: 1e-3, steps: 10_000 },
      lstm: { layers: 2, learningRate: 2e-3, steps: 10_000 },
      "transformer+convolution": { layers: 4, learningRate: 5e-4, steps: 10_000 },
    },
  },
};

const cells = defineMeasurement({
  id: "runtimeCells",
  label: "episodes in each runtime",
  at: { runtime: "runtime", prompt: "prompt" },
  values: {
    share: "value / optimum",
    nameErrors: "episodes with a NameError",
    otherErrors: "with another error",
    over: "finished",
    processed: "tokens processed",
    written: "tokens written",
  },
});

const effect = defineMeasurement({
  id: "runtimeEffect",
  label: "stateless minus persistent, same tasks (95 %, paired bootstrap)",
  at: { prompt: "prompt" },
  values: {
    share: "value / optimum",
    shareLow: "from",
    shareHigh: "to",
    processed: "tokens processed",
    processedLow: "from ",
    processedHigh: "to ",
  },
});

const shareOf = ({ end }: ReadEpisode) => end.score.share;
const processedOf = ({ end }: ReadEpisode) => end.tokens.processed;
const hasNameError = ({ end }: ReadEpisode) => (end.errors.NameError ?? 0) > 0;
const hasOther = ({ end }: ReadEpisode) => Object.keys(end.errors).some((kind) => kind !== "NameError");
const rate = (episodes: readonly ReadEpisode[], holds: (episode: ReadEpisode) => boolean) =>
  mean(episodes.map((episode) => Number(holds(episode))));

function rowsOfPrompt(prompt: PromptName, episodes: readonly ReadEpisode[]) {
  const of = (runtime: RuntimeName) =>
    episodes
      .filter(({ begin }) => begin.runtime === runtime)
      .toSorted((a, b) => a.begin.index - b.begin.index);
  const [persistent, stateless] = runtimes.map(of);
  const between = (value: (episode: ReadEpisode) => number) =>
    pairedBootstrap(persistent.map(value), stateless.map(value), rngFrom(0).fork(prompt));
  const [share, processed] = [between(shareOf), between(processedOf)];
  return [
    ...runtimes.map((runtime) => {
      const own = of(runtime);
      return cells.row({
        at: { runtime, prompt },
        values: {
          ...{
            share: mean(own.map(shareOf)),
            nameErrors: rate(own, hasNameError),
            otherErrors: rate(own, hasOther),
          },
          over: rate(own, ({ end }) => end.over),
          ...{
            processed: mean(own.map(processedOf)),
            written: mean(own.map(({ end }) => end.tokens.replied)),
          },
        },
      });
    }),
    effect.row({
      at: { prompt },
      values: {
        ...{ share: share.difference, shareLow: share.interval[0], shareHigh: share.interval[1] },
        processed: processed.difference,
        ...{ processedLow: processed.interval[0], processedHigh: processed.interval[1] },
      },
    }),
  ];
}

type Value = keyof typeof cells.values;

/** One value a seed. */
const measuredAt = (
  result: Pick<UnreadResult, "measurements">,
  value: Value,
  wanted: {
    readonly setting: string;
    readonly model: string;
    readonly runtime: RuntimeName;
    readonly prompt: PromptName;
  },
): number[] => {
  const { setting, model, ...at } = wanted;
  return cells.of(result, { setting, model, at }).map(({ values }) => values[value]);
};

const nameErrors = (result: Pick<UnreadResult, "measurements">, model: string) =>
  measuredAt(result, "nameErrors", { setting: HOME, model, runtime: "stateless", prompt: "fixed" });

/** Of the seeds that both habits have. */
function tokenRatio(result: Pick<UnreadResult, "measurements">, model: string): number[] {
  const at = { model, runtime: "persistent", prompt: "fixed" } as const;
  const reuse = measuredAt(result, "written", { ...at, setting: HOME });
  return measuredAt(result, "written", { ...at, setting: settingOf("rederive") }).map(
    (each, i) => each / reuse[i],
  );
}

const SOURCE = "agents-learn-runtime";

const errorClaim = (model: Compared): ClaimOf<Settings> => ({
  source: SOURCE,
  statement: `${architectures[model].label}, trained where names persist, run where they do not: episodes with a missing variable`,
  published: 0.8,
  here: "episodes with a NameError, fixed prompt",
  unlike: "small models on our own tasks, there language models",
  agrees: (values) => mean(values) >= MOST,
  ...{ models: [model], setting: HOME },
  measure: (result) => nameErrors(result, model),
});

const tokenClaim = (model: Compared): ClaimOf<Settings> => ({
  source: SOURCE,
  statement: `${architectures[model].label}, trained where names do not persist: tokens, relative to the other, where they do`,
  published: 3.5,
  here: "tokens written, fixed prompt; it follows from the style of the traces",
  unlike: "small models on our own tasks, there language models",
  ...{ models: [model], unit: "number" as const },
  measure: (result) => tokenRatio(result, model),
});

/** Under this the expectation is refuted. */
const MOST = 0.5;

export const runtime2x2 = defineExperiment<Settings>({
  name: "runtime-2x2",
  question: "Does a model trained where names persist rely on them where they do not?",
  about: "Does a model keep a habit from another runtime?",
  publishedIn: "agents-learn-runtime",
  models: described(compared),
  settings,
  published: [...compared.map(errorClaim), ...compared.map(tokenClaim)],
  measurements: [cells, effect],

  plan: ({ habits: own, width, recipes, device }, seeds) => ({
    runs: crossed(seeds, own, compared).map(([seed, habit, model]) => {
      const { layers, learningRate, steps } = recipes[model];
      return {
        setting: settingOf(habit),
        model,
        config: recipeConfig(
          {
            ...{ model: { layers, width, feedForward: 2 * width }, heads: 2, programs: 1000, device },
            train: { steps, batch: 16, padding: "bucket", schedule: "cosine", minLearningRateRatio: 0.05 },
          },
          {
            task: { name: "cells", habit, step: [3, 8], part: "trained" },
            stages: [[{}]],
          },
          model,
          seed,
          learningRate,
        ),
        tests: [{ name: "held-out", change: { part: "held-out" }, asTrained: true, chance: 0 }],
      };
    }),
    sample: { budget: 12, step: 5, part: "all" },
  }),

  async *measureRun(trained, { config }) {
    const scale = Object.values(settings).find(({ recipes, width }) =>
      compared.some((model) => recipes[model].steps === config.train.steps && width === config.model.width),
    )!;
    const rows: ReturnType<typeof rowsOfPrompt> = [];
    for await (const { prompt, episodes } of episodesBy(trained, scale)) {
      rows.push(...rowsOfPrompt(prompt, episodes));
      yield { done: rows.length, of: 6 };
    }
    return rows;
  },

  checks: (result) =>
    compared.flatMap((model) => {
      const found = nameErrors(result, model);
      const name = `${architectures[model].label}, learned where names stay: stateless episodes with a NameError`;
      return about([model], check(name, "mean at least 50 %", found, mean(found) >= MOST));
    }),

  report: () => ({
    lead: "The tasks are the same in every cell. A model trained on traces of one runtime runs in both. The prompt names the runtime, or does not.",
    views: [],
  }),
});
