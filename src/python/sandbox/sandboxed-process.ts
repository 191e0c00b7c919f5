/**
 * @file A monitored child process that answers in frames; runs the interpreters of both hosts.
 *
 *     5f0c...e1 reply 57\n{"kind":"done", ...}\n{"outcome":"passed"}
 *     |nonce    |     |bytes that follow
 *
 * Frames come on descriptor 3. The child gets the nonce on its stdin and hides it from the program; data on the
 * descriptor that does not begin with it is a forgery. This process monitors time, memory and output, and kills a
 * child that exceeds a limit together with its descendants.
 */

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { Writable } from "node:stream";
import type { Stop } from "./host.ts";
import { residentBytes } from "./resident-memory.ts";

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Run as this user and group; only root can. */
  readonly user?: number;
  /** An open file that the child finds as its descriptor 4. */
  readonly descriptor?: number;
  /** Or bytes that it reads from descriptor 4. */
  readonly bytes?: Buffer;
}

/** Limits while waiting for a frame. */
export interface Watch {
  readonly wallSeconds: number;
  readonly residentBytes: number;
  readonly outputBytes: number;
  readonly frameBytes: number;
  /** Frames that may wait to be heard; any number by default. */
  readonly waitingFrames?: number;
}

export interface Frame {
  readonly kind: string;
  readonly body: Buffer;
}

export type Heard =
  | { readonly kind: "frame"; readonly frame: Frame }
  /** A limit was passed, and the child is dead. `framesBefore`: how many it had answered by then. */
  | { readonly kind: "stopped"; readonly stop: Stop; readonly words: string; readonly framesBefore: number }
  /** The child ended by itself. */
  | { readonly kind: "ended"; readonly code: number | null; readonly killedBy: string | null };

export interface Contained {
  readonly nonce: string;
  readonly pid: number;
  /** Output to stdout since the last call; also resets the count of output and the last error text. */
  takeOutput(): string;
  /** The end of what came on stderr, since the last call of `takeOutput`. */
  lastWords(): string;
  /** One line: an object as JSON, or JSON text. */
  send(message: object | string): void;
  /** Waits for the next frame, for a limit or for the end. Rejects when `signal` aborts; the child is dead then. */
  hear(watch: Watch, signal?: AbortSignal): Promise<Heard>;
  /** Watches while nothing is waited for, until what it returns is called. A child that passes a limit is dead then; the next `hear` says so. */
  guard(watch: Watch): () => void;
  kill(): void;
  /** Resolves when the process and what it held open are gone. */
  readonly gone: Promise<void>;
}

const memoryLookMilliseconds = 50;
const lastWordsCharacters = 2_000;
/** Longer than any head of a frame: nonce, kind, length. */
const longestHead = 80;

/** Kill functions of the running children: none outlives this process. */
const watched = new Set<() => void>();
process.on("exit", () => {
  for (const kill of watched) kill();
});

