/**
 * @file The embedded host: CPython compiled to WebAssembly (Pyodide), in a restricted Node process.
 *
 * Four layers, from the inside: WebAssembly, which can only call its imports; a reduced list of imports
 * (interpreter.mjs); Node's permission model without code from strings; and bubblewrap if available. An interpreter
 * starts from a memory snapshot and is reset to that state before each request (memory-reset.mjs); one that exceeded
 * a limit is replaced.
 */

import { createHash } from "node:crypto";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { LabError } from "../../core/error.ts";
import { held, slots } from "../../core/semaphore.ts";
import { asNobody, type Bubblewrap, findBubblewrap, readableByAll } from "./bubblewrap.ts";
import { type Limits, type Outcome, type PythonHost, requestText, resolveLimits } from "./host.ts";
import { type Command, type Contained, contain, type Watch } from "./sandboxed-process.ts";
import { startSession } from "./session.ts";
import { cacheFolder, checksumBytes, snapshotFile } from "./snapshot.ts";
import { loading, startText } from "./tracer-sources.ts";
import { hearAnswer, readReply } from "./verdict.ts";

export interface EmbeddedOptions {
  /** Programs that run at the same time; by default one for each processor. */
  readonly atMost?: number;
  /** Interpreters kept ready beyond those at work; 1 by default. */
  readonly warm?: number;
  /** Folder of the snapshot; `null` for none. */
  readonly cache?: string | null;
  /** false: do not use bubblewrap. */
  readonly bubblewrap?: boolean;
  readonly limits?: Partial<Limits>;
}

/** Memory of Node and its compiler in addition to the interpreter's. */
const nodeBytes = 400 * 2 ** 20;
const heapMegabytes = 256;
const temporaryBytes = 2 ** 20;
const defaultStackBytes = 8 * 2 ** 20;
const startWatch: Watch = {
  wallSeconds: 60,
  residentBytes: 2 ** 30,
  outputBytes: 2 ** 20,
  frameBytes: 2 ** 28,
};

type Started =
  | { readonly kind: "ready"; readonly child: Contained }
  | { readonly kind: "failed"; readonly words: string };

export async function embeddedHost(options: EmbeddedOptions = {}): Promise<PythonHost> {
  const { atMost = availableParallelism(), warm = 1 } = options;
  const found = findBubblewrap();
  const bubblewrap = found.kind === "found" && options.bubblewrap !== false ? found.bubblewrap : undefined;
  const snapshot = await openSnapshot(options, bubblewrap);
  const alive = new Set<Contained>();
  const idle: Promise<Started>[] = [];
  const slot = slots(atMost);
  let closed = false;

  const launch = async (): Promise<Started> => {
    const child = contain(childCommand(bubblewrap, snapshot));
    alive.add(child);
    void child.gone.then(() => alive.delete(child));
    child.send({
      ...{ nonce: child.nonce, task: "serve", start: startText },
      ...(snapshot === undefined ? loading() : { snapshotOffset: checksumBytes }),
    });
    const heard = await child.hear(startWatch);
    if (heard.kind === "frame" && heard.frame.kind === "ready") return { kind: "ready", child };
    child.kill();
    await child.gone;
    return { kind: "failed", words: `the embedded interpreter did not start: ${child.lastWords()}` };
  };
  const refill = () => {
    while (!closed && idle.length < warm) idle.push(launch());
  };
  refill();
  const take = async (): Promise<Started> => {
    for (let next = idle.shift(); next !== undefined; next = idle.shift()) {
      const started = await next;
      if (started.kind === "failed" || alive.has(started.child)) return started; // else it died while it waited
    }
    return closed ? { kind: "failed", words: "the host is closed" } : launch();
  };

  return {
    name: "embedded",
    containment: `Pyodide in Node's permission model${bubblewrap === undefined ? "" : `, inside bubblewrap ${bubblewrap.version}`}`,
    run: (request, limits = {}, signal) =>
      slot(async () => {
        const { text, judged } = requestText(request);
        const started = await take();
        if (started.kind === "failed") return { kind: "sandbox", words: started.words };
        const { child } = started;
        let answer: Answer | undefined;
        try {
          // The clock is frozen for programs whose runs are compared.
          const pinned = request.operation === "trace";
          answer = await ask(child, { text, judged, pinned }, resolveLimits(options.limits, limits), signal);
        } finally {
          if (answer?.goesOn && !closed) idle.unshift(Promise.resolve(started));
          else {
            child.kill();
            refill();
          }
        }
        return answer.outcome;
      }, signal),
    session: (limits = {}, signal) =>
      held(
        slot,
        async (ended) => {
          const started = await take();
          if (started.kind === "failed") throw new LabError(`sandbox: ${started.words}`, "noSandbox");
          const { child } = started;
          let first = true;
          return startSession({
            ...{ child, host: "embedded", ownBytes: nodeBytes, limits: { ...options.limits, ...limits } },
            send(text, { wallSeconds, memoryBytes, outputBytes, resultBytes }) {
              const cell = { text, judged: false, pinned: false, session: first ? "begin" : "continue" };
              child.send({ ...cell, wallSeconds, memoryBytes, outputBytes, resultBytes });
              first = false;
            },
            async release(usable) {
              // It is put back as after any program (memory-reset.mjs).
              if (usable && !closed) idle.unshift(Promise.resolve(started));
              else {
                child.kill();
                await child.gone;
                refill();
              }
              ended();
            },
          });
        },
        signal,
      ),
    async ready() {
      await idle[0];
    },
    async close() {
      if (!closed && snapshot !== undefined) closeSync(snapshot);
      closed = true;
      for (const child of alive) child.kill();
      await Promise.all([...alive].map((child) => child.gone));
    },
  };
}

