/**
 * @file Over all experiments: an expectation about a model that has not learned its training is inconclusive.
 *
 * No model is trained: an experiment's own laptop plan gets made-up answers, of which each model's are right, half right or a guess.
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { cameTo, stageName } from "../src/app/run/results.ts";
import { ExperimentResult, type Measurement, type ResultRow } from "../src/schemas/experiment-result.ts";
import type { RunConfig } from "../src/schemas/run-config.ts";
import { CERTAIN, SEVERAL } from "./debugger/neural-debugger.ts";
import { experiments } from "./index.ts";
import type { Experiment, PlannedRun } from "./runner/define.ts";
import { measurementLabels } from "./runner/views.ts";

/** How a model answers: right everywhere, a guess beyond its training, or a guess everywhere. */
const kinds = ["right", "lost beyond", "guesses", "nearly learned"] as const;
type Kind = (typeof kinds)[number];
const hasLearned = (kind: Kind) => kind === "right" || kind === "lost beyond";

const MOST_PARTIALS = 20;
const HEADS = [1, 2, 3];

/** Measurements other than accuracy of a model with such answers; each id of the registry has one. */
const measuredBy: Record<string, (kind: Kind) => Pick<Measurement, "at" | "values">[]> = {
  samplesToPerfect: (kind) => [{ at: {}, values: { samples: 32_000, perfect: Number(hasLearned(kind)) } }],
  natsAboveExact: (kind) =>
    ["as trained", "beyond"].flatMap((test) =>
      Array.from({ length: MOST_PARTIALS }, (_, partials) => {
        const above = kind === "right" || (kind === "lost beyond" && test === "as trained") ? 0.02 : 0.6;
        const marginals = { row: 0.2, rowColumn: 0.1, sinkhorn: 0 };
        return {
          at: { test, partials },
          values: { exact: 0.5, nats: 0.5 + above, above, standardError: 0.01, ...marginals },
        };
      }),
    ),
  exactMatch: (kind) =>
    [
      ...["step", "back"].map((group) => ({ by: "command", group })),
      ...[1, 5].flatMap((group) => ["forwards", "backwards"].map((by) => ({ by, group }))),
      ...[CERTAIN, SEVERAL].map((group) => ({ by: "undone", group })),
    ].map((at) => ({ at, values: { right: kind === "right" ? 1 : 0.3, known: 1, questions: 9 } })),
  wholeModel: (kind) => [
    {
      at: {},
      values: { accuracy: kind === "right" ? 1 : 1 / 3, questions: 9, exactBayes: 1, windowedBayes: 0.5 },
    },
  ],
  heads: (kind) =>
    HEADS.map((rank) => ({
      at: { rank },
      values: {
        ...{ beta: 2 / rank, commandsNear2: 1, betaOnReveals: 1, distanceFrom2: 0, horizon: 99 },
        ...{ components95: 3, components99: 4, accuracyAtMean: 1 / 3, accuracyAtZero: 1 / 3 },
        ...{ lostAtMean: kind === "right" ? 2 / 3 : 0, lostAtZero: kind === "right" ? 2 / 3 : 0 },
      },
    })),
  betaAlongLine: () =>
    ["command", "reveal"].flatMap((line) =>
      HEADS.map((rank) => ({ at: { line, rank, place: 0 }, values: { beta: 1 } })),
    ),
  runtimeCells: (kind) =>
    ["persistent", "stateless"].flatMap((runtime) =>
      ["fixed", "informed"].map((prompt) => {
        const share = runtime === "persistent" && kind !== "guesses" ? 0.9 : 0;
        const nameErrors = runtime === "stateless" && kind === "right" ? 1 : 0;
        const tokens = { processed: 900, written: 200 };
        return {
          at: { runtime, prompt },
          values: { share, nameErrors, otherErrors: 0, over: Number(share > 0), ...tokens },
        };
      }),
    ),
  runtimeEffect: () =>
    ["fixed", "informed"].map((prompt) => ({
      at: { prompt },
      values: {
        ...{ share: -0.9, shareLow: -0.95, shareHigh: -0.85 },
        ...{ processed: 100, processedLow: 90, processedHigh: 110 },
      },
    })),
  remains: () => [{ at: {}, values: { remaining: 0.9, standardError: 0.01, gain: 0.6, gainError: 0.01 } }],
  readOff: (kind) => {
    const right = Number(kind === "right");
    const machine = { states: 4, trueStates: 4, consistency: 1, clusters: 4, own: 0, collapse: 0.1 };
    return [{ at: {}, values: { equivalent: right, ...machine, agreeing: right } }];
  },
  bounds: () => [{ at: { reveals: 1 }, values: { remaining: 0.9 } }],
  chosen: (kind) => {
    const aboveGreedy = kind === "right" ? 0 : 0.5;
    return [{ at: {}, values: { remaining: 0.9, standardError: 0.01, aboveGreedy, aboveError: 0.01 } }];
  },
  byToken: (kind) => {
    const right = kind === "nearly learned" ? 0.94 : hasLearned(kind) ? 1 : 1 / 32;
    return [12, 60].map((token) => ({ at: { token }, values: { right, answers: 9 } }));
  },
  routed: () => [{ at: { layer: 0, behind: 0 }, values: { most: 0.9, same: 0.8, chance: 0.7 } }],
  keyVariance: () => HEADS.map((rank) => ({ at: { rank, components: 1 }, values: { share: 1 } })),
};

function shareOf(
  kind: Kind,
  { asTrained, chance }: { readonly asTrained: boolean; readonly chance: number },
) {
  if (kind === "nearly learned") return asTrained ? 0.94 : chance;
  return kind === "right" || (kind === "lost beyond" && asTrained) ? 1 : chance;
}

