/**
 * @file What an interrupted search for faults has done, program by program, so that the same command goes on.
 *
 *     {"key":"5f..."}                                               everything that a fault depends on
 *     {"program":"mbpp_11","faults":[...],"silent":1,"endless":0}
 *     {"program":"mbpp_15","left":"no place for a fault","silent":0,"endless":0}
 *
 * It lies beside the corpus and is gone when that is whole.
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

/** `depends`: with other values of these it begins anew. @throws LabError (locked) where another process is at it. */
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
