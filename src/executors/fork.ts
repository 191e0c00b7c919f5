/**
 * @file Jobs in child processes: one process per job, so that a crash is isolated and each has a separate environment (such as one
 * thread). The entry module calls `serveJob` of worker.ts.
 */

import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { type Execute, type FromWorker, type ToWorker, toError } from "./pool.ts";

interface ChildOptions {
  /** The child's entry module, by its source URL: `new URL("./train-worker.ts", import.meta.url)`. */
  readonly entry: URL;
  /** Added to this process's environment: `{ OMP_NUM_THREADS: "1" }`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Node flags of the child; by default those of this process, plus what is needed to read TypeScript. */
  readonly execArgv?: readonly string[];
  /** Time between SIGTERM and SIGKILL. */
  readonly graceSeconds?: number;
}

/** Whether this is the built package: the compiler renames .ts in imports, not in URLs. */
const built = import.meta.url.endsWith(".js");

/** tsx, resolved from here and not from the current folder. */
function typescriptLoader(): string {
  return pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
}

/** Length of the tail of a worker's output that is shown if it dies without a message. */
const tailCharacters = 2_000;

/** Runs each job in a child process. */
export function inChildProcess<Job, Progress, Result>(options: ChildOptions): Execute<Job, Progress, Result> {
  return (job, onProgress, signal) =>
    new Promise<Result>((resolve, reject) => {
      const child = start(options);
      const tell = (message: ToWorker) => {
        // "close" reports a worker that is already gone
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
        if (process.platform !== "win32") child.kill("SIGTERM"); // on Windows a signal would kill it immediately
        impatient = setTimeout(() => child.kill("SIGKILL"), (options.graceSeconds ?? 30) * 1000);
      };
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();

      child.on("error", reject); // it could not be started
      child.on("close", (code, killedBy) => {
        clearTimeout(impatient);
        signal.removeEventListener("abort", stop);
        if (answer?.kind === "done") resolve(answer.result as Result);
        else if (answer?.kind === "failed") reject(toError(answer.failure));
        else reject(new Error(deathOf(child, code, killedBy, tail)));
      });
    });
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
