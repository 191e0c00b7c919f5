/**
 * @file The training's side of a stream: reads block n at step n and publishes its progress and, if examples depend on them, its
 * weights. Records of each step:
 *
 *     staleness        steps between the weights that made the block and those that use it
 *     unread           further blocks that are ready
 *     waited           seconds of this step spent waiting for the block
 *     blockSeconds     seconds to make the block, including publishing of the block before it
 *     blockWaited      seconds that its maker waited before, for room or for weights
 *
 * A damaged block is removed and made again. Blocks are kept until two later checkpoints exist.
 */

import { LabError } from "../../core/error.ts";
import { shellWord } from "../../core/format.ts";
import { pause } from "../../executors/timers.ts";
import type { Lock, StoredBlock, Stream } from "../../storage/index.ts";
import { type BlockSource, decodeBlock } from "../../train/async-data/block.ts";
import { batchStaleness } from "../../train/async-data/staleness.ts";

/** Seconds of waiting before a warning. */
const PATIENCE = 10;

interface SourceOptions {
  /** Of the stream: at most so many unread blocks. */
  readonly ahead: number;
  /** Whether examples depend on the weights. */
  readonly asksModel: boolean;
  /** The folder of the run, named in warnings. */
  readonly folder: string;
  /** The lock of the run. */
  readonly lock: Lock;
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onWarning?: ((sentence: string) => void) | undefined;
}

export interface StreamSource extends BlockSource {
  /** Called before the first step. */
  begin(step: number, weights: Weights): Promise<void>;
  /** Called after a checkpoint of this step. */
  saved(step: number): Promise<void>;
  /** `finished`: no further block will be read unless `begin` is called again. */
  close(finished: boolean): Promise<void>;
}

type Weights = Readonly<Record<string, Float32Array<ArrayBuffer>>>;

export function streamSource(stream: Stream, options: SourceOptions): StreamSource {
  const { ahead, asksModel, folder, lock, shapes, clock, signal, onWarning } = options;
  const state = { taken: 0, weights: 0 };
  let lastSaved = 0;
  let warned = false;

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
      onWarning?.(`${error.message}. Deleted; a worker makes it again`);
      await stream.remove(step);
      return undefined;
    }
  }

  function unreadAfter(step: number): number {
    let count = 0;
    while (count < ahead && stream.has(step + count + 1)) count++;
    return count;
  }

  return {
    async begin(step, weights) {
      // Weights first: a reader of the progress must not find older weights.
      if (asksModel) await keepWeights(step, weights);
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
          waited = waiting.waited(); // reading is not waiting
          block = await sound(step);
          continue;
        }
        if (signal.aborted) return undefined;
        if (!warned && waiting.waited() > PATIENCE) {
          warned = true;
          onWarning?.(
            `step ${step} waits for examples; run statelab cluster data-worker ${shellWord(folder)}`,
          );
        }
        await waiting.again();
      }
      warned = false;
      state.taken = step;
      await keepProgress();
      const { header, tensors } = block;
      const { weights, weighed } = header;
      return {
        content: decodeBlock({ tensors, ...(weighed && { weighed }) }),
        records: {
          ...(weights !== null && { staleness: batchStaleness(step, weights) }),
          ...{ unread: unreadAfter(step), waited },
          ...{ blockSeconds: header.seconds, blockWaited: header.waited },
        },
      };
    },

    async done(step, weights) {
      if (!asksModel) return;
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

/** The clock of data workers and training: an argument, so that a test can replace it. */
export interface Clock {
  /** Seconds. */
  now(): number;
  /** Resolves after so many seconds, or on an abort. */
  pause(seconds: number, signal: AbortSignal): Promise<void>;
}

export const realClock: Clock = {
  now: () => performance.now() / 1000,
  pause: (seconds, signal) => pause(seconds * 1000, signal),
};

/** Polls a file that another process writes, at intervals from 1 ms up to 50 ms. */
export function looks(clock: Clock, signal: AbortSignal) {
  const started = clock.now();
  let seconds = 0.001;
  return {
    waited: () => clock.now() - started,
    async again() {
      await clock.pause(seconds, signal);
      seconds = Math.min(0.05, seconds * 1.5);
    },
  };
}
