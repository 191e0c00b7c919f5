/**
 * @file The training data of each stage: batches of examples, each example from one of the stage's variants.
 *
 * Example i of a run is a function of (seed, i, stage), and with `data.mixture` of the shares of its window, which are logged, so a
 * position in the data is an integer.
 */

import { fail, Words } from "../core/error.ts";
import { atOnce } from "../core/rotations.ts";
import { parseWith } from "../core/settings.ts";
import type { RunConfig } from "../schemas/run-config.ts";
import type { WrittenExample } from "../tasks/batch/rows.ts";
import { type Batch, batchWriter, type ExampleReader, emptyBatch, maximumLength } from "../tasks/batch.ts";
import { exampleStream } from "../tasks/example.ts";
import type { Prepared, Task } from "../tasks/task.ts";
import { type Tokenizer, tokenizerNamed } from "../tasks/tokenizer.ts";
import { noMoreDraws } from "./async-data/block.ts";
import { batchLayout, type Layout, type Part } from "./batch-layout.ts";
import { mixturePlan, type PlannedPart, partsInStage, usualShares } from "./mixture/mixture-config.ts";
import { drawPart, mixed, type SharesLog, sharesLog } from "./mixture/mixture-task.ts";
import type { ChosenPolicy } from "./mixture/samplers/index.ts";
import { chosenSignal } from "./objectives/index.ts";
import { type HeldOut, holdOutExamples } from "./validation.ts";

interface StageData extends Omit<Layout, "partsOf"> {
  /** T that fits every example of every variant: the last of `lengths`. */
  readonly length: number;
  /** The parts in which a step is computed, and the rows of each. */
  partsOf(step: number): readonly Part[];
  /** All variants as one task. */
  readonly prepared: Prepared;
  /** With `data.mixture`: each of its parts as one task; else empty. */
  readonly parts: readonly StagePart[];
  /** Fills `batch` with examples of a step (counted from 1), and passes each to the readers. */
  fill(batch: Batch, step: number, filling?: Filling): void;
  /** Whether an example of a step is of the last variant of the stage. */
  isHardest(step: number, example: number): boolean;
}

interface StagePart extends Pick<PlannedPart, "label" | "share"> {
  readonly prepared: Prepared;
  /** Without programs in this stage: a replay in the first stage. */
  readonly empty: boolean;
}

interface Filling {
  /** The examples of the step if a data worker made them: then nothing is drawn. */
  readonly examples?: readonly WrittenExample[] | undefined;
  readonly readers?: readonly ExampleReader[];
  /** The examples of each row, end to end; by default one in each row, in order. */
  readonly rows?: Part["rows"];
}

export interface TrainingData {
  readonly tokenizer: Tokenizer;
  readonly stages: readonly StageData[];
  /** With `train.stopWhenSolved` or `evaluateEvery`: programs of the configured task that are never trained on. */
  readonly heldOut: HeldOut | undefined;
  /** The first variant of the task; all variants have its words, variables and values. */
  readonly prepared: Prepared;
  /** The task with changed parameters, cached by the change. `at` is named in errors. */
  readonly variant: PrepareVariant;
  /** With `data.mixture`: the shares of each window so far. */
  readonly shares: SharesLog;
  /** With `data.mixture`: chooses the shares of a window. */
  readonly policy: ChosenPolicy | undefined;
}

type PrepareVariant = (change: object, at: string) => Prepared;

/** The task with the parameters of the run and a change. */
export function prepareVariant(task: Task, config: RunConfig, change: object, at: string): Prepared {
  const { name: _, ...params } = config.task;
  return task.prepare(parseWith(task.params, { ...params, ...change }, at));
}

/** The same with a cache. */
function variantsOf(task: Task, config: RunConfig): PrepareVariant {
  const known = new Map<string, Prepared>();
  return (change, at) => {
    const key = JSON.stringify(change);
    const found = known.get(key) ?? prepareVariant(task, config, change, at);
    known.set(key, found);
    return found;
  };
}

