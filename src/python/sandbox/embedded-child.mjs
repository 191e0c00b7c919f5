/**
 * @file The process that runs Pyodide, inside of the embedded host. Started by embedded.ts under Node's permission
 * model; it reads lines of JSON from stdin and writes frames to descriptor 3.
 *
 *     <- {"nonce": "5f...", "task": "serve", "modules": {...}, "memoryBytes": 536870912, ...}
 *     -> 5f... ready 0\n
 *     <- {"text": "{\"operation\": ...}", "judged": true, "wallSeconds": 10, "outputBytes": 1048576, "resultBytes": ...}
 *     -> 5f... plan 41\n[{"digest": "4f53...", "message": ""}]
 *     -> 5f... reply 57\n{"kind": "done", ...}\n{"outcome": "passed", "told": ["4f53..."]}
 *
 * The first cell of a session also starts in the loaded state (`session`: begin), the others continue from the last
 * one (continue). A tool call is a frame `call`, answered by a line.
 *
 * Imports and replies of the interpreter are in interpreter.mjs.
 */

import { closeSync, constants, fstatSync, readSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { interpreter, prepare } from "./interpreter.mjs";

const [folder] = process.argv.slice(2);
const channel = 3;
const snapshotDescriptor = 4;
const exit = process.reallyExit.bind(process);
/** Time limit of a program whose host is gone and cannot kill it. */
const graceMilliseconds = 5000;

const frame = (nonce, kind, body) => {
  const bytes = Buffer.from(body);
  let rest = Buffer.concat([Buffer.from(`${nonce} ${kind} ${bytes.length}\n`), bytes]);
  while (rest.length > 0) rest = rest.subarray(writeSync(channel, rest));
};

let nonce = "";
/** The last word of this process: the interpreter is in an unknown state, or the host wants no more of it. */
function stop(kind, words) {
  frame(nonce, "reply", `${JSON.stringify({ kind, words })}\n`);
  exit(0);
}

let sealed = false;
const { load, runPython, start, answer } = interpreter({
  stop,
  plan: (text) => frame(nonce, "plan", text),
  tool(call) {
    frame(nonce, "call", call);
    return readText();
  },
  /** The host's own clock is the limit. This one is for the case that the host is gone and cannot kill. */
  call(serve, milliseconds) {
    globalThis.serve = serve;
    return new Script("serve()").runInThisContext({ timeout: milliseconds + graceMilliseconds });
  },
  close() {
    for (const name of ["fetch", "WebSocket", "require", "Worker", "BroadcastChannel"])
      delete globalThis[name];
    // Discards Emscripten's messages: the streams of this process do not belong to a program.
    for (const name of Object.keys(console)) console[name] = () => {};
    process.getBuiltinModule = undefined;
    process.dlopen = undefined;
    sealed = true;
  },
});

/** One line from stdin, read as it comes: while Python runs nothing else is to happen here. */
let unread = Buffer.alloc(0);
const readLine = () => JSON.parse(readText());
function readText() {
  const parts = [];
  for (;;) {
    const end = unread.indexOf(10);
    if (end >= 0) {
      parts.push(unread.subarray(0, end));
      unread = unread.subarray(end + 1);
      return Buffer.concat(parts).toString();
    }
    parts.push(unread);
    const chunk = Buffer.allocUnsafe(65_536);
    const length = readSync(0, chunk);
    if (length === 0) exit(0); // the host is gone
    unread = chunk.subarray(0, length);
  }
}

function readSnapshot(offset) {
  const bytes = Buffer.allocUnsafe(fstatSync(snapshotDescriptor).size - offset);
  for (let at = 0; at < bytes.length; )
    at += readSync(snapshotDescriptor, bytes, at, bytes.length - at, offset + at);
  closeSync(snapshotDescriptor);
  return bytes;
}
async function loaded(options) {
  // Emscripten asks for the constants of fs in this old way, which the permission model refuses.
  process.binding = (name) => {
    if (name === "constants" && !sealed) return { fs: constants };
    throw new Error(`process.binding(${name}) is closed`);
  };
  const urlOf = (name) => pathToFileURL(`${folder}/${name}`).href;
  const [{ loadPyodide }, { default: createModule }] = await Promise.all([
    import(urlOf("pyodide.mjs")),
    import(urlOf("pyodide.asm.mjs")),
  ]);
  return load(loadPyodide, createModule, { indexURL: folder, ...options });
}

const hello = readLine();
nonce = hello.nonce;

if (hello.task === "snapshot") {
  const pyodide = await loaded({ _makeSnapshot: true });
  if (prepare(runPython, hello) !== 0) throw new Error("the lab could not be loaded");
  frame(nonce, "snapshot", pyodide.makeMemorySnapshot());
  exit(0);
}

const pyodide = await loaded(
  hello.snapshotOffset === undefined ? {} : { _loadSnapshot: readSnapshot(hello.snapshotOffset) },
);
if (hello.snapshotOffset === undefined && prepare(runPython, hello) !== 0)
  throw new Error("the lab could not be loaded");
start(pyodide, hello.start);
frame(nonce, "ready", "");
for (;;) {
  const { text, isLast } = answer(readLine());
  frame(nonce, isLast ? "last" : "reply", text);
}
