/** @file What the experiments on state supervision share: methods, sizes, runs, samples until all is right. */

import type { TrainedRun } from "../../src/app/run/open.ts";
import type { ExperimentWords } from "../../src/report/index.ts";
import type { ExperimentResult } from "../../src/schemas/experiment-result.ts";
import { RunConfig } from "../../src/schemas/run-config.ts";
import {
  defineMeasurement,
  type Measuring,
  type PlannedRun,
  type PlannedTest,
  type UnreadResult,
} from "../runner/index.ts";

export const LLAMA_13M = { name: "transformer", layers: 6, width: 512, heads: 8, feedForward: 768 };

/** As published; the loss is on every next token. */
const LLAMA_TRAIN = {
  loss: "next-token",
  learningRate: 3e-4,
  schedule: "cosine",
  warmupSteps: 100,
  weightDecay: 0.01,
} as const;

/**
 * What trials on a laptop's budget came to. Small batches: steps count for more than samples. The gradient jumps, hence
 * the long memory of its square; it calms down, and the last mistakes go, as the rate falls.
 */
export const SMALL_BATCHES = {
  batch: 16,
  learningRate: 1e-3,
  beta2: 0.99,
  warmupSteps: 50,
  schedule: "cosine",
  minLearningRateRatio: 0.02,
} as const;

export const SMOKE = {
  model: { name: "transformer", layers: 2, width: 16, heads: 2 },
  supervision: { layer: 0 },
  train: { steps: 10, batch: 8, learningRate: 3e-3, warmupSteps: 5 },
  tested: 40,
  device: "cpu",
} as const;

export const LAPTOP = {
  model: { name: "transformer", layers: 4, width: 64, heads: 4 },
  // The hidden vector of a middle layer, so that later layers can use it.
  supervision: { layer: 2 },
  programs: 200,
  every: 100,
  tested: 2000,
  device: "cpu",
} as const;

const PAPER_BATCH = 256;

/** As published, after at most so many samples. */
export const paperSamples = (samples: number) =>
  ({
    model: LLAMA_13M,
    train: { ...LLAMA_TRAIN, steps: samples / PAPER_BATCH, batch: PAPER_BATCH },
    programs: 1000,
    every: 64,
    tested: 10_000,
    device: "cuda",
  }) as const;

interface Method {
  readonly label: string;
  readonly summary: string;
  readonly supervision?: Readonly<Record<string, unknown>>;
  /** Lengths are drawn from 2 up to the one that is asked about. */
  readonly curriculum?: boolean;
}

export const methods = {
  linear: {
    label: "linear head",
    summary: "state supervision: a linear classifier on the hidden vector after each line",
    supervision: { head: "linear" },
  },
  decoder: {
    label: "decoder head",
    summary:
      "state supervision: a 2-layer, 64-wide Transformer spells the state from the hidden vector after each line",
    supervision: { head: "decoder" },
  },
  "contrastive 0.1": {
    label: "contrastive, weight 0.1",
    summary:
      "state supervision: the hidden vector after each line is drawn to its state, as the model reads it",
    supervision: { head: "contrastive", weight: 0.1 },
  },
  "contrastive 1": {
    label: "contrastive, weight 1",
    summary: "the same with ten times the weight",
    supervision: { head: "contrastive", weight: 1 },
  },
  curriculum: {
    label: "curriculum",
    summary: "no state supervision; lengths drawn from 2 to the longest (Zaremba and Sutskever)",
    curriculum: true,
  },
  unsupervised: { label: "unsupervised", summary: "no state supervision, no curriculum" },
} as const satisfies Record<string, Method>;
export type MethodName = keyof typeof methods;

export function describedMethods<Name extends MethodName>(names: readonly Name[]) {
  return Object.fromEntries(
    names.map((name) => [name, { label: methods[name].label, summary: methods[name].summary }]),
  ) as Record<Name, { readonly label: string; readonly summary: string }>; // the names that are given
}

export interface SupervisedSetup {
  readonly task: { readonly name: string; readonly length: number; readonly [field: string]: unknown };
  readonly model: { readonly name: string; readonly [field: string]: unknown };
  /** Over the method's own fields. */
  readonly supervision?: Readonly<Record<string, unknown>>;
  readonly train: Readonly<Record<string, unknown>> & { readonly steps: number; readonly batch: number };
  /** The curriculum's budget, if it is another. */
  readonly curriculumSteps?: number | undefined;
  /** Held-out programs on which training stops, and steps between the times that they are asked about. */
  readonly programs: number;
  readonly every: number;
  /** Programs for the accuracy at the end. The held-out ones are the first of them, and were chosen to be right: ask about many more. */
  readonly tested: number;
  readonly chance: number;
  readonly device: "cpu" | "cuda";
}

