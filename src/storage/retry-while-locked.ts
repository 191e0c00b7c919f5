/** @file Waits for a folder that another process holds: workers of a program that was killed save before they end. */

import { setTimeout as pause } from "node:timers/promises";
import { LabError } from "../core/error.ts";
import { Superseded } from "./index.ts";

const orphansEndMilliseconds = 15_000;
const lookEveryMilliseconds = 200;

/** Tries again for a while when something is locked. */
export async function patiently<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + orphansEndMilliseconds;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const locked = error instanceof LabError && error.kind === "locked" && !(error instanceof Superseded);
      if (!locked || signal.aborted || performance.now() > deadline) throw error;
      await pause(lookEveryMilliseconds);
    }
  }
}
