/** @file Makes blocks for a run, as its own folder says: with its task, its signal, its seed. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fail } from "../../core/error.ts";
import type { MadeBlock } from "../../schemas/async-data.ts";
import type { RunConfig } from "../../schemas/run-config.ts";
import { openStream, runFiles } from "../../storage/index.ts";
import { makerOf } from "../../train/async-data/producer.ts";
import { looks, realClock } from "../async-data/poll-interval.ts";
import { inspectRun } from "../run/resolve.ts";
import { configOf } from "../run/saved-config.ts";
import { feedBlocks } from "./produce.ts";

export interface FeedOptions {
  readonly signal: AbortSignal;
  readonly onStart?: (about: { readonly config: RunConfig }) => void;
  readonly onBlock?: (made: MadeBlock) => void;
  readonly onWait?: (seconds: number) => void;
}

export interface Fed {
  /** By this process. */
  readonly made: number;
  /** Whether the training needs no more. */
  readonly finished: boolean;
}

/** Errors: LabError where there is no run, or it makes its examples itself. */
export async function feedRun(
  folder: string,
  { signal, onStart, onBlock, onWait }: FeedOptions,
): Promise<Fed> {
  const config = await configOf(folder);
  const bounds = config.teach?.stream;
  if (bounds === undefined) {
    const hint = "Its training makes its examples itself: begin another with --set teach.stream.ahead=4";
    return fail(join(folder, runFiles.config), "teach.stream", "none", hint);
  }
  const { parts, setup } = await inspectRun(folder, config);
  onStart?.({ config });
  const maker = makerOf(setup, parts.runtime);
  try {
    const stream = await openStream(folder);
    return await feedBlocks({
      ...{ stream, bounds, train: config.train, maker, clock: realClock, signal },
      ...(onBlock && { onBlock }),
      ...(onWait && { onWait }),
    });
  } finally {
    await maker.release();
  }
}

/** Until the training has made its folder. False where it was stopped meanwhile. */
export async function untilBegun(
  folder: string,
  { signal, onWait }: Pick<FeedOptions, "signal" | "onWait">,
): Promise<boolean> {
  const waiting = looks(realClock, signal);
  while (!signal.aborted && !existsSync(join(folder, runFiles.config))) {
    onWait?.(waiting.waited());
    await waiting.again();
  }
  return !signal.aborted;
}