interface Answer {
  readonly outcome: Outcome;
  /** Whether the interpreter can answer another request. */
  readonly goesOn: boolean;
}

async function ask(
  child: Contained,
  request: { readonly text: string; readonly judged: boolean; readonly pinned: boolean },
  limits: Limits,
  signal?: AbortSignal,
): Promise<Answer> {
  const { wallSeconds, memoryBytes, outputBytes, resultBytes } = limits;
  child.takeOutput(); // of an earlier request
  child.send({ ...request, wallSeconds, memoryBytes, outputBytes, resultBytes });
  const { heard, plan } = await hearAnswer(
    child,
    {
      wallSeconds,
      residentBytes: memoryBytes + nodeBytes,
      outputBytes: outputBytes + 2 ** 16, // for messages of Node when it crashes
      frameBytes: 2 * resultBytes + 6 * outputBytes + 2 ** 16,
    },
    signal,
  );
  switch (heard.kind) {
    case "frame": {
      const outcome = readReply({ body: heard.frame.body, plan, host: "embedded" });
      return { outcome, goesOn: outcome.kind === "done" && heard.frame.kind === "reply" };
    }
    case "stopped":
      return { outcome: { kind: heard.stop, words: heard.words }, goesOn: false };
    case "ended": {
      const words = `the interpreter died: ${child.lastWords() || heard.killedBy}`;
      return { outcome: { kind: "crashed", words }, goesOn: false };
    }
    default:
      return heard satisfies never;
  }
}

/**
 * The snapshot as an open file, which stays when its name goes: another version may clear the cache. undefined where
 * none is wanted; each interpreter then takes seconds to start.
 */
async function openSnapshot(
  { cache = cacheFolder() }: EmbeddedOptions,
  bubblewrap: Bubblewrap | undefined,
): Promise<number | undefined> {
  if (cache === null) return undefined;
  const contents = loading();
  const digest = createHash("sha256").update(JSON.stringify(contents)).digest("hex");
  const key = `${pyodideFiles().version}-${digest.slice(0, 16)}`;
  let memory: Promise<Buffer> | undefined;
  const make = () => {
    memory ??= takeSnapshot(bubblewrap, contents);
    return memory;
  };
  try {
    return openSync(await snapshotFile(cache, key, make), "r");
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    // The cache is not writable: this host uses a private copy, unlinked if the system allows it.
    const folder = mkdtempSync(join(tmpdir(), "statelab-snapshot-"));
    const descriptor = openSync(await snapshotFile(folder, key, make), "r");
    rmSync(folder, { recursive: true, force: true });
    return descriptor;
  }
}

async function takeSnapshot(bubblewrap: Bubblewrap | undefined, contents: object): Promise<Buffer> {
  const maker = contain(childCommand(bubblewrap));
  maker.send({ nonce: maker.nonce, task: "snapshot", ...contents });
  const heard = await maker.hear(startWatch);
  maker.kill();
  await maker.gone;
  if (heard.kind === "frame" && heard.frame.kind === "snapshot") return heard.frame.body;
  throw new Error(`the embedded interpreter could not be loaded: ${maker.lastWords() || heard.kind}`);
}

function pyodideFiles() {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("pyodide/package.json");
  const { version } = require(manifest) as { version: string }; // npm's own format
  return {
    version,
    folder: dirname(manifest),
    child: fileURLToPath(new URL("embedded-child.mjs", import.meta.url)),
    beside: ["interpreter.mjs", "files.mjs", "probes.mjs", "memory-reset.mjs"].map((name) =>
      fileURLToPath(new URL(name, import.meta.url)),
    ),
  };
}

/**
 * The depth of C recursion is limited by the thread's stack, of which V8 uses an eighth by default; how far that
 * suffices depends on how much WebAssembly has been optimized.
 */
function stackFlags(): string[] {
  if (process.platform !== "linux") return [];
  const [, limit] = /^Max stack size\s+(\S+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  const bytes = limit === "unlimited" ? defaultStackBytes : Math.min(Number(limit), defaultStackBytes);
  const usable = Math.floor((bytes * 0.8) / 1024);
  return usable > 984 ? [`--stack-size=${usable}`] : [];
}

function childCommand(bubblewrap: Bubblewrap | undefined, descriptor?: number): Command {
  const { folder, child, beside } = pyodideFiles();
  const permission = process.allowedNodeEnvironmentFlags.has("--permission")
    ? "--permission"
    : "--experimental-permission";
  const ours = [folder, child, ...beside];
  const readable = [process.execPath, ...ours];
  const command: Command = {
    file: process.execPath,
    args: [
      ...["--no-warnings", permission, ...ours.map((path) => `--allow-fs-read=${path}`)],
      ...["--disallow-code-generation-from-strings", `--max-old-space-size=${heapMegabytes}`],
      ...stackFlags(),
      ...[child, folder],
    ],
    environment: { TZ: "UTC" },
    // If the unprivileged user cannot read the files, stay root without capabilities: there is nothing here to start
    // processes.
    ...(readable.every(readableByAll) && asNobody()),
    ...(descriptor !== undefined && { descriptor }),
  };
  return bubblewrap === undefined ? command : bubblewrap.wrap(command, { readable, temporaryBytes });
}
