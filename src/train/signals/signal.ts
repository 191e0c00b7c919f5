/**
 * @file What a signal is: what a training looks at, as tokens, targets and signed weights.
 *
 *     loss = - sum_k sum_t w_kt log p(target_kt)          the denominator stands in w
 *
 *     show     the task as it is trained on; tests ask the task as it is
 *     weigh    targets and weights of a batch, from what the model says now
 *
 * A signal that only shows leaves the words to `train.loss`; one that supervises adds a linear head on the states.
 */

import type { z } from "zod";
import type { Rng } from "../../core/rng.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import type { Batch, ExampleReader } from "../../tasks/batch.ts";
import type { Prepared } from "../../tasks/task.ts";
import type { Tokenizer } from "../../tasks/tokenizer.ts";
import type { Asking, Weighed } from "../objectives/objective.ts";

export type { Weighed };

export interface WeighContext extends Asking {
  /** Of this step alone. */
  readonly rng: Rng;
}

/** A function of its arguments alone: the same batch, step and weights give the same. */
export type Weigh = (batch: Batch, context: WeighContext) => Promise<Weighed> | Weighed;

export interface WeighSetting {
  readonly prepared: Prepared;
  readonly tokenizer: Tokenizer;
  readonly config: RunConfig;
}

export interface Signal<Params = unknown> {
  readonly name: string;
  readonly source: string;
  /** Its own fields beside `name`, strict. */
  readonly params: z.ZodType<Params>;
  /** Whether the state after each line is asked for by a linear head, unless `stateSupervision` says how. */
  readonly supervises?: true;
  /** Whether it asks the model as it was when the run began. */
  readonly keepsBeginning?: true;
  show?(prepared: Prepared, params: Params): Prepared;
  /** How many different programs there are; endless ones where it is not said. */
  corpus?(params: Params): number | undefined;
  readonly weighing?: {
    /** K. */
    layers(params: Params): number;
    readonly records?: readonly string[];
    /** What weighs the batches of a stage, and what is shown their examples before. Errors: LabError for a task that it does not fit. */
    weigh(
      params: Params,
      setting: WeighSetting,
    ): Weigh | { readonly read: ExampleReader; readonly weigh: Weigh };
  };
}

export function defineSignal<Params>(signal: Signal<Params>): Signal<Params> {
  return signal;
}
