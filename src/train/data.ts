/**
 * @file The training data of each stage: batches of examples, each example from one of the stage's variants.
 *
 * Example i of a run is a function of (seed, i, stage), and with `teach.mixture` of the shares of its window, which are logged. So a
 * position in the data is an integer.
 */

import { parseWith } from "../records/config.ts";
import { fail } from "../records/error.ts";
import type { RunConfig } from "../records/run.ts";
import type { WrittenExample } from "../tasks/batch/rows.ts";
import { type Batch, batchWriter, type ExampleReader, emptyBatch, maximumLength } from "../tasks/batch.ts";
import { exampleStream } from "../tasks/stream.ts";
import type { Prepared, Task } from "../tasks/task.ts";
import { type Tokenizer, tokenizerNamed } from "../tasks/tokenizer.ts";
import { type HeldOut, holdOut } from "./held-out.ts";
import { drawPart, mixed } from "./mixture/mixed.ts";
import { mixturePlan, type PlannedPart, partsInStage, usualShares } from "./mixture/plan.ts";
import { type SharesLog, sharesLog } from "./mixture/shares-log.ts";
import { type Part, partsByLength } from "./parts.ts";
import { taughtData } from "./signals/index.ts";
import { noMoreDraws } from "./stream/block.ts";

/** Batches are filled up to a multiple of this: kernels are faster on it, and chunks come out even. */
const LENGTH_MULTIPLE = 32;
/** Lengths of a stage whose batches, or parts of batches, are as long as they must be: each needs a graph of its own. */
const MOST_LENGTHS = { stage: 1, batch: 4, rows: 32 } as const;

export interface StageData {
  /** T at which every example of every variant fits. */
  readonly length: number;
  /** T of its parts, ascending up to `length`; with `train.padTo: stage` that alone. */
  readonly lengths: readonly number[];
  /** How the batch of a step is computed: as a whole, or with `train.padTo: rows` in parts of examples of like length. */
  partsOf(step: number): readonly Part[];
  /** All the variants as one task. */
  readonly prepared: Prepared;
  /** With `teach.mixture`: each of its parts as one task; none without. */
  readonly parts: readonly StagePart[];
  /** Fills `batch` with the examples of a step (counted from 1), or those of some rows, and shows each to the readers. */
  fill(batch: Batch, step: number, filling?: Filling): void;
  /** Whether row b of a step's batch is of the stage's last variant. */
  isHardest(step: number, row: number): boolean;
}

export interface StagePart extends Pick<PlannedPart, "label" | "share"> {
  readonly prepared: Prepared;
  /** Without programs in this stage: a replay of what comes before the first. */
  readonly empty: boolean;
}

export interface Filling {
  /** Of the step, where they were made elsewhere: nothing is drawn then. */
  readonly examples?: readonly WrittenExample[] | undefined;
  readonly readers?: readonly ExampleReader[];
  /** Rows of the step's batch; all of them where none are named. */
  readonly rows?: readonly number[];
}

export interface TrainingData {
  readonly tokenizer: Tokenizer;
  readonly stages: readonly StageData[];
  /** With `train.untilPerfect` or `evaluateEvery`: programs of the task as it is configured, on which nothing is trained. */
  readonly heldOut: HeldOut | undefined;
  /** The task as its first variant: its words, variables and values are those of all. */
  readonly prepared: Prepared;
  /** The task with changed parameters, made once for each change. `at` is named in errors. */
  readonly variant: PrepareVariant;
  /** With `teach.mixture`: the shares of each window so far, by which its examples are drawn. */
  readonly shares: SharesLog;
}

export type PrepareVariant = (change: object, at: string) => Prepared;

/** A task with changed parameters: `change` over those of the run. */
export function prepareVariant(task: Task, config: RunConfig, change: object, at: string): Prepared {
  const { name: _, ...params } = config.task;
  return task.prepare(parseWith(task.params, { ...params, ...change }, at));
}

/** The same, keeping what it has made. */
function variantsOf(task: Task, config: RunConfig): PrepareVariant {
  const known = new Map<string, Prepared>();
  return (change, at) => {
    const key = JSON.stringify(change);
    const found = known.get(key) ?? prepareVariant(task, config, change, at);
    known.set(key, found);
    return found;
  };
}