export function contain({ file, args, environment, cwd, user, descriptor, bytes }: Command): Contained {
  const nonce = randomBytes(16).toString("hex");
  const child = spawn(file, args, {
    env: { ...environment },
    ...(cwd !== undefined && { cwd }),
    stdio: ["pipe", "pipe", "pipe", "pipe", bytes === undefined ? (descriptor ?? "ignore") : "pipe"],
    detached: true, // a separate process group, killed together
    windowsHide: true,
    ...(user !== undefined && { uid: user, gid: user }),
  });
  const pid = child.pid ?? 0;
  const kill = () => {
    try {
      if (pid !== 0) process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
    } catch {
      // it is gone already
    }
  };
  watched.add(kill);

  let ended: Extract<Heard, { kind: "ended" }> | undefined;
  let stopped: Extract<Heard, { kind: "stopped" }> | undefined;
  const frames: Frame[] = [];
  let framesBefore = 0;
  let limits: Watch | undefined;
  let wake = () => {};
  const stop = (how: Stop, words: string) => {
    stopped ??= { kind: "stopped", stop: how, words, framesBefore };
    kill();
    wake();
  };

  let output: Buffer[] = [];
  let written = 0;
  let tail = "";
  const count = (bytes: Buffer) => {
    written += bytes.length;
    if (limits !== undefined && written > limits.outputBytes)
      stop("output", `the program wrote more than ${limits.outputBytes} bytes`);
  };
  child.stdout?.on("data", (bytes: Buffer) => {
    count(bytes);
    if (stopped === undefined) output.push(bytes);
  });
  child.stderr?.on("data", (bytes: Buffer) => {
    count(bytes);
    tail = (tail + bytes.toString()).slice(-lastWordsCharacters);
  });

  const reader = frameReader(nonce);
  child.stdio[3]?.on("data", (bytes: Buffer) => {
    const longest = limits?.frameBytes ?? 0;
    let read = stopped === undefined ? reader(bytes, longest) : undefined;
    for (; read?.kind === "frame"; read = reader(Buffer.alloc(0), longest)) {
      frames.push(read.frame);
      framesBefore++;
    }
    if (frames.length > (limits?.waitingFrames ?? Number.POSITIVE_INFINITY))
      stop("forged", "the program spoke without being asked");
    if (read?.kind === "forged") stop("forged", "the program wrote to the channel of results");
    if (read?.kind === "too long") stop("result-size", `the answer is longer than ${longest} bytes`);
    wake();
  });
  child.stdin?.on("error", () => {}); // it died before it had read everything; "close" tells
  for (const stream of child.stdio) stream?.on("error", () => {});
  if (bytes !== undefined) (child.stdio[4] as Writable).end(bytes);

  const gone = new Promise<void>((resolve) => {
    const end = (code: number | null, killedBy: string | null) => {
      watched.delete(kill);
      ended ??= { kind: "ended", code, killedBy };
      wake();
      resolve();
    };
    child.on("error", (error) => {
      tail += String(error.message);
      end(null, null);
    });
    // Leftover processes may keep the pipes open: they are in the group and are killed with it.
    child.on("exit", kill);
    child.on("close", end);
  });

  const guard = (watch: Watch) => {
    limits = watch;
    const { wallSeconds, residentBytes: most } = watch;
    const late = Number.isFinite(wallSeconds)
      ? setTimeout(() => stop("time", `the program ran for longer than ${wallSeconds} s`), wallSeconds * 1000)
      : undefined;
    const look = setInterval(() => {
      if (residentBytes(pid) > most) stop("memory", "the program used more memory than it may");
    }, memoryLookMilliseconds);
    return () => {
      clearTimeout(late);
      clearInterval(look);
      if (limits === watch) limits = undefined;
    };
  };

  return {
    nonce,
    pid,
    gone,
    kill,
    guard,
    lastWords: () => tail.trim(),
    takeOutput() {
      const text = Buffer.concat(output).toString();
      output = [];
      written = 0;
      tail = "";
      return text;
    },
    send(message) {
      child.stdin?.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
    },
    async hear(watch, signal) {
      const unguard = guard(watch);
      const abort = () => {
        kill();
        wake();
      };
      signal?.addEventListener("abort", abort, { once: true });
      try {
        for (;;) {
          if (signal?.aborted) {
            kill();
            await gone;
            throw signal.reason;
          }
          if (stopped !== undefined) {
            await gone;
            return stopped;
          }
          const frame = frames.shift();
          if (frame !== undefined) {
            // What was printed before the frame is readable now, and is counted before the frame is returned.
            await new Promise(setImmediate);
            if (stopped !== undefined) continue;
            return { kind: "frame", frame };
          }
          if (ended !== undefined) return ended;
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        unguard();
        signal?.removeEventListener("abort", abort);
      }
    },
  };
}

type Read =
  | { readonly kind: "frame"; readonly frame: Frame }
  | { readonly kind: "forged" }
  | { readonly kind: "too long" };

/** Puts frames together from pieces; one frame at a time is on its way. */
export function frameReader(nonce: string): (bytes: Buffer, longest: number) => Read | undefined {
  let pieces: Buffer[] = [];
  let held = 0;
  let head: { kind: string; length: number } | undefined;
  return (bytes, longest) => {
    pieces.push(bytes);
    held += bytes.length;
    if (head === undefined) {
      const start = Buffer.concat(pieces);
      const end = start.subarray(0, longestHead).indexOf(10);
      if (end < 0) return held >= longestHead || !beginsLike(start, nonce) ? { kind: "forged" } : undefined;
      const [, said, kind, length] =
        /^([0-9a-f]{32}) ([a-z]+) (\d+)$/.exec(start.toString("latin1", 0, end)) ?? [];
      if (said !== nonce) return { kind: "forged" };
      head = { kind, length: Number(length) };
      pieces = [start.subarray(end + 1)];
      held = pieces[0].length;
    }
    if (head.length > longest) return { kind: "too long" };
    if (held < head.length) return undefined;
    const frame = { kind: head.kind, body: Buffer.concat(pieces).subarray(0, head.length) };
    const rest = Buffer.concat(pieces).subarray(head.length);
    pieces = rest.length === 0 ? [] : [rest];
    held = rest.length;
    head = undefined;
    return { kind: "frame", frame };
  };
}

function beginsLike(start: Buffer, nonce: string): boolean {
  const known = Math.min(start.length, nonce.length);
  return start.toString("latin1", 0, known) === nonce.slice(0, known);
}
