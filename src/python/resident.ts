/** @file How much memory a process and all that came from it hold right now, where the system says so (Linux). */

import { readFileSync } from "node:fs";

const pageBytes = 4096;

/** The sum of resident memory over the tree below `pid`, pages that are shared counted for each; 0 where unknown. */
export function residentBytes(pid: number): number {
  let total = 0;
  const waiting = [pid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    total += residentPages(next) * pageBytes;
    waiting.push(...childrenOf(next));
  }
  return total;
}

/** Field 2 of /proc/PID/statm less field 3, which counts files that others have mapped too. */
function residentPages(pid: number): number {
  const [, resident, shared] = read(`/proc/${pid}/statm`).split(" ").map(Number);
  return Math.max(0, (resident || 0) - (shared || 0));
}

function childrenOf(pid: number): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(" ").filter(Boolean).map(Number);
}

/** "" for a process that is gone. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
