/** @file From what an experiment sets to the configuration of a run. */

import { RunConfig } from "../../src/records/run.ts";
import { type ArchitectureName, architectures } from "./architectures.ts";

/** How the models of an experiment are built, trained and asked, whatever the task. */
export interface TrainingSetup {
  readonly model: object;
  readonly heads: number;
  readonly train: object;
  readonly stateSupervision?: object | undefined;
  /** Reveals over which the curriculum's running accuracy looks back. */
  readonly memory?: number;
  /** Fresh programs per test. */
  readonly programs: number;
  readonly device: "cpu" | "cuda";
}

export interface TrainedTask {
  readonly task: { readonly name: string; readonly [field: string]: unknown };
  /** Changes to the task, easiest first: the curriculum goes through them. */
  readonly stages: readonly (readonly Readonly<Record<string, unknown>>[])[];
}

export function configOf(
  setup: TrainingSetup,
  { task, stages }: TrainedTask,
  architecture: ArchitectureName,
  seed: number,
  /** Where `train` does not say it: each model may have its own. */
  learningRate?: number,
): RunConfig {
  const { model, heads, train, memory, stateSupervision, programs, device } = setup;
  return RunConfig.parse({
    seed,
    task,
    model: { ...architectures[architecture].model(heads), ...model },
    train: { ...train, ...(learningRate !== undefined && { learningRate }) },
    curriculum: { stages, ...(memory !== undefined && { memory }) },
    ...(stateSupervision !== undefined && { stateSupervision }),
    evaluate: { programs },
    device,
  });
}
