/**
 * @file What a visitor trains: one task for both sides, and two models that learn the same programs.
 *
 *     #/train?task=parity&left=deltanet-1&right=deltanet-2&width=32&length=24      two configurations of runs, as the command line takes them
 */

import { whole } from "../address.ts";

export const tasks = {
  parity: { title: "Parity: is the number of ones odd?", chance: 1 / 2, steps: 600 },
  swaps: { title: "Swaps of three variables, as a Python session", chance: 1 / 3, steps: 1200 },
} as const;
export type TaskName = keyof typeof tasks;

export const models = {
  "deltanet-1": { title: "DeltaNet, β up to 1", model: { name: "deltanet", heads: 2, betaMax: 1 } },
  "deltanet-2": { title: "DeltaNet, β up to 2", model: { name: "deltanet", heads: 2, betaMax: 2 } },
  lstm: { title: "LSTM", model: { name: "lstm" } },
  transformer: { title: "Transformer", model: { name: "transformer", heads: 2 } },
} as const;
export type ModelName = keyof typeof models;

export const widths = [16, 32, 64] as const;
export const lengths = [8, 16, 24, 40] as const;
export const spacings = [1, 2, 4] as const;

export interface Choice {
  readonly task: TaskName;
  readonly left: ModelName;
  readonly right: ModelName;
  readonly width: number;
  /** Bits of parity. */
  readonly length: number;
  /** Swaps from one print to the next. */
  readonly spacing: number;
  readonly seed: number;
}

/** The nearest choice to what stands in the address, whoever wrote it. */
export function choiceFrom(settings: Readonly<Record<string, string>>): Choice {
  const of = <Name extends string>(
    known: Readonly<Record<Name, unknown>>,
    name: string | undefined,
    otherwise: Name,
  ) => (name !== undefined && Object.hasOwn(known, name) ? (name as Name) : otherwise); // it is one of the keys
  const among = (known: readonly number[], text: string | undefined, otherwise: number) => {
    const value = whole(text, 0, 1000, otherwise);
    return known.includes(value) ? value : otherwise;
  };
  return {
    task: of(tasks, settings.task, "parity"),
    left: of(models, settings.left, "deltanet-1"),
    right: of(models, settings.right, "deltanet-2"),
    width: among(widths, settings.width, 32),
    length: among(lengths, settings.length, 24),
    spacing: among(spacings, settings.spacing, 2),
    seed: whole(settings.seed, 0, 999, 0),
  };
}

/** Held-out answers are asked every so many steps. */
export const EVERY = 20;
/** So large a share of them right is called solved: one in two hundred may be wrong. */
export const SOLVED = 0.995;

/** A run's configuration, as `statelab train` takes it. */
export function configOf({ task, width, length, spacing, seed }: Choice, name: ModelName): object {
  const { steps } = tasks[task];
  const train = {
    ...{ steps, batch: 16, learningRate: 0.005, schedule: "cosine", warmupSteps: 20, finalShare: 0.05 },
    ...{ evaluateEvery: EVERY, heldOutPrograms: 100 },
  };
  const model = { layers: task === "parity" ? 1 : 2, width, feedForward: 2 * width, ...models[name].model };
  if (task === "parity") return { seed, task: { name: "parity", length, targets: "each" }, model, train };
  const dense = spacings.filter((each) => each <= spacing);
  return {
    seed,
    task: { name: "repl", variables: 3, commandKind: "swap", commands: 8, spacing },
    model,
    train,
    curriculum: { stages: dense.map((_, i) => dense.slice(0, i + 1).map((each) => ({ spacing: each }))) },
  };
}
