/** @file The report that the experiments on state supervision share: samples to perfect in words, learning curves. */

import { hasLearned } from "../../src/records/learned.ts";
import type { ExperimentResult } from "../../src/records/result.ts";
import { type ExperimentWords, listed } from "../../src/report/index.ts";
import { type MethodName, methods } from "./methods.ts";
import { inWords, samplesOf } from "./samples.ts";

export interface SupervisedReport {
  readonly title: string;
  readonly settings: readonly string[];
  readonly compared: readonly MethodName[];
  /** Programs of a training step. */
  readonly batch: number;
  readonly chance: number;
  /** What a guess has, in a sentence. */
  readonly guess: string;
}

/** Where no setting has every answer right: which were not learned in this budget, or that mistakes are left. */
export function unsolvedTitle(
  result: ExperimentResult,
  { method, settings, mistakes }: { method: MethodName; settings: readonly string[]; mistakes: string },
): string {
  const not = settings.filter((setting) => !hasLearned(result, { setting, model: method }));
  if (not.length === 0) return mistakes;
  return `${listed(not)} ${not.length === 1 ? "was" : "were"} not learned in this budget with the ${methods[method].label}`;
}

export function supervisedReport(result: ExperimentResult, options: SupervisedReport): ExperimentWords {
  const { title, settings, compared, batch, chance, guess } = options;
  const label = (model: MethodName) => methods[model].label;
  const own = (setting: string, method: MethodName) =>
    result.training.filter((curve) => curve.setting === setting && curve.model === method);
  const run = (setting: string) => compared.filter((method) => own(setting, method).length > 0);
  const samples = (setting: string) =>
    run(setting)
      .map((method) => `${label(method)}: ${inWords(samplesOf(result, setting, method))}`)
      .join("; ")
      .replaceAll("> ", ">\u00a0");
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
    title,
    lead: `Samples until every held-out answer was right, one number a seed. ${ran
      .map((setting) => `${setting[0]!.toUpperCase()}${setting.slice(1)}: ${samples(setting)}.`)
      .join(" ")} ${guess}`,
    views: [
      {
        heading: "While they train, on the training batches",
        text: "Running share of right answers on the training batches, by samples seen. A run ends at the first test on held-out programs without a mistake.",
        caption: compared.includes("curriculum")
          ? "A curriculum's batches have shorter programs too, so its share rises before it can do the longest."
          : "Strong line: mean over seeds, as long as all of them train.",
        figures: ran.map(figure),
      },
    ],
  };
}
