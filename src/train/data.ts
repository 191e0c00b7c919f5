/**
 * @file The training data of each stage: batches of examples, each example from one of the stage's variants.
 *
 *     planData        the tasks, lengths and rows of the stages, from a configuration; nothing is drawn
 *     trainingData    the same with its examples, drawn step by step
 *
 * Example i of a run is a function of (seed, i, stage), and with `data.mixture` of the shares of its window, which are logged, so a
 * position in the data is an integer.
 */

import { fail, Words } from "../core/error.ts";
import { exampleStream } from "../core/rng.ts";
import { atOnce } from "../core/rotations.ts";
import { parseWith } from "../core/settings.ts";
import type { RunConfig } from "../schemas/run-config.ts";
import type { WrittenExample } from "../tasks/batch/rows.ts";
import { type Batch, batchWriter, type ExampleReader, emptyBatch, maximumLength } from "../tasks/batch.ts";
import type { Prepared, Task } from "../tasks/task.ts";
import { type Tokenizer, tokenizerNamed } from "../tasks/tokenizer.ts";
import { noMoreDraws } from "./async-data/block.ts";
import { batchLayout, type Layout, type Part } from "./batch-layout.ts";
import { mixturePlan, partsInStage, type StagePart, usualShares } from "./mixture/mixture-config.ts";
import { drawPart, mixed, type SharesLog, sharesLog } from "./mixture/mixture-task.ts";
import { type ChosenPolicy, policyNamed } from "./mixture/samplers/index.ts";
import { chosenSignal } from "./objectives/index.ts";
import type { ChosenSignal } from "./objectives/objective.ts";
import { drawHeldOut, type HeldOut } from "./validation.ts";

interface StagePlan extends Layout {
  /** T that fits every example of every variant: the last of `lengths`. */
  readonly length: number;
  /** All variants as one task. */
  readonly prepared: Prepared;
  /** Those of `data.mixture`; without it, the variants of the stage. */
  readonly parts: readonly StagePart[];
  /** With `data.mixture`: the configured shares of the parts. */
  readonly shares: readonly number[] | undefined;
}

export interface DataPlan {
  readonly config: RunConfig;
  readonly signal: ChosenSignal | undefined;
  readonly tokenizer: Tokenizer;
  readonly stages: readonly StagePlan[];
  /** The first variant of the task; all variants have its words, variables and values. */
  readonly prepared: Prepared;
  /** The task with changed parameters, cached by the change. `at` is named in errors. */
  variant(change: object, at: string): Prepared;
  /** With `data.mixture`: chooses the shares of a window. */
  readonly policy: ChosenPolicy | undefined;
}

/** @param signal the resolved signal of the configuration. */
export function planData(task: Task, config: RunConfig, signal = chosenSignal(config)): DataPlan {
  // Errors in the task itself name `task`; whether it can be prepared depends on the variants.
  const { name: _, ...params } = config.task;
  parseWith(task.params, params, "task");
  const known = new Map<string, Prepared>();
  const variant = (change: object, at: string) => {
    const key = JSON.stringify(change);
    const found = known.get(key) ?? task.prepare(parseWith(task.params, { ...params, ...change }, at));
    known.set(key, found);
    return found;
  };
  const variantsOf = (stage: number, more: object) =>
    config.curriculum.stages[stage].map((change, j) => {
      const prepared = variant({ ...change, ...more }, `curriculum.stages.${stage}.${j}`);
      return signal?.show(prepared) ?? prepared;
    });
  const base = variant(config.curriculum.stages[0][0], "curriculum.stages.0.0");
  const mixture = config.data?.mixture;
  const policy = mixture && policyNamed(mixture.sampler);
  const plan = mixturePlan(config, base, signal);
  const partsOfStages = config.curriculum.stages.map((_, i) => partsInStage(plan, i, variantsOf));
  const wide = plan?.plain(base) ?? base;
  const tokenizer =
    typeof config.tokenizer === "string"
      ? tokenizerNamed(config.tokenizer, wide.words)
      : (wide.tokenized?.tokenizer ??
        fail("tokenizer", "word or character in the page", new Words("a file")));
  if (wide.tokenized !== undefined && signal !== undefined)
    fail("objective", "none with a tokenizer of a file", config.objective);
  const stages = partsOfStages.map((parts, i): StagePlan => {
    const at = `curriculum.stages.${i}`;
    const shares = plan && usualShares(parts);
    const prepared = mixed(parts, wide, at, () => shares);
    const lengths = parts.flatMap(({ variants }) => variants.map((each) => maximumLength(each, tokenizer)));
    const layout = batchLayout(config.train, Math.max(...lengths), at);
    return { ...layout, length: layout.lengths.at(-1)!, prepared, parts, shares }; // not empty
  });
  return { config, signal, tokenizer, stages, prepared: base, variant, policy };
}

