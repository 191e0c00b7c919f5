/**
 * @file What a model that was trained in the page answers beyond what it was trained on: programs that are two and four times as long.
 *
 *     trained on words of 16       asked after the last of 16, of 32, of 64
 */

import { parameterShapes } from "../../src/models/index.ts";
import type { RunConfig } from "../../src/schemas/run-config.ts";
import { exampleStream } from "../../src/tasks/example.ts";
import type { Runtime } from "../../src/tensor/index.ts";
import { evaluate } from "../../src/train/evaluate.ts";
import type { Trainer } from "../../src/train/trainer.ts";

export interface Beyond {
  /** In words, or in commands. */
  readonly length: number;
  readonly unit: string;
  /** Share of the last answers of so many programs. */
  readonly right: number;
  readonly programs: number;
}

const PROGRAMS = 100;
const TIMES = [1, 2, 4];
/** The field of the task that is the length of a program, and its unit. */
const fields = { length: "words", commands: "commands" } as const;

/** Empty where the task has no length. Programs that were trained on are passed over. */
export async function beyondOf(
  { model, data, parameters, trained }: Trainer,
  { task, seed }: RunConfig,
  runtime: Runtime,
): Promise<Beyond[]> {
  const field = (Object.keys(fields) as (keyof typeof fields)[]).find((name) => task[name] !== undefined);
  if (field === undefined) return [];
  const longest = Math.max(...[task[field]].flat().map(Number));
  const weights = { tree: parameterShapes(model), data: parameters };
  const found: Beyond[] = [];
  for (const times of TIMES) {
    const length = times * longest;
    const test = {
      prepared: data.variant({ [field]: length }, "test"),
      tokenizer: data.tokenizer,
      stream: exampleStream(seed, "test"),
      programs: PROGRAMS,
      ...(times === 1 && { exclude: new Set([...trained(), ...(data.heldOut?.hashes ?? [])]) }),
    };
    const { accuracyLast, programs } = await evaluate(model, weights, test, runtime);
    found.push({ length, unit: fields[field], right: accuracyLast, programs });
  }
  return found;
}
