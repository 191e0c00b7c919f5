/**
 * @file The loop of a data worker: claim the lowest block that is missing, unclaimed and within the bounds, else wait.
 *
 *     taken 12, K = 4     13 is ready   14 is claimed   15 is missing: claim it, make it, publish it   16 next
 *
 * Any number of processes may work for one run, on any machines that share its folder. The content of a block depends on its maker
 * only through the weights that it has loaded.
 */

import type { MadeBlock } from "../../schemas/async-data.ts";
import type { AsyncDataConfig, RunConfig } from "../../schemas/run-config.ts";
import type { Lock, Stream } from "../../storage/index.ts";
import { encodeBlock } from "../../train/async-data/block.ts";
import type { Producer } from "../../train/async-data/producer.ts";
import { lastBlock } from "../../train/async-data/staleness.ts";
import { type Clock, looks } from "../async-data/source.ts";

interface Feeding {
  readonly stream: Stream;
  readonly bounds: AsyncDataConfig;
  readonly train: Pick<RunConfig["train"], "steps">;
  readonly maker: Producer;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onBlock?: (made: MadeBlock) => void;
  /** Called at every poll without work, with the seconds waited so far. */
  readonly onWait?: (seconds: number) => void;
}

/** When a block was found missing, and how long the worker had been idle before. */
interface Found {
  readonly at: number;
  readonly waited: number;
}

type Weights = Readonly<Record<string, Float32Array>>;

/** Resolves when the training needs no more blocks, or on an abort, with the number made. No block is left partial. */
export async function feedBlocks(
  feeding: Feeding,
): Promise<{ readonly made: number; readonly finished: boolean }> {
  const { stream, bounds, train, maker, clock, signal, onBlock, onWait } = feeding;
  const of = { steps: train.steps, asksModel: maker.asksModel };
  let known: { readonly step: number; readonly weights: Weights } | undefined;
  let count = 0;
  let waiting = looks(clock, signal);
  /** Seconds to publish the previous block; its header is written already, so they count for the next one. */
  let publishing = 0;

  /** The newest weights, if the examples depend on them. */
  async function weightsAt(step: number): Promise<typeof known> {
    if (!maker.asksModel || known?.step === step) return known;
    const { step: found, tensors } = await stream.weights();
    const weights = Object.fromEntries(
      Object.entries(tensors).map(([path, { data }]) => [path, data as Float32Array]), // weights are float32
    );
    known = { step: found, weights };
    return known;
  }

  /** False if the block turns out to be made or out of bounds. */
  async function makeBlock(block: number, claim: Lock, step: number, found: Found): Promise<boolean> {
    if (stream.has(block)) return false; // published before the claim
    const at = await weightsAt(step);
    // A training that was resumed from a checkpoint may have replaced the weights.
    if (at !== undefined && (at.step >= block || block - 1 - at.step > bounds.maxStaleness)) return false;
    const { tensors, weighed } = encodeBlock(await maker.make(block, at?.weights ?? {}));
    if (signal.aborted) return false;
    const made = clock.now();
    const seconds = made - found.at + publishing;
    const about = { block, weights: at?.step ?? null, seconds, waited: found.waited };
    if (!(await stream.publish({ ...about, ...(weighed && { weighed }) }, tensors, claim))) return false;
    publishing = clock.now() - made;
    count++;
    onBlock?.(about);
    return true;
  }

  while (!signal.aborted) {
    const progress = stream.progress();
    if (progress?.finished === true) return { made: count, finished: true };
    let did = false;
    let missing = progress === undefined;
    if (progress !== undefined) {
      const last = lastBlock(progress, bounds, of);
      for (let block = progress.taken + 1; block <= last && !did; block++) {
        if (stream.has(block)) continue;
        missing = true;
        const found = { at: clock.now(), waited: waiting.waited() };
        const claim = await stream.claim(block);
        if (claim === undefined) continue;
        try {
          did = await makeBlock(block, claim, progress.weights, found);
        } finally {
          claim.release();
        }
      }
      if (!did && !missing && last === train.steps) return { made: count, finished: true };
    }
    if (did) waiting = looks(clock, signal);
    else {
      onWait?.(waiting.waited());
      await waiting.again();
    }
  }
  return { made: count, finished: false };
}
