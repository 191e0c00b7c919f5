/**
 * @file Types of objectives: what a training asks of the model. One registry (`index.ts`) has them all; an objective offers one or
 * more of three forms, by the configuration key that names it:
 *
 *     loss     train.loss, stateSupervision.head      a loss in the graph of a step
 *     signal   objective                           targets and signed weights, computed before each step; or a changed task
 *     part     data.mixture.parts.N.objective        a task around the task, whose examples are mixed with the others
 *
 * A loss is made once for a run, and once more for each stage of the curriculum, whose examples have other sizes. The trainer adds
 * the losses and feeds their inputs:
 *
 *     gradient of   w_1 loss_1 + w_2 loss_2 + ...
 *
 *     sheet.read    notes about an example, taken while it is written into the batch
 *     sheet.feeds   the notes as inputs of the graph
 *     loss          declares these inputs and computes the loss
 *
 * A signal weighs the batch, with the denominator included in w; one that only changes the task leaves the loss to `train.loss`:
 *
 *     loss = - sum_k sum_t w_kt log p(target_kt)
 */

import type { z } from "zod";
import type { ExampleStream, Rng } from "../../core/rng.ts";
import type { Model, ModelShapes } from "../../models/index.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import type { Batch, ExampleReader } from "../../tasks/batch.ts";
import type { Prepared } from "../../tasks/task.ts";
import type { Tokenizer } from "../../tasks/tokenizer.ts";
import type { Graph, ParameterTree, Tensor, TensorData, TensorTree } from "../../tensor/index.ts";

/** An entry of the registry. */
export interface ObjectiveForms {
  readonly loss?: MakeObjective;
  // biome-ignore lint/suspicious/noExplicitAny: parameters are parsed by the schema of the same object
  readonly signal?: Signal<any>;
  // biome-ignore lint/suspicious/noExplicitAny: parameters are parsed by the schema of the same object
  readonly part?: Part<any>;
}

export type MakeObjective = (setting: ObjectiveSetting) => Objective;

export interface ObjectiveSetting {
  readonly config: RunConfig;
  readonly model: Model;
  /** The task as its first variant. */
  readonly prepared: Prepared;
  readonly tokenizer: Tokenizer;
}

/** A loss of a run. */
export interface Objective {
  readonly name: string;
  /** Name of its loss in the records; the loss of the first objective is `loss`. */
  readonly lossName: string;
  /** Weight if the configuration gives none; default 1. */
  readonly usualWeight?: number;
  /** Parameters that are trained for it and not exported. */
  readonly own?: OwnParameters;
  /** Warnings before a training. */
  readonly notes?: readonly string[];
  /** Errors: LabError for a task that it does not fit. */
  inStage(stage: ObjectiveStage): StagedObjective;
}

interface OwnParameters {
  /** Their key in a checkpoint. */
  readonly key: string;
  initial(rng: Rng): ParameterTree;
}

interface ObjectiveStage {
  /** All variants of the stage as one task. */
  readonly prepared: Prepared;
  /** B. */
  readonly rows: number;
  /** T that fits every example; a batch may be shorter. */
  readonly length: number;
}

export interface StagedObjective {
  /** Plain data that, with the sizes of the batch, determines the sizes of its inputs: stages with equal data share graphs. */
  readonly sizes?: unknown;
  /** Declares the inputs that a sheet feeds. */
  loss(inputs: LossInputs): ObjectiveLoss;
  /** Notes on a batch, reused for the next one. */
  sheet(): Sheet;
}

/** K targets at each position of a batch, with their weights. */
export interface Weighed {
  readonly targets: readonly Int32Array[]; // K of [B, T]
  readonly weights: readonly Float32Array[]; // K of [B, T]
  /** By the names that the signal has declared. */
  readonly records?: Readonly<Record<string, number>>;
}

/** Access to the model before its loss is computed. */
export interface Asking {
  readonly step: number;
  /**
   * The log probabilities of all words at each position, without gradient: tokens int32 [B, T] -> [B, T, V]. `tokens` may be longer
   * than those of the batch. With the current weights, or those at the beginning of the run if the signal keeps them.
   */
  logProbabilities(tokens: Int32Array, when?: "now" | "beginning"): Promise<Float32Array>;
  /** The weighed batch if a data worker made it: then the model is not asked. */
  readonly weighed?: Weighed | undefined;
}