/** @param signal the resolved signal of the configuration. */
export function trainingData(task: Task, config: RunConfig, signal = chosenSignal(config)): TrainingData {
  // Errors in the task itself name `task`; whether it can be prepared depends on the variants.
  const { name: _, ...params } = config.task;
  parseWith(task.params, params, "task");
  checkHeldOut(config.train);
  const variant = variantsOf(task, config);
  const base = variant(config.curriculum.stages[0][0], "curriculum.stages.0.0");
  const plan = mixturePlan(config, base, signal);
  const wide = plan?.plain(base) ?? base;
  const tokenizer =
    typeof config.tokenizer === "string"
      ? tokenizerNamed(config.tokenizer, wide.words)
      : (wide.tokenized?.tokenizer ??
        fail("tokenizer", "word or character in the page", new Words("a file")));
  if (wide.tokenized !== undefined && signal !== undefined)
    fail("objective", "none with a tokenizer of a file", config.objective);
  const shares = sharesLog();
  const examples = exampleStream(config.seed, "train");
  const stream = signal?.streamOf(examples) ?? examples;
  const count = config.train.batch;
  // Lazy: sizes are checked before anything is drawn.
  let held: { readonly out: HeldOut | undefined } | undefined;
  const heldOut = () => {
    held ??= { out: heldOutOf(variant, config, tokenizer) };
    return held.out;
  };
  const variantsOfStage = (stage: number, more: object) =>
    config.curriculum.stages[stage].map((change, j) => {
      const prepared = variant({ ...change, ...more }, `curriculum.stages.${stage}.${j}`);
      return signal?.show(prepared) ?? prepared;
    });
  const stages = config.curriculum.stages.map((_, i): StageData => {
    const parts = partsInStage(plan, i, variantsOfStage);
    const usual = plan && usualShares(plan, parts);
    const sharesOf = (step: number) => plan && (shares.at(step) ?? usual);
    let now = usual;
    const inStage = mixed(parts, wide, `curriculum.stages.${i}`, () => now);
    const variants = parts.flatMap((part) => part.variants);
    const longest = Math.max(...variants.map((each) => maximumLength(each, tokenizer)));
    const { partsOf, ...layout } = batchLayout(config.train, longest, `curriculum.stages.${i}`);
    const length = layout.lengths.at(-1)!; // not empty
    let writer: ReturnType<typeof batchWriter> | undefined;
    const write = (step: number, ...what: Parameters<ReturnType<typeof batchWriter>>) => {
      writer ??= batchWriter(inStage, tokenizer, { exclude: heldOut()?.hashes });
      now = sharesOf(step);
      return writer(...what);
    };
    const hardest = parts.some(({ own }) => own) ? parts.filter(({ own }) => own) : parts;
    const first = (step: number) => (step - 1) * count;
    let drawn: Batch | undefined;
    return {
      ...layout,
      length,
      partsOf: (step) =>
        partsOf(() => {
          drawn ??= emptyBatch(count, length);
          write(step, drawn, stream, first(step));
          return drawn.lengths;
        }),
      prepared: inStage,
      parts: (plan?.parts ?? []).map(({ label, share }, j) => ({
        ...{ label, share, empty: parts[j].variants.length === 0 },
        prepared: parts[j].variants.length === 0 ? wide : mixed([parts[j]], wide, `data.mixture.parts.${j}`),
      })),
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
  return {
    ...{ tokenizer, stages, prepared: base, variant, shares, policy: plan?.policy },
    get heldOut() {
      return heldOut();
    },
  };
}

/** Errors: LabError for conflicting or incomplete settings of held-out programs. */
function checkHeldOut({
  stopWhenSolved,
  evaluateEvery,
  validationExamples,
  patience,
}: RunConfig["train"]): void {
  if (evaluateEvery !== undefined) {
    if (stopWhenSolved !== undefined)
      fail("train.evaluateEvery", "either this or train.stopWhenSolved", "both");
    return;
  }
  const alone = Object.entries({ validationExamples, patience }).find(([, value]) => value !== undefined);
  if (alone !== undefined) fail(`train.${alone[0]}`, "train.evaluateEvery too", "none");
}

/**
 * `stopWhenSolved` uses the programs that a test of the configured task evaluates first, as published; `evaluateEvery` selects a
 * checkpoint, so it draws programs that no test uses.
 */
function heldOutOf(variant: PrepareVariant, config: RunConfig, tokenizer: Tokenizer): HeldOut | undefined {
  const { stopWhenSolved, evaluateEvery, validationExamples = 200 } = config.train;
  const [name, label, programs] =
    evaluateEvery === undefined
      ? ["stopWhenSolved", "test {}", stopWhenSolved?.examples]
      : ["evaluateEvery", "held out", validationExamples];
  if (programs === undefined) return undefined;
  const prepared = variant({}, `train.${name}`);
  return holdOutExamples({ prepared, tokenizer, stream: exampleStream(config.seed, label), programs });
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
