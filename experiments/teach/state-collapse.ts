/**
 * @file Do histories of one state lie together in a model that tracks, and is it worth teaching?
 *
 *     task        group-words: elements of S_3, 2 to 8 of them, the product asked after each
 *     collapse    of the variance of the residual after each word, the share that lies between the means of the true states
 *                 (src/analysis/collapse.ts); the best layer; asked of each run on the way and at its end
 *     taught      the same training with the additional head `metric`: vectors as far apart as their states
 *     snapped     at four times the length: what is carried is replaced, after each word, by the nearest of the six mean ones
 *                 (src/app/analyze/quantize-state.ts)
 *
 * Predicted before the run: over all times of all models the share and accuracy at trained lengths have a rank correlation of .8 or
 * more. The head raises the share, as that is what it asks for; whether it makes accuracy at four times the length better is open.
 * Snapping makes no model that has learned worse, as six means are enough for six states. Refuted if a model that is 95 % right has a
 * share below twice what chance makes it. Nothing here is published: the score and the snap are our own readings of bisimulation and
 * of a policy drawn to the nearest known state.
 */

import { measureCollapse } from "../../src/analysis/collapse.ts";
import { measureSnapping } from "../../src/app/analyze/quantize-state.ts";
import { collect, type ReadModel } from "../../src/app/analyze/record-activations.ts";
import { rngFrom } from "../../src/core/rng.ts";
import { mean, rankCorrelation } from "../../src/core/statistics.ts";
import { parameterShapes } from "../../src/models/index.ts";
import { LEARNED } from "../../src/schemas/convergence.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import { keepsPast } from "../../src/train/decoder.ts";
import {
  about,
  aboutTraining,
  architectures,
  atLeast,
  check,
  crossed,
  defineExperiment,
  defineMeasurement,
  described,
  haveLearned,
  type Measuring,
  measuredLine,
  type PlannedWork,
  type UnreadResult,
  workOf,
} from "../runner/index.ts";
import { type Lesson, openLesson } from "./shared.ts";

const compared = ["gru", "lstm", "deltanet[-1,1]", "transformer"] as const;
type Compared = (typeof compared)[number];
const arms = ["plain", "taught"] as const;
type Arm = (typeof arms)[number];

const settings = {
  smoke: {
    model: { layers: 1, width: 8 },
    ...{ batch: 8, learningRate: 1e-2, times: [2, 4], programs: 20, device: "cpu" },
  },
  laptop: {
    model: { layers: 2, width: 32 },
    // A run is asked at each of its times, and ends at the last.
    ...{ batch: 24, learningRate: 5e-3, times: [50, 100, 200, 400, 800], programs: 200, device: "cpu" },
  },
  paper: {
    model: { layers: 2, width: 256 },
    ...{ batch: 64, learningRate: 1e-3, times: [250, 1000, 4000, 20_000], programs: 1000, device: "cuda" },
  },
};
type Settings = (typeof settings)["laptop"];

const [SHORTEST, LONGEST] = [2, 8];
const FAR = { length: 4 * LONGEST } as const;
/** Programs for the means: of a length that no test has. */
const FIT = { length: 2 * LONGEST } as const;

const collapsed = defineMeasurement({
  id: "collapsed",
  label: "state share and accuracy during training",
  at: { arm: "arm", step: "steps" },
  values: { share: "share", byChance: "by chance", near: "right at trained lengths", far: "at four times" },
});

const snappedRight = defineMeasurement({
  id: "snappedRight",
  label: "accuracy at four times the length, with snapping",
  at: { arm: "arm" },
  values: { plain: "as it is", snapped: "snapped", wrong: "wrong snaps" },
});

function configOf(setup: Settings, model: Compared, arm: Arm, seed: number): RunConfig {
  const { batch, learningRate, device, times } = setup;
  const own = architectures[model].model(2);
  return RunConfig.parse({
    ...{ seed, device },
    task: { name: "group-words", group: "S_3", length: [SHORTEST, LONGEST] },
    model: { ...own, ...setup.model },
    train: { steps: times[times.length - 1], batch, learningRate },
    ...(arm === "taught" && { stateSupervision: { head: "metric" } }),
  });
}

const readModel = ({ trainer: { model, parameters }, runtime }: Lesson): ReadModel => ({
  ...{ model, runtime, tree: parameterShapes(model), weights: parameters },
});

async function* measureWork({
  model,
  seed,
  options: { setup },
}: PlannedWork<{ setup: Settings }, Compared>): Measuring {
  const { times, programs } = setup;
  const of = arms.length * times[times.length - 1];
  const rows = [];
  for (const [i, arm] of arms.entries()) {
    const before = (i * of) / arms.length;
    const lesson = openLesson(configOf(setup, model, arm, seed));
    try {
      for (const until of times) {
        for await (const { step } of lesson.steps(until)) yield { done: before + step, of };
        const { recording, forward } = await collect(
          readModel(lesson),
          lesson.test({}, programs),
          async () => {},
          ["residual"],
        );
        await forward.release();
        const found = measureCollapse(recording, rngFrom(seed).fork(until));
        const near = (await lesson.ask({}, programs)).accuracy;
        const far = (await lesson.ask(FAR, programs)).accuracy;
        if (found === undefined) continue; // too few programs for a share
        const share = Math.max(...found.layers.map((layer) => layer.share));
        const values = { share, byChance: found.null, near, far };
        rows.push(collapsed.row({ at: { arm, step: until }, values }));
      }
      if (keepsPast(lesson.trainer.model)) continue;
      const { plain, snapped, wrong } = await measureSnapping(readModel(lesson), {
        fit: lesson.test(FIT, programs),
        test: lesson.test(FAR, programs),
      });
      rows.push(snappedRight.row({ at: { arm }, values: { plain, snapped, wrong } }));
    } finally {
      await lesson.release();
    }
  }
  return rows;
}

