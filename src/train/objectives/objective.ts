/**
 * @file What an objective is: something that a training asks of the model, with a loss of its own.
 *
 *     gradient of   w_1 loss_1 + w_2 loss_2 + ...
 *
 *     sheet.read    notes what it asks about an example, while that is written into the batch
 *     sheet.feeds   the notes, as inputs of the graph
 *     loss          declares these inputs, and says how wrong the model was
 *
 * The trainer adds the losses and feeds what is noted; it knows none of them. An objective is made once for a run, and
 * once more for each stage of the curriculum, whose examples are of other sizes.
 */

import type { Rng } from "../../core/rng.ts";
import type { Model, ModelShapes } from "../../models/index.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import type { Batch, ExampleReader } from "../../tasks/batch.ts";
import type { Prepared } from "../../tasks/task.ts";
import type { Tokenizer } from "../../tasks/tokenizer.ts";
import type { Graph, ParameterTree, Tensor, TensorData, TensorTree } from "../../tensor/index.ts";

/** What an objective is made for. */
export interface ObjectiveSetting {
  readonly config: RunConfig;
  readonly model: Model;
  /** The task as its first variant. */
  readonly prepared: Prepared;
  readonly tokenizer: Tokenizer;
}

export interface Objective {
  readonly name: string;
  /** What its loss is called in the records, unless it comes first: the first one's is `loss`. */
  readonly lossName: string;
  /** Where the configuration gives it no weight; 1 if not said. */
  readonly usualWeight?: number;
  /** Parameters that are trained for it and not exported. */
  readonly own?: OwnParameters;
  /** What is to be told before training. */
  readonly notes?: readonly string[];
  /** Errors: LabError for a task that it does not fit. */
  inStage(stage: ObjectiveStage): StagedObjective;
}

export interface OwnParameters {
  /** Under which they stand in a checkpoint. */
  readonly key: string;
  initial(rng: Rng): ParameterTree;
}

export interface ObjectiveStage {
  /** All the variants of the stage as one task. */
  readonly prepared: Prepared;
  /** B. */
  readonly rows: number;
  /** T at which every example fits; a batch may be shorter. */
  readonly length: number;
}

export interface StagedObjective {
  /** Plain data from which, with those of the batch, all sizes of its inputs follow: stages with the same share graphs. */
  readonly sizes?: unknown;
  /** Declares the inputs that a sheet feeds. */
  loss(inputs: LossInputs): ObjectiveLoss;
  /** Paper for the notes on a batch, used again for the next one. */
  sheet(): Sheet;
}

/** What a batch is taught by: K targets at each position, with their weights. */
export interface Weighed {
  readonly targets: readonly Int32Array[]; // K of [B, T]
  readonly weights: readonly Float32Array[]; // K of [B, T]
  /** By the names that the signal has declared. */
  readonly records?: Readonly<Record<string, number>>;
}

/** What may be asked of the model as it is now, before its loss is computed. */
export interface Asking {
  readonly step: number;
  /**
   * The logarithms of the probabilities of all words at each position: tokens int32 [B, T] -> [B, T, V]. No gradient flows.
   * `tokens` may be longer than those of the batch. Of the weights as they are, or as they were when the run began, where the signal
   * keeps those.
   */
  logProbabilities(tokens: Int32Array, when?: "now" | "beginning"): Promise<Float32Array>;
  /** Of this batch, made ahead of the step by another process: then the model is not asked. */
  readonly weighed?: Weighed | undefined;
}

export interface Sheet {
  readonly read?: ExampleReader;
  /** After all the examples of the batch were read, and before `feeds`. */
  prepare?(batch: Batch, asking: Asking): Promise<void>;
  /** What `prepare` came to, where that is made of what the model says: for whoever makes it ahead of the step. */
  weighed?(): Weighed;
  /** After all the examples of the batch were read. */
  feeds(batch: Batch): Readonly<Record<string, TensorData>>;
  /**
   * How much is asked in a batch whose loss is a mean over it: a batch in two parts a and b has the loss
   * (asked(a) loss(a) + asked(b) loss(b)) / (asked(a) + asked(b)). Without it a batch cannot be taken apart.
   */
  asked?(batch: Batch): number;
}

export interface LossInputs {
  readonly graph: Graph;
  /** int32 [B, T]: the word at each position, and what is to be said there. */
  readonly tokens: Tensor;
  readonly targets: Tensor;
  readonly logits: Tensor; // [B, T, V]
  /** Anything that the model hands out, by its name: `layers.0.residual`. */
  readonly tap: (name: string) => Tensor;
  /** The model's own parameters. */
  readonly parameters: TensorTree<ModelShapes>;
  /** Those of the objective, as `own.initial` gives them. */
  readonly own: TensorTree<ParameterTree>;
}

export interface ObjectiveLoss {
  readonly loss: Tensor;
  /** What stands in the records beside the loss, by name. */
  readonly records?: Readonly<Record<string, Tensor>>;
}

/** An objective of a stage with its weight in the sum. */
export interface WeightedObjective {
  readonly objective: Objective;
  readonly staged: StagedObjective;
  readonly weight: number;
}