export function trainingData(task: Task, config: RunConfig): TrainingData {
  // Mistakes in the task itself are told as such; whether it can be prepared is for the variants to say.
  const { name: _, ...params } = config.task;
  parseWith(task.params, params, "task");
  checkHeldOut(config.train);
  const variant = variantsOf(task, config);
  const base = variant(config.curriculum.stages[0][0], "curriculum.stages.0.0");
  const plan = mixturePlan(config, base);
  const wide = plan?.plain(base) ?? base;
  const tokenizer = tokenizerNamed(config.tokenizer, wide.words);
  const shares = sharesLog();
  const { shown, streamOf } = taughtData(config);
  const stream = streamOf(exampleStream(config.seed, "train"));
  const rows = config.train.batch;
  // Sizes are looked at before any memory is taken.
  let known: readonly number[] | undefined;
  const everyRow = () => {
    known ??= Array.from({ length: rows }, (_, row) => row);
    return known;
  };
  // Drawn when they are asked for first: sizes are looked at before.
  let held: { readonly out: HeldOut | undefined } | undefined;
  const heldOut = () => {
    held ??= { out: heldOutOf(variant, config, tokenizer) };
    return held.out;
  };
  const variantsOfStage = (stage: number, more: object) =>
    config.curriculum.stages[stage].map((change, j) =>
      shown(variant({ ...change, ...more }, `curriculum.stages.${stage}.${j}`)),
    );
  const stages = config.curriculum.stages.map((_, i): StageData => {
    const parts = partsInStage(plan, i, variantsOfStage);
    const usual = plan && usualShares(plan, parts);
    const sharesOf = (step: number) => plan && (shares.at(step) ?? usual);
    let now = usual;
    const inStage = mixed(parts, wide, `curriculum.stages.${i}`, () => now);
    const variants = parts.flatMap((part) => part.variants);
    const longest = Math.max(...variants.map((each) => maximumLength(each, tokenizer)));
    const lengths = lengthsUpTo(longest, config.train.padTo);
    const length = lengths.at(-1)!; // there is one at least
    let writer: ReturnType<typeof batchWriter> | undefined;
    const write = (step: number, ...what: Parameters<ReturnType<typeof batchWriter>>) => {
      writer ??= batchWriter(inStage, tokenizer, { exclude: heldOut()?.hashes });
      now = sharesOf(step);
      return writer(...what);
    };
    const hardest = parts.some(({ own }) => own) ? parts.filter(({ own }) => own) : parts;
    const first = (step: number) => (step - 1) * rows;
    let drawn: Batch | undefined;
    return {
      length,
      lengths,
      partsOf(step) {
        if (lengths.length === 1) return [{ rows: everyRow(), length }];
        drawn ??= emptyBatch(rows, length);
        write(step, drawn, stream, first(step));
        const roundUp = (needed: number) => lengths.find((each) => each >= needed)!; // the last holds every example
        if (config.train.padTo === "rows") return partsByLength(drawn.lengths, roundUp);
        return [{ rows: everyRow(), length: roundUp(Math.max(...drawn.lengths)) }];
      },
      prepared: inStage,
      parts: (plan?.parts ?? []).map(({ label, share }, j) => ({
        ...{ label, share, empty: parts[j].variants.length === 0 },
        prepared: parts[j].variants.length === 0 ? wide : mixed([parts[j]], wide, `teach.mixture.parts.${j}`),
      })),
      fill(batch, step, { readers, rows: chosen = everyRow(), examples } = {}) {
        if (examples === undefined)
          write(step, batch, (row) => stream(first(step) + chosen[row]), 0, readers);
        else
          write(
            step,
            batch,
            () => noMoreDraws,
            0,
            readers,
            (row, into) => into.copy(examples[chosen[row]]),
          );
      },
      isHardest(step, row) {
        const { part, variant } = drawPart(parts, sharesOf(step), stream(first(step) + row));
        return hardest.includes(part) && variant === part.variants.length - 1;
      },
    };
  });
  return {
    ...{ tokenizer, stages, prepared: base, variant, shares },
    get heldOut() {
      return heldOut();
    },
  };
}

/** `longest`, rounded up; in batches of their own lengths also its quarters, in parts of them whatever is a multiple. */
function lengthsUpTo(longest: number, padTo: RunConfig["train"]["padTo"]): number[] {
  const rounded = (length: number) => Math.ceil(length / LENGTH_MULTIPLE) * LENGTH_MULTIPLE;
  const most = rounded(longest);
  const step = rounded(most / MOST_LENGTHS[padTo]);
  return Array.from({ length: Math.ceil(most / step) }, (_, i) => Math.min((i + 1) * step, most));
}

/** Errors: LabError where what asks held-out programs is said in two ways, or half. */
function checkHeldOut({ untilPerfect, evaluateEvery, heldOutPrograms, patience }: RunConfig["train"]): void {
  if (evaluateEvery !== undefined) {
    if (untilPerfect !== undefined) fail("train.evaluateEvery", "either this or train.untilPerfect", "both");
    return;
  }
  const alone = Object.entries({ heldOutPrograms, patience }).find(([, value]) => value !== undefined);
  if (alone !== undefined) fail(`train.${alone[0]}`, "train.evaluateEvery beside it", "none");
}

/**
 * `untilPerfect` stops at the very programs that a test of the task as it is configured asks first, as it is published; to choose
 * a checkpoint (`evaluateEvery`) others are drawn, which no test asks.
 */
function heldOutOf(variant: PrepareVariant, config: RunConfig, tokenizer: Tokenizer): HeldOut | undefined {
  const { untilPerfect, evaluateEvery, heldOutPrograms = 200 } = config.train;
  const [name, label, programs] =
    evaluateEvery === undefined
      ? ["untilPerfect", "test {}", untilPerfect?.programs]
      : ["evaluateEvery", "held out", heldOutPrograms];
  if (programs === undefined) return undefined;
  const prepared = variant({}, `train.${name}`);
  return holdOut({ prepared, tokenizer, stream: exampleStream(config.seed, label), programs });
}

/**
 * The content hashes of all programs that were trained on in steps 1 .. steps.
 * @param stageAt the stage that each step was in.
 */
export function trainedHashes(
  data: TrainingData,
  rows: number,
  steps: number,
  stageAt: (step: number) => number,
) {
  const seen = new Set<number>();
  const batches = data.stages.map((stage) => emptyBatch(rows, stage.length));
  for (let step = 1; step <= steps; step++) {
    const stage = stageAt(step);
    data.stages[stage].fill(batches[stage], step);
    for (const hash of batches[stage].hashes) seen.add(hash);
  }
  return seen;
}