/** A run by a method, asked at its end about the task as it is. */
export function supervisedRun(
  setup: SupervisedSetup,
  method: MethodName,
  seed: number,
  setting: string,
): PlannedRun {
  const { task, model, train, programs, every, tested, chance, device } = setup;
  const { supervision, curriculum }: Method = methods[method];
  const steps = (curriculum && setup.curriculumSteps) || train.steps;
  const config = RunConfig.parse({
    seed,
    task,
    model,
    train: { ...train, steps, stopWhenSolved: { every, examples: programs } },
    curriculum: { stages: [[curriculum ? { length: [2, task.length] } : {}]] },
    ...(supervision !== undefined && { stateSupervision: { ...supervision, ...setup.supervision } }),
    evaluate: { examples: tested },
    // Written to go on from, not to look at.
    checkpointEvery: 1000,
    device,
  });
  const test: PlannedTest = { name: `length ${task.length}`, change: {}, asTrained: true, chance };
  return { setting, model: method, config, tests: [test] };
}

/** One size of a task, and what is special to it: other methods than all, another budget than the setup's. */
export interface Sized {
  readonly size: number;
  readonly methods?: readonly MethodName[];
  readonly steps?: number;
  readonly curriculumSteps?: number;
}

/** The methods at every size of a task, for each seed: one setting a size, the costly sizes last. */
export function supervisedRuns(
  sizes: readonly Sized[],
  compared: readonly MethodName[],
  seeds: readonly number[],
  of: (size: number) => { readonly setup: SupervisedSetup; readonly setting: string },
): PlannedRun[] {
  return sizes.flatMap(({ size, methods = compared, steps, curriculumSteps }) => {
    const { setup, setting } = of(size);
    const train = { ...setup.train, steps: steps ?? setup.train.steps };
    const budget = { train, curriculumSteps: curriculumSteps ?? setup.curriculumSteps };
    return seeds.flatMap((seed) =>
      methods.map((method) => supervisedRun({ ...setup, ...budget }, method, seed, setting)),
    );
  });
}

export const samplesToPerfect = defineMeasurement({
  id: "samplesToPerfect",
  label: "samples until each held-out answer is right",
  at: {},
  values: { samples: "samples", perfect: "reached (1) or not (0)" },
});

export function* measureSamples({ config, step, perfectAt }: TrainedRun): Measuring {
  yield { done: 0, of: 1 };
  const samples = (perfectAt ?? step) * config.train.batch;
  return [samplesToPerfect.row({ values: { samples, perfect: Number(perfectAt !== undefined) } })];
}

export function samplesToCriterion(
  result: Pick<UnreadResult, "measurements">,
  setting: string,
  model: MethodName,
) {
  // Not perfect: after all these samples there were still mistakes.
  return samplesToPerfect.of(result, { setting, model }).map(({ seed, values }) => ({
    seed,
    samples: values.samples,
    perfect: values.perfect === 1,
  }));
}

/** 1 for a seed in which every held-out answer was right before its budget ended, else 0. */
export const perfectIn = (result: Pick<UnreadResult, "measurements">, setting: string, model: MethodName) =>
  samplesToCriterion(result, setting, model).map(({ perfect }) => Number(perfect));

/**
 * For each seed how many times the samples of `one` the samples of `other` are: a bound from below where `other` was not
 * perfect, from above where `one` was not; nothing where neither was.
 */
export function timesTheSamples(
  result: Pick<UnreadResult, "measurements">,
  setting: string,
  one: MethodName,
  other: MethodName,
): number[] {
  const others = samplesToCriterion(result, setting, other);
  return samplesToCriterion(result, setting, one).flatMap(({ seed, samples, perfect }) => {
    const against = others.find((each) => each.seed === seed);
    return against === undefined || !(perfect || against.perfect) ? [] : [against.samples / samples];
  });
}

interface SupervisedReport {
  readonly settings: readonly string[];
  readonly compared: readonly MethodName[];
  /** Programs of a training step. */
  readonly batch: number;
  readonly chance: number;
}

export function supervisedReport(result: ExperimentResult, options: SupervisedReport): ExperimentWords {
  const { settings, compared, batch, chance } = options;
  const label = (model: MethodName) => methods[model].label;
  const own = (setting: string, method: MethodName) =>
    result.training.filter((curve) => curve.setting === setting && curve.model === method);
  const run = (setting: string) => compared.filter((method) => own(setting, method).length > 0);
  const ran = settings.filter((setting) => run(setting).length > 0);
  const figure = (setting: string) => ({
    kind: "lines" as const,
    title: setting,
    xLabel: "samples, thousands",
    scale: "linear" as const,
    chance,
    lines: run(setting).map((method) => ({
      label: label(method),
      index: compared.indexOf(method),
      seeds: own(setting, method).map(({ seed, points }) => ({
        seed,
        points: points.map(({ step, accuracy }): [number, number] => [(step * batch) / 1000, accuracy]),
      })),
    })),
  });
  return {
    views: [
      {
        heading: "Accuracy on the training batches",
        text: "Running accuracy on the training batches, by samples seen. A run ends at the first test on held-out programs without a mistake.",
        caption: compared.includes("curriculum")
          ? "A curriculum's batches have shorter programs too, so its curve rises before it fits the longest."
          : "Strong line: mean over seeds, as long as all of them train.",
        figures: ran.map(figure),
      },
    ],
  };
}
