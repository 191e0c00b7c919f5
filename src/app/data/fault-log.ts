/**
 * @file The log of a search for faults, program by program, from which the same command resumes.
 *
 *     {"key":"5f..."}                                               everything that a fault depends on
 *     {"program":"mbpp_11","faults":[...],"silent":1,"endless":0}
 *     {"program":"mbpp_15","left":"no place for a fault","silent":0,"endless":0}
 *
 * It is in the folder of the corpus and deleted when that is complete.
 */

import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { z } from "zod";
import { FaultRecord } from "../../schemas/fault.ts";
import { openLog, readLog, sha256, takeLock } from "../../storage/index.ts";

const Count = z.int().min(0);
export const TriedProgram = z.strictObject({
  program: z.string(),
  faults: z.array(FaultRecord).default([]),
  /** Why there is none. */
  left: z.string().optional(),
  silent: Count,
  endless: Count,
});
export type TriedProgram = z.infer<typeof TriedProgram>;
const Line = z.union([z.strictObject({ key: z.string() }), TriedProgram]);

export interface FaultLog {
  /** By program. */
  readonly done: ReadonlyMap<string, TriedProgram>;
  keep(tried: TriedProgram): void;
  close(whole: boolean): Promise<void>;
}

/** Starts over if `depends` has changed. @throws LabError (locked) if another process writes it */
export async function openFaultLog(corpus: string, depends: readonly unknown[]): Promise<FaultLog> {
  const path = `${corpus}.progress`;
  const lock = takeLock(`${corpus}.lock`);
  try {
    const key = sha256(JSON.stringify(depends));
    openLog(path, { lock }).close(); // a half last line is cut
    const lines = readFileSync(path).length === 0 ? [] : readLog(path, Line);
    const [first] = lines;
    const isSame = first !== undefined && "key" in first && first.key === key;
    if (!isSame) await rm(path);
    const log = openLog(path, { lock });
    if (!isSame) log.append({ key });
    const done = isSame
      ? lines.flatMap((line) => ("key" in line ? [] : [[line.program, line] as const]))
      : [];
    return {
      done: new Map(done),
      keep: (tried) => log.append(tried),
      async close(whole) {
        log.close();
        if (whole) await rm(path);
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
    throw error;
  }
}
