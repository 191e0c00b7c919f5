/** @file Machines that are lent to a Redis, as processes of this host: killed with what they have begun, frozen, and woken. */

import { readdirSync, readFileSync } from "node:fs";
import { startStatelab, words } from "../kit/cli.ts";

export interface Lent {
  readonly pid: number;
  /** Itself and the processes of its tasks. */
  processes(): number[];
  kill(): void;
  freeze(): void;
  wake(): void;
  /** SIGTERM; resolves when all is saved. */
  end(): Promise<void>;
}

export function lendMachine(
  root: string,
  url: string,
  slots: number,
  leaseSeconds: number,
  more: readonly string[] = [],
): Lent {
  const args = ["--redis", url, ...words(`--workers ${slots} --lease ${leaseSeconds}`), ...more];
  const { process: child, ended } = startStatelab(root, "cluster worker", ...args);
  const pid = child.pid!; // it was begun
  const processes = () => [pid, ...childrenOf(pid)];
  const signal = (name: NodeJS.Signals, pids: readonly number[]) => {
    for (const each of pids) {
      try {
        process.kill(each, name);
      } catch {} // it has ended meanwhile
    }
  };
  return {
    pid,
    processes,
    kill: () => signal("SIGKILL", processes()),
    freeze: () => signal("SIGSTOP", processes()),
    wake: () => signal("SIGCONT", processes()),
    async end() {
      signal("SIGCONT", processes());
      signal("SIGTERM", [pid]);
      await ended;
    },
  };
}

/** By /proc, so that a frozen process is found, too. */
export function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => {
      try {
        const stat = readFileSync(`/proc/${each}/stat`, "utf8");
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === pid;
      } catch {
        return false; // it has ended
      }
    });
}
