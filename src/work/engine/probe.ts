/** @file Work that does nothing but look where it is: so that an engine can be tried, and its own costs measured. */

import { hostname } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { makeFolder, takeLock, writeFileAtomic } from "../../store/index.ts";
import { labVersion } from "../version.ts";
import { places } from "./places.ts";
import type { Carrier } from "./task.ts";

export const Seen = z.strictObject({
  host: z.string(),
  /** Milliseconds since 1970, by its clock. */
  at: z.number(),
  statelab: z.string(),
  node: z.string(),
});
export type Seen = z.infer<typeof Seen>;

export const probe: Carrier<"probe"> = {
  saved: async () => 0,
  async carryOut({ folder, work: { seconds } }, _, signal) {
    const { proof, lock: name } = places.probe;
    await makeFolder(folder);
    const lock = takeLock(join(folder, name));
    try {
      if (seconds > 0) await asleep(seconds, signal);
      const seen: Seen = {
        ...{ host: hostname(), at: Date.now(), statelab: labVersion(), node: process.version },
      };
      await writeFileAtomic(join(folder, proof), `${JSON.stringify(seen)}\n`, lock);
    } finally {
      lock.release();
    }
  },
};

function asleep(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    const stop = () => {
      clearTimeout(timer);
      reject(new Error("stopped"));
    };
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
