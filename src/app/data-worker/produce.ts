/**
 * @file Who makes blocks: the lowest that is missing, nobody makes and the bounds allow; else it waits.
 *
 *     taken 12, K = 4     13 is there   14 somebody makes   15 is missing: claim it, make it, publish it   16 next
 *
 * Any number of processes may do so for one run, on any machines that see its folder. Which one makes a block changes nothing
 * in it, but for the weights that it has at hand.
 */

import type { MadeBlock } from "../../schemas/async-data.ts";
import type { RunConfig, StreamConfig } from "../../schemas/run-config.ts";
import type { Lock, Stream } from "../../storage/index.ts";
import { encodeBlock } from "../../train/async-data/encoding.ts";
import type { Maker } from "../../train/async-data/producer.ts";
import { lastBlock } from "../../train/async-data/staleness.ts";
import { type Clock, looks } from "../async-data/poll-interval.ts";

export interface Feeding {
  readonly stream: Stream;
  readonly bounds: StreamConfig;
  readonly train: Pick<RunConfig["train"], "steps">;
  readonly maker: Maker;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onBlock?: (made: MadeBlock) => void;
  /** At every look in vain: for how many seconds already. */
  readonly onWait?: (seconds: number) => void;
}

/** When a block was seen to be missing, and how long its maker had had nothing to do before. */
interface Found {
  readonly at: number;
  readonly waited: number;
}

type Weights = Readonly<Record<string, Float32Array>>;

/** Resolves when the training needs no more blocks, or it is stopped: with how many were made here. Nothing is half made then. */
export async function feedBlocks(
  feeding: Feeding,
): Promise<{ readonly made: number; readonly finished: boolean }> {
  const { stream, bounds, train, maker, clock, signal, onBlock, onWait } = feeding;
  const of = { steps: train.steps, asksModel: maker.asksModel };
  let known: { readonly step: number; readonly weights: Weights } | undefined;
  let count = 0;
  let waiting = looks(clock, signal);
  /** Seconds that publishing the block before took: they are of no block that is written already, so they count for the next. */
  let publishing = 0;

  /** The newest weights, where they are needed: those that are known unless there are others. */
  async function weightsAt(step: number): Promise<typeof known> {
    if (!maker.asksModel || known?.step === step) return known;
    const { step: found, tensors } = await stream.weights();
    const weights = Object.fromEntries(
      Object.entries(tensors).map(([path, { data }]) => [path, data as Float32Array]), // all weights are
    );
    known = { step: found, weights };
    return known;
  }

  /** False where it is not to be made after all. */
  async function makeBlock(block: number, claim: Lock, step: number, found: Found): Promise<boolean> {
    if (stream.has(block)) return false; // published between the look and the claim
    const at = await weightsAt(step);
    // A training that went back to a checkpoint has replaced them meanwhile.
    if (at !== undefined && (at.step >= block || block - 1 - at.step > bounds.staleness)) return false;
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
