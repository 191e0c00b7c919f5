/** @file What a state head is: a loss on hidden vectors that are to know the program's state, and parameters of its own. */

import type { Rng } from "../../../core/rng.ts";
import type { Graph, ParameterTree, Tensor, TensorData, TensorTree } from "../../../tensor/index.ts";
import type { ObjectiveSetting } from "../objective.ts";
import type { StateQuestions, StateSizes } from "./targets.ts";

/** What a head may use when its loss is built. */
export interface HeadInputs {
  readonly graph: Graph;
  /** Examples of a batch. */
  readonly rows: number;
  readonly sizes: StateSizes;
  /** What the model holds at the tokens where it is asked, of root mean square 1: [B Q, d]. */
  readonly hidden: Tensor;
  /** The same of other texts, each read by itself: tokens int32 [N, M], and of each the place of its last one in all N M, int32 [N] -> [N, d]. */
  readonly read: (tokens: Tensor, last: Tensor) => Tensor;
}

export interface HeadLoss {
  readonly loss: Tensor;
  /** How often it was right, in [0, 1]. */
  readonly accuracy: Tensor;
}

export interface StateHead<P extends ParameterTree = ParameterTree> {
  /** Of its loss beside the model's own, where the configuration says nothing; 1 if not said. */
  readonly usualWeight?: number;
  init(rng: Rng): P;
  /** Declares the inputs that `feeds` fills. */
  loss(parameters: TensorTree<P>, inputs: HeadInputs): HeadLoss;
  feeds(questions: StateQuestions): Readonly<Record<string, TensorData>>;
}

export type HeadSetting = Omit<ObjectiveSetting, "config">;

export type MakeHead<P extends ParameterTree> = (setting: HeadSetting) => StateHead<P>;