export interface Sheet {
  readonly read?: ExampleReader;
  /** Called after all examples of the batch were read, and before `feeds`. */
  prepare?(batch: Batch, asking: Asking): Promise<void>;
  /** The result of `prepare` if it depends on the model: a data worker puts it into the block. */
  weighed?(): Weighed;
  /** Called after all examples of the batch were read. */
  feeds(batch: Batch): Readonly<Record<string, TensorData>>;
  /**
   * The denominator of a loss that is a mean over a batch: a batch in two parts a and b has the loss
   * (asked(a) loss(a) + asked(b) loss(b)) / (asked(a) + asked(b)). Without it a batch cannot be split.
   */
  asked?(batch: Batch): number;
}

export interface LossInputs {
  readonly graph: Graph;
  /** int32 [B, T]: the words of the batch and their targets. */
  readonly tokens: Tensor;
  readonly targets: Tensor;
  readonly logits: Tensor; // [B, T, V]
  /** A value that the model exposes, by its name: `layers.0.residual`. */
  readonly tap: (name: string) => Tensor;
  /** Parameters of the model. */
  readonly parameters: TensorTree<ModelShapes>;
  /** Parameters of the objective, with the shapes of `own.initial`. */
  readonly own: TensorTree<ParameterTree>;
}

export interface ObjectiveLoss {
  readonly loss: Tensor;
  /** Further values for the records, by name. */
  readonly records?: Readonly<Record<string, Tensor>>;
}

/** An objective of a stage with its weight in the sum. */
export interface WeightedObjective {
  readonly objective: Objective;
  readonly staged: StagedObjective;
  readonly weight: number;
}

/** A signal: changes the task, weighs its batches, or both. */
export interface Signal<Params = unknown> {
  /** Fields next to `name` in the configuration, strict. */
  readonly params: z.ZodType<Params>;
  /** Adds a linear head on the state after each line, unless `stateSupervision` configures one. */
  readonly supervises?: true;
  /** Needs the weights at the beginning of the run. */
  readonly keepsBeginning?: true;
  /** The task as it is trained on; tests use the original. */
  show?(prepared: Prepared, params: Params): Prepared;
  /** Number of different programs; unlimited if undefined. */
  corpus?(params: Params): number | undefined;
  readonly weighing?: {
    /** K. */
    layers(params: Params): number;
    readonly records?: readonly string[];
    /** Weighs the batches of a stage, and may read their examples first. Errors: LabError for a task that it does not fit. */
    weigh(params: Params, setting: WeighSetting): Weigher;
  };
}

/** The signal of a configuration, with its parameters bound. */
export interface ChosenSignal {
  readonly name: string;
  readonly supervises: boolean;
  readonly keepsBeginning: boolean;
  /** The task as it is trained on. */
  show(prepared: Prepared): Prepared;
  /** The stream of the programs that are trained on. */
  streamOf(stream: ExampleStream): ExampleStream;
  readonly weighing:
    | {
        /** K. */
        readonly layers: number;
        readonly records: readonly string[];
        weigh(setting: WeighSetting): Weigher;
      }
    | undefined;
}

export interface WeighSetting {
  readonly prepared: Prepared;
  readonly tokenizer: Tokenizer;
  readonly config: RunConfig;
}

/** A function of its arguments alone: the same batch, step and weights give the same result. */
export type Weigh = (batch: Batch, context: WeighContext) => Promise<Weighed> | Weighed;

type Weigher = Weigh | { readonly read: ExampleReader; readonly weigh: Weigh };

interface WeighContext extends Asking {
  /** For this step alone. */
  readonly rng: Rng;
}

export function defineSignal<Params>(signal: Signal<Params>): Signal<Params> {
  return signal;
}

/** A part of a mixture: writes an example from the words of a program, and marks the words that are asked. */
export interface Part<Params = unknown> {
  /** Fields next to `name` in the configuration, strict. */
  readonly params: z.ZodType<Params>;
  /** Most words of an example from a program of so many words. */
  most(words: number, params: Params): number;
  /** `rng` is independent of the program. */
  write(program: readonly number[], rng: Rng, writer: Writer, words: NewWords, params: Params): void;
}

export interface Writer {
  word(index: number): void;
  /** A word that is asked for. */
  answer(index: number): void;
}

/** Words of parts that are added to the vocabulary of the task. */
export interface NewWords {
  readonly copy: number;
  readonly find: number;
  readonly hole: number;
}

export function definePart<Params>(part: Part<Params>): Part<Params> {
  return part;
}
