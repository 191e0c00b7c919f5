/** @file Runs on tasks of words (group words, parity, modular arithmetic), where each word is a token and the state is asked for. */

import { RunConfig } from "../../src/records/run.ts";
import { type ArchitectureName, architectures } from "../engine/architectures.ts";

export interface WordsSetup {
  readonly task: { readonly name: string; readonly [field: string]: unknown };
  /** Changes to the task, easiest first: the curriculum goes through them. */
  readonly stages: readonly (readonly Readonly<Record<string, unknown>>[])[];
  readonly model: object;
  readonly heads: number;
  readonly train: object;
  readonly stateSupervision?: object;
  readonly memory: number;
  readonly programs: number;
  readonly device: "cpu" | "cuda";
}

export function wordsRun(
  setup: WordsSetup,
  architecture: ArchitectureName,
  seed: number,
  learningRate: number,
): RunConfig {
  const { task, stages, model, heads, train, stateSupervision, memory, programs, device } = setup;
  return RunConfig.parse({
    seed,
    task,
    model: { ...architectures[architecture].model(heads), ...model },
    train: { ...train, learningRate },
    curriculum: { stages, memory },
    ...(stateSupervision !== undefined && { stateSupervision }),
    evaluate: { programs },
    device,
  });
}