/** Who has not learned is still in its first stage. */
const stageReached = ({ curriculum }: RunConfig, kind: Kind) =>
  hasLearned(kind) ? curriculum.stages.length : 1;

function rowsOf({ setting, model, config, tests }: PlannedRun, kind: Kind): ResultRow[] {
  const came = stageReached(config, kind);
  return tests.map((test) => {
    const planned = cameTo(config, test, came - 1);
    const shares = (accuracy: number) => ({
      accuracy,
      accuracyLast: accuracy,
      accuracyByReveal: Array.from({ length: 4 }, () => accuracy),
    });
    return {
      ...{ setting, model, seed: config.seed, ...shares(shareOf(kind, planned)) },
      tested: { ...planned, change: { ...planned.change }, programs: 10, reveals: 40 },
      references: {
        exactBayes: shares(1),
        windowedBayes: shares(0.5),
        windowedBayesWithoutBoundary: shares(0.4),
      },
    };
  });
}

function curveOf({ setting, model, config }: PlannedRun, kind: Kind): ExperimentResult["training"][number] {
  const { stages } = config.curriculum;
  const reached = stageReached(config, kind);
  const [accuracy, loss] = hasLearned(kind) ? [1, 0.1] : [0.3, 0.7];
  const stage = stageName(config, reached - 1);
  const last = config.train.steps;
  return {
    ...{ setting, model, seed: config.seed, parameters: 1000, learningRate: 0.001, batch: 16 },
    ...{ steps: last, seconds: 1, stages: { reached, of: stages.length } },
    points: [1, 2, 3, 4].map((part) => ({
      step: Math.ceil((last * part) / 4),
      loss: loss / part,
      accuracy,
      stage,
    })),
  };
}

/** What the experiment would say, had its models answered like that. */
function resultOf(experiment: Experiment, kindOf: (model: string) => Kind): ExperimentResult {
  const seeds = [0, 1];
  const { runs, window } = experiment.plan({ scale: "laptop" }, seeds);
  const unread = {
    ...({ version: 2, scale: "laptop", device: "cpu", command: "made up", date: "2026-01-01" } as const),
    ...{ experiment: experiment.name, question: experiment.question, seeds, seconds: 1, report: "" },
    ...(window !== undefined && { window }),
    models: experiment.models,
    results: runs.flatMap((run) => rowsOf(run, kindOf(run.model))),
    training: runs.map((run) => curveOf(run, kindOf(run.model))),
    labels: measurementLabels(experiment.measurements ?? []),
    measurements: runs.flatMap(({ setting, model, config }) =>
      (experiment.measurements ?? []).flatMap(({ id: name }) =>
        measuredBy[name](kindOf(model)).map((row) => ({ setting, model, seed: config.seed, name, ...row })),
      ),
    ),
  };
  const claims = experiment.published.map(
    ({ measure, measureErrors: _, agrees: __, decidedBySuccess: ___, ...claim }) => ({
      ...claim,
      values: measure?.(unread) ?? [],
    }),
  );
  return ExperimentResult.parse({ ...unread, claims, findings: [], checks: experiment.checks(unread) });
}

/** Checks of the training itself. */
const OF_TRAINING = /as trained|stage of its curriculum|seeds that are perfect/;

const trains = Object.values(experiments).filter(
  ({ plan }) => plan({ scale: "laptop" }, [0]).runs.length > 0,
);

/** Not inside a longer one: "SR-GRU" does not name "GRU". */
const namedIn = (text: string, name: string) =>
  text
    .split(name)
    .slice(0, -1)
    .some((before) => !/[\w-]$/.test(before));

const modelsOf = (experiment: Experiment) => [
  ...new Set(experiment.plan({ scale: "laptop" }, [0]).runs.map(({ model }) => model)),
];

function expectNotCompared(experiment: Experiment, kindOf: (model: string) => Kind): void {
  const { checks = [] } = resultOf(experiment, kindOf);
  for (const model of modelsOf(experiment)) {
    if (hasLearned(kindOf(model))) continue;
    const { label } = experiment.models[model];
    const compared = checks.filter(
      ({ name, met }) => met !== "inconclusive" && namedIn(name, label) && !OF_TRAINING.test(name),
    );
    expect(compared, `${experiment.name}, ${model} has not learned`).toEqual([]);
  }
}

test.each(trains)("$name compares no model that has not learned its training", (experiment) => {
  for (const guessing of modelsOf(experiment))
    for (const kind of ["guesses", "nearly learned"] as const)
      expectNotCompared(experiment, (model) => (model === guessing ? kind : "right"));
  expectNotCompared(experiment, () => "guesses");
});

test.each(trains)("$name does not, whatever the others do", (experiment) => {
  const models = modelsOf(experiment);
  const answers = fc.array(fc.constantFrom(...kinds), { minLength: models.length, maxLength: models.length });
  fc.assert(
    fc.property(answers, (drawn) => expectNotCompared(experiment, (model) => drawn[models.indexOf(model)])),
    { seed: 7, numRuns: 25 },
  );
});

test("the test can tell: a check that a model fails which has not learned is found", () => {
  const [experiment] = trains;
  const blaming: Experiment = {
    ...experiment,
    checks: () => [
      { name: "Transformer at 96/48", expected: "95 %", values: [0.3], met: false, unit: "share" },
    ],
  };
  const kindOf = (model: string): Kind => (model === "transformer" ? "guesses" : "right");
  expect(() => expectNotCompared(blaming, kindOf)).toThrow("transformer has not learned");
  expect(() => expectNotCompared(experiment, kindOf)).not.toThrow();
});
