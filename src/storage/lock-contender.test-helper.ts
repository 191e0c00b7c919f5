/**
 * @file A process that takes a lock again and again against others, looks whether it is alone, and leaves it as the dead do.
 *
 * Being alone is witnessed by a file that only one process can make at a time (exclusive creation).
 */

import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LabError } from "../core/error.ts";
import { ownerAt, takeLock } from "./lock.ts";

export const contender = fileURLToPath(import.meta.url);

/** A process that has ended, so that a lock in its name is stale. */
const dead = spawnSync(process.execPath, ["-e", "0"]).pid;

async function contend(folder: string, times: number): Promise<void> {
  for (let taken = 0; taken < times; ) {
    try {
      const lock = takeLock(`${folder}/lock`, "contender");
      closeSync(openSync(`${folder}/inside`, "wx")); // throws when another one is inside
      await new Promise((resolve) => setTimeout(resolve, 1));
      taken++;
      if (taken === times) {
        await new Promise((resolve) => process.stdout.write(`${taken}`, resolve));
        rmSync(`${folder}/inside`);
        process.kill(process.pid, "SIGKILL");
        await new Promise(() => setInterval(() => {}, 1000)); // until the signal arrives
      }
      // As if this process had died here: the lock stays, in the name of a dead one, and all others see it at once.
      const stale = { ...ownerAt(lock.path), pid: dead, nonce: randomUUID() };
      rmSync(`${folder}/inside`);
      writeFileSync(`${folder}/${stale.nonce}`, JSON.stringify(stale));
      renameSync(`${folder}/${stale.nonce}`, lock.path);
      lock.release(); // no longer ours: leaves the file alone
    } catch (error) {
      if (!(error instanceof LabError && error.kind === "locked")) throw error;
    }
    await new Promise(setImmediate);
  }
}

if (process.argv[1] === contender) await contend(process.argv[2], Number(process.argv[3]));