interface StageData extends StagePlan {
  /** The parts in which a step is computed, and the rows of each. */
  partsOf(step: number): readonly Part[];
  /** Fills `batch` with examples of a step (counted from 1), and passes each to the readers. */
  fill(batch: Batch, step: number, filling?: Filling): void;
  /** Whether an example of a step is of the last variant of the stage. */
  isHardest(step: number, example: number): boolean;
}

interface Filling {
  /** The examples of the step if a data worker made them: then nothing is drawn. */
  readonly examples?: readonly WrittenExample[] | undefined;
  readonly readers?: readonly ExampleReader[];
  /** The examples of each row, end to end; by default one in each row, in order. */
  readonly rows?: Part["rows"];
}

export interface TrainingData extends DataPlan {
  readonly stages: readonly StageData[];
  /** With `train.stopWhenSolved` or `evaluateEvery`: programs of the configured task that are never trained on. */
  readonly heldOut: HeldOut | undefined;
  /** With `data.mixture`: the shares of each window so far. */
  readonly shares: SharesLog;
}

/** @param heldOut drawn already, if so. */
export function trainingData(plan: DataPlan, heldOut = drawHeldOut(plan)): TrainingData {
  const { config, signal, tokenizer } = plan;
  const log = sharesLog();
  const examples = exampleStream(config.seed, "train");
  const stream = signal?.streamOf(examples) ?? examples;
  const count = config.train.batch;
  const first = (step: number) => (step - 1) * count;
  const stages = plan.stages.map((stage): StageData => {
    const { parts, length, shares } = stage;
    const sharesOf = (step: number) => shares && (log.at(step) ?? shares);
    let now = shares;
    let writer: ReturnType<typeof batchWriter> | undefined;
    const write = (step: number, ...what: Parameters<ReturnType<typeof batchWriter>>) => {
      writer ??= batchWriter(
        mixed(parts, stage.prepared, "task", () => now),
        tokenizer,
        { exclude: heldOut?.hashes },
      );
      now = sharesOf(step);
      return writer(...what);
    };
    const hardest = parts.some(({ own }) => own) ? parts.filter(({ own }) => own) : parts;
    let drawn: Batch | undefined;
    return {
      ...stage,
      partsOf: (step) =>
        stage.partsFor(() => {
          drawn ??= emptyBatch(count, length);
          write(step, drawn, stream, first(step));
          return drawn.lengths;
        }),
      fill(batch, step, { readers, rows, examples } = {}) {
        const chosen = rows?.flat();
        const ofStep = (example: number) => chosen?.[example] ?? example;
        write(
          step,
          batch,
          examples === undefined ? (example) => stream(first(step) + ofStep(example)) : () => noMoreDraws,
          0,
          readers,
          {
            written: examples && ((example, into) => into.copy(examples[ofStep(example)])),
            counts: rows?.map(({ length }) => length),
          },
        );
      },
      isHardest(step, example) {
        const { part, variant } = drawPart(parts, sharesOf(step), stream(first(step) + example));
        return hardest.includes(part) && variant === part.variants.length - 1;
      },
    };
  });
  return { ...plan, stages, heldOut, shares: log };
}

/**
 * Content hashes of all programs of steps 1 .. steps.
 * @param stageAt the stage of a step.
 */
export const trainedHashes = (...asked: Parameters<typeof findingTrained>): Set<number> =>
  atOnce(findingTrained(...asked));

/** The same as a long computation that yields (core/rotations.ts). */
export function* findingTrained(
  data: TrainingData,
  rows: number,
  steps: number,
  stageAt: (step: number) => number,
): Generator<void, Set<number>> {
  const seen = new Set<number>();
  const batches = data.stages.map((stage) => emptyBatch(rows, stage.length));
  for (let step = 1; step <= steps; step++) {
    yield;
    const stage = stageAt(step);
    data.stages[stage].fill(batches[stage], step);
    for (const hash of batches[stage].hashes) seen.add(hash);
  }
  return seen;
}
