/** @file How a run with or without state supervision is made: it trains until every held-out answer is right. */

import { RunConfig } from "../../src/records/run.ts";
import type { PlannedRun, PlannedTest } from "../engine/experiment.ts";
import { type Method, type MethodName, methods } from "./methods.ts";

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
    train: { ...train, steps, untilPerfect: { every, programs } },
    curriculum: { stages: [[curriculum ? { length: [2, task.length] } : {}]] },
    ...(supervision !== undefined && { stateSupervision: { ...supervision, ...setup.supervision } }),
    evaluate: { programs: tested },
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
  /** Of the seeds that are asked for, the first so many only: what costs much. */
  readonly seeds?: number;
}

/** The methods at every size of a task, for each seed: one setting a size. */
export function supervisedRuns(
  sizes: readonly Sized[],
  compared: readonly MethodName[],
  seeds: readonly number[],
  of: (size: number) => { readonly setup: SupervisedSetup; readonly setting: string },
): PlannedRun[] {
  return seeds.flatMap((seed, i) =>
    sizes.flatMap(({ size, methods = compared, steps, curriculumSteps, seeds: most = seeds.length }) => {
      if (i >= most) return [];
      const { setup, setting } = of(size);
      const train = { ...setup.train, steps: steps ?? setup.train.steps };
      const budget = { train, curriculumSteps: curriculumSteps ?? setup.curriculumSteps };
      return methods.map((method) => supervisedRun({ ...setup, ...budget }, method, seed, setting));
    }),
  );
}
