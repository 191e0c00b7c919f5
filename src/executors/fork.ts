/**
 * @file Jobs in child processes: one process a job, so that a crash takes nothing else with it and each has its own
 * environment (such as one thread). The entry module calls `serveJob` of worker.ts.
 */

import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { type Execute, errorOf, type FromWorker, type ToWorker } from "./pool.ts";

export interface ChildOptions {
  /** The module that a child runs, as its source is called: `new URL("./train-worker.ts", import.meta.url)`. */
  readonly entry: URL;
  /** Added to this process's environment: `{ OMP_NUM_THREADS: "1" }`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Flags of Node for the child; by default those of this process, and what it takes to read TypeScript. */
  readonly execArgv?: readonly string[];
  /** How long a child may take to stop after SIGTERM before it is killed. */
  readonly graceSeconds?: number;
}

/** Whether this is the built lab: the compiler renames .ts in imports, not in URLs. */
const built = import.meta.url.endsWith(".js");

/** tsx, found from here and not from the current folder. */
function typescriptLoader(): string {
  return pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
}

/** How much of the end of what a worker prints is shown when it dies without a word. */
const tailCharacters = 2_000;

/** Carries out each job in a process of its own. */
export function inChildProcess<Job, Progress, Result>(options: ChildOptions): Execute<Job, Progress, Result> {
  return (job, onProgress, signal) =>
    new Promise<Result>((resolve, reject) => {
      const child = start(options);
      const tell = (message: ToWorker) => {
        // A worker that is gone already is reported by "close".
        if (child.connected) child.send(message, () => {});
      };
      let tail = "";
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding("utf8").on("data", (text: string) => {
          tail = (tail + text).slice(-tailCharacters);
        });
      }
      let answer: FromWorker | undefined;
      child.on("message", (message: FromWorker) => {
        if (message.kind === "ready") tell({ kind: "start", job });
        else if (message.kind === "progress") onProgress(message.progress as Progress);
        else answer = message;
      });

      let impatient: NodeJS.Timeout | undefined;
      const stop = () => {
        tell({ kind: "stop" });
        if (process.platform !== "win32") child.kill("SIGTERM"); // there it would be the end at once
        impatient = setTimeout(() => child.kill("SIGKILL"), (options.graceSeconds ?? 30) * 1000);
      };
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();

      child.on("error", reject); // it could not be started
      child.on("close", (code, killedBy) => {
        clearTimeout(impatient);
        signal.removeEventListener("abort", stop);
        if (answer?.kind === "done") resolve(answer.result as Result);
        else if (answer?.kind === "failed") reject(errorOf(answer.failure));
        else reject(new Error(deathOf(child, code, killedBy, tail)));
      });
    });
}

function start({ entry, environment, execArgv = process.execArgv }: ChildOptions): ChildProcess {
  const child = fork(built ? new URL(entry.href.replace(/\.ts$/, ".js")) : entry, {
    env: { ...process.env, ...environment },
    execArgv: built ? [...execArgv] : [...execArgv, "--import", typescriptLoader()],
    serialization: "json",
    // Not "inherit": what a worker prints would tear the progress line.
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const kill = () => child.kill("SIGKILL");
  process.on("exit", kill);
  child.on("close", () => process.off("exit", kill));
  return child;
}

function deathOf(child: ChildProcess, code: number | null, killedBy: string | null, tail: string): string {
  const how = killedBy === null ? `ended with exit code ${code}` : `was killed by ${killedBy}`;
  const memory = killedBy === "SIGKILL" ? " (the system does so when memory runs out)" : "";
  const last = tail.trim() === "" ? "" : `; its last words:\n${tail.trim()}`;
  return `worker ${child.pid} ${how}${memory} before its job was done${last}`;
}
