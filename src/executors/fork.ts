/**
 * @file Jobs in child processes, so that a crash is isolated and each has a separate environment (such as one thread). A process
 * executes one job at a time; after a success it may execute another one. The entry module calls `serveJobs` of worker.ts.
 */

import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { pathToFileURL } from "node:url";
import { type Execute, type FromWorker, type ToWorker, toError } from "./pool.ts";

interface ChildOptions {
  /** The child's entry module, by its source URL: `new URL("./train-worker.ts", import.meta.url)`. */
  readonly entry: URL;
  /** Added to this process's environment: `{ OMP_NUM_THREADS: "1" }`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Node flags of the child; by default those of this process, plus what is needed to read TypeScript. */
  readonly execArgv?: readonly string[];
  /** Gives a process that has done its job the next one, which then need not start and load modules. */
  readonly reuse?: boolean;
  /** Time between SIGTERM and SIGKILL. */
  readonly graceSeconds?: number;
}

/** Whether this is the built package: the compiler renames .ts in imports, not in URLs. */
const built = import.meta.url.endsWith(".js");

/** tsx, resolved from here and not from the current folder. */
function typescriptLoader(): string {
  return pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
}

/** A process without a job ends after this time. */
const idleMilliseconds = 1_000;

/** Length of the tail of a worker's output that is shown if it dies without a message. */
const tailCharacters = 2_000;

/** Runs each job in a child process. */
export function inChildProcess<Job, Progress, Result>(options: ChildOptions): Execute<Job, Progress, Result> {
  const idle = new Set<ChildProcess>();
  return (job, onProgress, signal) =>
    new Promise<Result>((resolve, reject) => {
      const known = [...idle].find(({ connected }) => connected);
      const child = known ?? start(options);
      const tell = (message: ToWorker) => {
        // "close" reports a worker that is already gone
        if (child.connected) child.send(message, () => {});
      };
      let tail = "";
      const onText = (text: string) => {
        tail = (tail + text).slice(-tailCharacters);
      };
      let answer: FromWorker | undefined;
      const onMessage = (message: FromWorker) => {
        if (message.kind === "ready") tell({ kind: "start", job });
        else if (message.kind === "progress") onProgress(message.progress as Progress);
        else answer = message;
        if (message.kind !== "done") return;
        if (options.reuse !== true || signal.aborted) return tell({ kind: "end" });
        leave();
        idle.add(child);
        keepAwake(child, false);
        setTimeout(() => idle.delete(child) && tell({ kind: "end" }), idleMilliseconds).unref();
        resolve(message.result as Result);
      };

      let impatient: NodeJS.Timeout | undefined;
      const stop = () => {
        tell({ kind: "stop" });
        if (process.platform !== "win32") child.kill("SIGTERM"); // on Windows a signal would kill it immediately
        impatient = setTimeout(() => child.kill("SIGKILL"), (options.graceSeconds ?? 30) * 1000);
      };
      const onClose = (code: number | null, killedBy: string | null) => {
        leave();
        if (answer?.kind === "done") resolve(answer.result as Result);
        else if (answer?.kind === "failed") reject(toError(answer.failure));
        else reject(new Error(deathOf(child, code, killedBy, tail)));
      };
      const leave = () => {
        clearTimeout(impatient);
        signal.removeEventListener("abort", stop);
        child.off("message", onMessage).off("error", reject).off("close", onClose);
        for (const stream of [child.stdout, child.stderr]) stream?.off("data", onText);
      };

      child.on("message", onMessage).on("error", reject).on("close", onClose); // an error: it could not be started
      for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", onText);
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      if (known === undefined) return;
      idle.delete(known);
      keepAwake(known, true);
      tell({ kind: "start", job });
    });
}

/** Whether this process waits for the child before it ends. */
function keepAwake(child: ChildProcess, awake: boolean): void {
  const sockets = [child.stdout, child.stderr] as (Socket | null)[]; // pipes
  for (const handle of [child, child.channel, ...sockets]) {
    if (awake) handle?.ref();
    else handle?.unref();
  }
}

function start({ entry, environment, execArgv = process.execArgv }: ChildOptions): ChildProcess {
  const child = fork(built ? new URL(entry.href.replace(/\.ts$/, ".js")) : entry, {
    env: { ...process.env, ...environment },
    execArgv: built ? [...execArgv] : [...execArgv, "--import", typescriptLoader()],
    serialization: "json",
    // Not "inherit": a worker's output would garble the progress line.
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