const timesOf = (result: UnreadResult, where: Parameters<typeof collapsed.of>[1] = {}) =>
  collapsed.of(result, where);

/** By seed, over all times of all models of an arm. */
const correlations = (result: UnreadResult, arm: Arm) =>
  result.seeds.flatMap((seed) => {
    const rows = timesOf(result, { seed, at: { arm } }).map(({ values }) => values);
    const found = rankCorrelation(
      rows.map(({ share }) => share),
      rows.map(({ near }) => near),
    );
    return Number.isNaN(found) ? [] : [found];
  });

const endOf = (result: UnreadResult, { times }: Settings, model: Compared, arm: Arm) =>
  timesOf(result, { model, at: { arm, step: times[times.length - 1] } });

/** By seed in which both arms have learned what they were trained on: taught less plain. */
function gains(result: UnreadResult, setup: Settings, model: Compared, what: "share" | "far"): number[] {
  const taught = endOf(result, setup, model, "taught");
  return endOf(result, setup, model, "plain").flatMap(({ seed, values }) => {
    const other = taught.find((row) => row.seed === seed);
    const both = other !== undefined && values.near >= LEARNED && other.values.near >= LEARNED;
    return both ? [other.values[what] - values[what]] : [];
  });
}

/** By seed and arm in which the model has learned its training: snapped less as it is. */
const snapGains = (result: UnreadResult, setup: Settings, model: Compared, least = LEARNED): number[] =>
  arms.flatMap((arm) => {
    const ends = endOf(result, setup, model, arm);
    return snappedRight
      .of(result, { model, at: { arm } })
      .filter(({ seed }) => ends.some((row) => row.seed === seed && row.values.near >= least))
      .map(({ values }) => values.snapped - values.plain);
  });

const recurrent = compared.filter((model) => model !== "transformer");

export const stateCollapse = defineExperiment<Settings>({
  name: "state-collapse",
  question: "Do hidden vectors cluster by state in a model that tracks, and does teaching it help?",
  about: "Do equal states lie together in a model that tracks?",
  models: described(compared),
  settings,
  published: [
    {
      statement: "A model is right more often if more of its variance is the true state",
      here: "rank correlation of share and accuracy over models and steps; at least 0.8 was expected",
      unit: "number",
      measure: (result) => correlations(result, "plain"),
    },
    compared.flatMap((model) => [
      {
        statement: `${architectures[model].label}: the head raises the share of the true state`,
        here: "share with the head minus share without; seeds in which both fit",
        models: [model],
        unit: "number",
        measure: (result, setup) => gains(result, setup, model, "share"),
      },
      {
        statement: `${architectures[model].label}: the head raises accuracy at four times the length`,
        here: "accuracy with the head minus accuracy without; seeds in which both fit",
        models: [model],
        unit: "number",
        measure: (result, setup) => gains(result, setup, model, "far"),
      },
    ]),
    recurrent.map((model) => ({
      statement: `${architectures[model].label}: snapping to the nearest of six mean states`,
      here: "accuracy at four times the length, with snapping minus without; runs that fit",
      models: [model],
      unit: "number",
      measure: (result, setup) => snapGains(result, setup, model),
    })),
  ],
  measurements: [collapsed, snappedRight],
  measureWork,

  plan: (setup, seeds) => workOf({ setup }, seeds, compared),

  checks(result, setup) {
    const correlation = correlations(result, "plain");
    const learned = timesOf(result).filter(({ values }) => values.near >= LEARNED);
    return [
      ...aboutTraining(
        ...check(
          "rank correlation of share and accuracy",
          "mean at least 0.8",
          correlation,
          mean(correlation) >= 0.8,
          "number",
        ),
        ...atLeast(
          "learned: share that is the true state, over that by chance",
          learned.map(({ values }) => values.share / values.byChance),
          2,
          "number",
        ),
      ),
      ...recurrent.flatMap((model) => {
        const name = `${architectures[model].label}: accuracy gained by snapping`;
        return about([model], atLeast(name, snapGains(result, setup, model, 0), -0.005));
      }),
      ...crossed(compared, arms).flatMap(([model, arm]) =>
        haveLearned(
          `${architectures[model].label}${arm === "taught" ? " with the head" : ""}: as trained`,
          endOf(result, setup, model, arm).map((row) => ({ ...row, value: row.values.near })),
          LEARNED,
        ),
      ),
    ];
  },

  report: (result) => ({
    views: [
      {
        heading: "By steps",
        text: "Each model without and with the head. The share is that of the layer with the largest.",
        caption: "Strong line: mean over seeds; thin lines: seeds.",
        figures: (
          [
            ["share", "Share of the variance that is the true state"],
            ["far", "Right at four times the trained length"],
          ] as const
        ).map(([what, title]) => ({
          kind: "numbers" as const,
          ...{ title, yLabel: what === "share" ? "share" : "right answers", xLabel: "steps" },
          lines: crossed(compared, arms).map(([model, arm], index) => ({
            ...{ label: `${architectures[model].label}${arm === "taught" ? ", head" : ""}`, index },
            seeds: measuredLine(timesOf(result, { model, at: { arm } }), "step", what),
          })),
        })),
      },
    ],
    untabled: [collapsed.id],
  }),
});
