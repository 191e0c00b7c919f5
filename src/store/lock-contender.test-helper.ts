/**
 * @file A process that takes a lock again and again against others, looks whether it is alone, and dies holding it.
 *
 * Being alone is witnessed by a file that only one process can make at a time (exclusive creation).
 */

import { closeSync, openSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LabError } from "../records/error.ts";
import { takeLock } from "./lock.ts";

export const contender = fileURLToPath(import.meta.url);

async function contend(folder: string, times: number): Promise<void> {
  for (let taken = 0; taken < times; ) {
    try {
      const lock = takeLock(`${folder}/lock`, "contender");
      closeSync(openSync(`${folder}/inside`, "wx")); // throws when another one is inside
      await new Promise((resolve) => setTimeout(resolve, 1));
      rmSync(`${folder}/inside`);
      taken++;
      if (taken === times) {
        process.stdout.write(`${taken}`, () => process.kill(process.pid, "SIGKILL"));
        await new Promise(() => setInterval(() => {}, 1000)); // until the signal arrives
      }
      lock.release();
    } catch (error) {
      if (!(error instanceof LabError && error.kind === "locked")) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

if (process.argv[1] === contender) await contend(process.argv[2], Number(process.argv[3]));
