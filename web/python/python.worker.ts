/**
 * @file CPython in a worker of the frame (frame.html): the wall of imports of the embedded host, and nothing that could be fetched.
 *
 *     <- { files: { "pyodide.asm.wasm": ArrayBuffer, ... }, lab: { importer, modules, preload, start } }
 *     -> { kind: "ready" }
 *     <- { text: '{"operation": "trace", ...}', pinned: true, wallSeconds: 10, ... }
 *     -> { kind: "reply", text: '{"kind": "done", ...}\n{...}' }
 *
 * The files come in by messages, since the frame's policy lets nothing be loaded. A request that does not end is ended by the page, which
 * takes the frame away.
 */

import { loadPyodide } from "pyodide";
// @ts-expect-error: Emscripten's own module, which the package does not describe
import createModule from "pyodide/pyodide.asm.mjs";
import { interpreter, prepare } from "../../src/python/sandbox/interpreter.mjs";

export interface Hello {
  readonly files: Readonly<Record<string, ArrayBuffer>>;
  readonly lab: {
    readonly importer: string;
    readonly modules: Readonly<Record<string, string>>;
    readonly preload: string;
    readonly start: string;
  };
}

export interface Request {
  readonly text: string;
  readonly judged: false;
  readonly pinned: boolean;
  readonly wallSeconds: number;
  readonly memoryBytes: number;
  readonly outputBytes: number;
  readonly resultBytes: number;
}

export type Said =
  | { readonly kind: "ready" }
  | { readonly kind: "reply" | "last"; readonly text: string }
  | { readonly kind: "failed"; readonly words: string };

/** Called after a fatal error: the interpreter is in an unknown state. */
class Stopped extends Error {}

const say = (said: Said) => postMessage(said);
let isStopped = false;

const python = interpreter({
  stop(kind, words) {
    // Python could catch what is thrown here. The page takes the frame away when it reads "last".
    if (!isStopped) say({ kind: "last", text: `${JSON.stringify({ kind, words })}\n` });
    isStopped = true;
    throw new Stopped();
  },
  plan() {},
  call: (serve) => serve(),
  close() {},
  umask: () => 0,
  keepMemory: (before) => (memory) => {
    memory.set(before);
    memory.fill(0, before.length);
  },
});

async function open({ files, lab }: Hello): Promise<void> {
  self.fetch = async (address) => {
    const name = String(address).split("/").at(-1)!; // split gives one at least
    const type = name.endsWith(".wasm") ? "application/wasm" : "application/octet-stream";
    const bytes = files[name];
    return bytes === undefined
      ? new Response(null, { status: 404 })
      : new Response(bytes, { headers: { "content-type": type } });
  };
  const pyodide = await python.load(loadPyodide, createModule, { indexURL: "https://none.invalid/" });
  if (prepare(python.runPython, lab) !== 0) throw new Error("the lab could not be loaded");
  python.start(pyodide, lab.start);
  say({ kind: "ready" });
}

addEventListener("message", ({ data }: MessageEvent<Hello | Request>) => {
  if ("files" in data)
    open(data).catch((error) => say({ kind: "failed", words: String(error?.message ?? error) }));
  else
    try {
      const { text, isLast } = python.answer(data);
      if (!isStopped) say({ kind: isLast ? "last" : "reply", text });
    } catch (error) {
      if (!(error instanceof Stopped) && !isStopped) say({ kind: "failed", words: String(error) });
    }
});
