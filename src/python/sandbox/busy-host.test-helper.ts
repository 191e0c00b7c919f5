/** @file A host with a program that never ends, to be killed by a test: prints the processes it has started. */

import { readdirSync, readFileSync } from "node:fs";
import type { HostName } from "./host.ts";
import { openHost } from "./open.ts";

const host = await openHost(process.argv[2] as HostName); // given by the test
await host.ready();
void host.run({ operation: "execute", code: "while True: pass" }, { wallSeconds: 3 });
setTimeout(() => console.log(JSON.stringify(below(process.pid))), 1000);

function below(parent: number): number[] {
  const pids = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const direct = pids.filter((pid) => parentOf(pid) === parent);
  return [...direct, ...direct.flatMap(below)];
}

function parentOf(pid: number): number {
  try {
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  } catch {
    return 0;
  }
}
