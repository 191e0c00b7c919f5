/**
 * @file The training's side of a stream: it reads block n at step n, and says how far it is and, where examples depend on them, with which
 * weights. What it waited for, and how old a block was, stands in its records:
 *
 *     staleness        steps between the weights that the block was made with and those that it is used on
 *     unread           blocks that were there besides
 *     waited           seconds of this step in which the training waited for the block
 *     blockSeconds     what making it took, with putting the block before it there
 *     blockWaited      how long its maker had waited before, for room or for weights
 *
 * A block that was damaged is removed, and made again. Blocks stay until two checkpoints are behind them.
 */

import { LabError } from "../../core/error.ts";
import { shellWord } from "../../core/format.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import type { Lock, StoredBlock, Stream } from "../../storage/index.ts";
import type { BlockSource } from "../../train/async-data/batch.ts";
import { decodeBlock } from "../../train/async-data/encoding.ts";
import { asksModel, stalenessOf } from "../../train/async-data/staleness.ts";
import { type Clock, looks } from "./poll-interval.ts";

/** After so many seconds it is said what is missing. */
const PATIENCE = 10;

export interface SourceOptions {
  readonly config: RunConfig;
  /** The folder of the run, as people are told it. */
  readonly folder: string;
  /** Of the run. */
  readonly lock: Lock;
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onWarning?: ((sentence: string) => void) | undefined;
}

export interface StreamSource extends BlockSource {
  /** Before the first step. */
  begin(step: number, weights: Weights): Promise<void>;
  /** A checkpoint of this step is there. */
  saved(step: number): Promise<void>;
  /** `finished`: no block will be read any more, unless it is begun again. */
  close(finished: boolean): Promise<void>;
}

type Weights = Readonly<Record<string, Float32Array<ArrayBuffer>>>;

export function streamSource(stream: Stream, options: SourceOptions): StreamSource {
  const { config, folder, lock, shapes, clock, signal, onWarning } = options;
  const { ahead } = config.teach!.stream!; // there is a stream
  const asks = asksModel(config);
  const state = { taken: 0, weights: 0 };
  let lastSaved = 0;
  let told = false;

  const keepWeights = (step: number, weights: Weights) => {
    const tensors = Object.entries(weights).map(
      ([path, data]) => [path, { dtype: "F32" as const, shape: shapes[path], data }] as const,
    );
    return stream.keepWeights(step, Object.fromEntries(tensors), lock);
  };
  const keepProgress = (finished = false) => stream.keepProgress({ ...state, finished }, lock);

  async function sound(step: number): Promise<StoredBlock | undefined> {
    try {
      return await stream.block(step);
    } catch (error) {
      if (!(error instanceof LabError) || error.kind !== "corrupt") throw error;
      onWarning?.(`${error.message}. It is removed, and made again`);
      await stream.remove(step);
      return undefined;
    }
  }

  function unreadBehind(step: number): number {
    let count = 0;
    while (count < ahead && stream.has(step + count + 1)) count++;
    return count;
  }

  return {
    async begin(step, weights) {
      // First the weights: who reads the progress that goes with them must not find older ones.
      if (asks) await keepWeights(step, weights);
      Object.assign(state, { taken: step, weights: step });
      lastSaved = step;
      await keepProgress();
    },

    async take(step) {
      const waiting = looks(clock, signal);
      let waited = 0;
      let block: StoredBlock | undefined;
      while (block === undefined) {
        if (stream.has(step)) {
          waited = waiting.waited(); // reading it is no waiting
          block = await sound(step);
          continue;
        }
        if (signal.aborted) return undefined;
        if (!told && waiting.waited() > PATIENCE) {
          told = true;
          onWarning?.(`step ${step} waits for its examples: statelab feed ${shellWord(folder)} makes them`);
        }
        await waiting.again();
      }
      told = false;
      state.taken = step;
      await keepProgress();
      const { header, tensors } = block;
      const { weights, weighed } = header;
      return {
        content: decodeBlock({ tensors, ...(weighed && { weighed }) }),
        records: {
          ...(weights !== null && { staleness: stalenessOf(step, weights) }),
          ...{ unread: unreadBehind(step), waited },
          ...{ blockSeconds: header.seconds, blockWaited: header.waited },
        },
      };
    },

    async done(step, weights) {
      if (!asks) return;
      await keepWeights(step, weights);
      state.weights = step;
      await keepProgress();
    },

    async saved(step) {
      await stream.forget(lastSaved);
      lastSaved = step;
    },

    async close(finished) {
      await keepProgress(finished);
      if (finished) await stream.forget(Number.POSITIVE_INFINITY);
    },
  };
}
