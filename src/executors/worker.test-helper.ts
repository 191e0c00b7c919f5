/** @file A worker whose job says how it shall behave. Used by the tests of the pool. */

import { appendFileSync } from "node:fs";
import { LabError } from "../core/error.ts";
import { serveJobs } from "./worker.ts";

export interface Behaviour {
  readonly name: string;
  readonly does:
    | "square"
    | "mistake"
    | "fault"
    | "crash"
    | "kill itself"
    | "wait"
    | "ignore stop"
    | "hang in a loop";
  readonly n?: number;
  /** Begin and end of each job are noted here. */
  readonly journal?: string;
}

await serveJobs<Behaviour, { at: number }, unknown>(
  async ({ name, does, n = 0, journal }, onProgress, signal) => {
    if (journal !== undefined) appendFileSync(journal, `+${name}:${process.pid}\n`);
    switch (does) {
      case "square":
        for (let at = 0; at < n; at++) onProgress({ at });
        await new Promise((resolve) => setTimeout(resolve, 100));
        if (journal !== undefined) appendFileSync(journal, `-${name}:${process.pid}\n`);
        return { square: n * n, threads: process.env.THREADS };
      case "mistake":
        throw new LabError("config.yaml: expected width, got none", "corrupt");
      case "fault":
        throw new TypeError("undefined is not a model");
      case "crash":
        process.stderr.write("out of paper");
        process.exit(7);
        break;
      case "kill itself":
        process.kill(process.pid, "SIGKILL");
        break;
      case "hang in a loop":
        onProgress({ at: 0 });
        await new Promise((resolve) => setTimeout(resolve, 20));
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100_000); // no signal handler of JavaScript runs
        break;
      case "ignore stop":
        onProgress({ at: 0 });
        break;
      case "wait":
        onProgress({ at: 0 });
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        if (journal !== undefined) appendFileSync(journal, `saved ${name}\n`);
        throw signal.reason;
      default:
        does satisfies never;
    }
    return new Promise(() => setInterval(() => {}, 1000)); // never done
  },
);
