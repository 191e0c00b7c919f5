/** @file Another program called, and what it says: those of a scheduler. */

import { execFile } from "node:child_process";

export interface Said {
  readonly ok: boolean;
  readonly stdout: string;
  /** What it complains of, in one line; that there is no such program is said as well. */
  readonly complaint: string;
}

export type CallProgram = (program: string, ...args: string[]) => Promise<Said>;

const longestMilliseconds = 60_000;
const longestBytes = 2 ** 28;

/** Resolves also where it fails, or there is none. `environment` is added to this process's. */
export function callingWith(environment: Readonly<Record<string, string>>): CallProgram {
  return (program, ...args) =>
    new Promise((resolve) => {
      const options = {
        env: { ...process.env, ...environment },
        timeout: longestMilliseconds,
        maxBuffer: longestBytes,
      };
      execFile(program, args, options, (error, stdout, stderr) => {
        const missing = error?.code === "ENOENT" ? `there is no program ${program} here` : "";
        const complaint = missing || stderr.trim().replaceAll(/\s*\n\s*/g, "; ") || (error?.message ?? "");
        resolve({ ok: error === null, stdout, complaint });
      });
    });
}
