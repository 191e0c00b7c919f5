/**
 * @file The process that holds Pyodide: the inner wall of the embedded host. Started by embedded.ts under Node's
 * permission model; it reads lines of JSON from stdin and writes frames to descriptor 3.
 *
 *     <- {"nonce": "5f...", "task": "serve", "modules": {...}, "memoryBytes": 536870912, ...}
 *     -> 5f... ready 0\n
 *     <- {"text": "{\"operation\": ...}", "judged": true, "wallSeconds": 10, "outputBytes": 1048576, "resultBytes": ...}
 *     -> 5f... plan 41\n[{"digest": "4f53...", "message": ""}]
 *     -> 5f... reply 57\n{"kind": "done", ...}\n{"outcome": "passed", "told": ["4f53..."]}
 *
 * A session's first cell begins in that state too (`session`: begin), the others where the last one ended (continue). A tool
 * that a cell calls is a frame `call`, answered by a line.
 *
 * Each request begins in the state in which the interpreter was loaded, and so does each that it asks for itself (`next`):
 * of what a program is judged by, which the first run parts off, nothing is left in WebAssembly's memory when it is run.
 *
 * WebAssembly reaches nothing but the functions it imports. After loading, those are cut down to the list below: files
 * that live in memory, clocks, random numbers. Whatever else a program finds a way to call ends the process.
 */

import { closeSync, constants, fstatSync, readSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { keepState } from "./untouched.mjs";

const [folder] = process.argv.slice(2);
const channel = 3;
const snapshotDescriptor = 4;
const fileBytes = 64 * 2 ** 20;
const exit = process.reallyExit.bind(process);

/** Imports that stay as they are: none touches anything outside of this process's memory, but the clock. */
const open = new Set([
  ..."_PyEM_TrampolineCall_JS _Py_CheckEmscriptenSignals_Helper _Py_emscripten_runtime".split(" "),
  ..."__assert_fail _abort_js exit proc_exit __call_sighandler _setitimer_js".split(" "),
  ..."environ_get environ_sizes_get _emscripten_get_progname __syscall_getuid32_js __syscall_umask_js".split(
    " ",
  ),
  ..."clock_res_get clock_time_get emscripten_date_now emscripten_get_now random_get".split(" "),
  ..."_tzset_js _timegm_js _mktime_js _localtime_js _gmtime_js".split(" "),
  ..."emscripten_get_heap_max _mmap_js _munmap_js _msync_js".split(" "),
  ..."emscripten_runtime_keepalive_push emscripten_runtime_keepalive_pop _emscripten_runtime_keepalive_clear".split(
    " ",
  ),
  ..."fd_close fd_fdstat_get fd_pread fd_pwrite fd_read fd_seek fd_sync fd_write _try_fcntl64".split(" "),
  ...(
    "chdir chmod dup dup3 faccessat fadvise64 fallocate fchdir fchmod fchmodat2 fchown32 fchownat fcntl64 fdatasync " +
    "fstat64 fstatfs64 ftruncate64 getcwd getdents64 ioctl lstat64 mkdirat mknodat newfstatat openat pipe poll " +
    "readlinkat renameat rmdir stat64 statfs64 symlinkat truncate64 unlinkat utimensat"
  )
    .split(" ")
    .map((name) => `__syscall_${name}`),
]);

/** Imports that fail as they would on a machine without network, shell and shared libraries. */
const refused = {
  ...Object.fromEntries(
    "accept4 bind connect getpeername getsockname getsockopt listen recvfrom recvmsg sendmsg sendto socket"
      .split(" ")
      .map((name) => [`__syscall_${name}`, -63]), // EPERM
  ),
  getaddrinfo: -4, // EAI_FAIL
  getnameinfo: -4,
  _emscripten_lookup_name: 0,
  _emscripten_system: -52, // ENOSYS
  _dlopen_js: 0,
  can_run_sync_js: 0, // no: time.sleep then waits by itself
};

/** While a program is traced the clock stands still but for a microsecond a look, and randomness is a fixed sequence. */
const pinnedSince = Date.UTC(2025, 0, 1);
let isPinned = false;
let looks = 0;
let draws = 0;
const pinnedMilliseconds = () => looks++ / 1000;
const pinned = {
  emscripten_date_now: () => pinnedSince + pinnedMilliseconds(),
  emscripten_get_now: () => 1000 + pinnedMilliseconds(),
  clock_time_get(clock, _precision, place) {
    const since = clock === 0 ? pinnedSince : 1000;
    const nanoseconds = BigInt(since) * 1_000_000n + BigInt(Math.round(pinnedMilliseconds() * 1e6));
    new DataView(module.HEAPU8.buffer).setBigInt64(place >>> 0, nanoseconds, true);
    return 0;
  },
  random_get(place, length) {
    for (let at = place >>> 0; at < (place >>> 0) + length; at++)
      module.HEAPU8[at] = Math.imul(++draws, 0x9e3779b1) >>> 24;
    return 0;
  },
};
const dateNow = Date.now;
Date.now = () => (isPinned ? pinnedSince : dateNow()); // the times of files

let sealed = false;
let inSession = false;
/** Of the tools of a session: what was written of a call so far, and what is left to be read of its answer. */
let said = [];
let told = [];
let memoryBytes = 0;
/** Whether the program has asked for more memory than it may have. */
let isFull = false;
let module;

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

/** Emscripten's own, which is in no list of what it gives out. */
let setTimer;

function guarded(imports) {
  const wrapped = {};
  setTimer ??= imports._setitimer_js;
  for (const [name, value] of Object.entries(imports)) {
    if (name in pinned)
      wrapped[name] = (...values) => (isPinned ? pinned[name](...values) : value(...values));
    else if (typeof value !== "function" || open.has(name)) wrapped[name] = value;
    else if (name === "emscripten_resize_heap") wrapped[name] = (size) => grow(size >>> 0, value);
    else {
      wrapped[name] = (...values) => {
        if (!sealed) return value(...values);
        if (name in refused) return refused[name];
        return stop("crashed", `the program reached for the machine outside (${name})`);
      };
    }
  }
  return wrapped;
}

/** Emscripten's own rule for growth, a fifth more than is asked for, but never above the limit. */
function grow(size, original) {
  if (!sealed) return original(size);
  if (size > memoryBytes) {
    isFull = true;
    return 0;
  }
  const page = 65_536;
  const wanted = Math.max(size, module.HEAPU8.length * 1.2);
  return module.growMemory(Math.min(memoryBytes, Math.ceil(wanted / page) * page)) ? 1 : 0;
}

/** Files live in memory that is not WebAssembly's: what a program makes them hold is limited here. */
let held = 0;
let state;
function limitFiles() {
  const memoryFiles = module.FS.filesystems.MEMFS;
  const { stream } = memoryFiles.ops_table.file;
  const { write } = stream;
  const { resizeFileStorage } = memoryFiles;
  /** The files of requests and answers. */
  const isWay = ({ name, parent }) =>
    (name === "request" || name === "reply") && parent?.name === "lab" && parent.parent === module.FS.root;
  const charge = (node, size) => {
    state?.beforeWriting(node);
    const more = size - node.usedBytes;
    if (more <= 0 || isWay(node)) return;
    if (held + more > fileBytes) throw new module.FS.ErrnoError(51); // ENOSPC
    held += more;
  };
  stream.write = (file, buffer, offset, length, position, canOwn) => {
    charge(file.node, position + length);
    return write.call(stream, file, buffer, offset, length, position, canOwn);
  };
  memoryFiles.resizeFileStorage = (node, size) => {
    charge(node, size);
    return resizeFileStorage.call(memoryFiles, node, size);
  };
}

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

async function load(options) {
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
  return loadPyodide({
    indexURL: folder,
    env: { HOME: "/home/pyodide", PYTHONHASHSEED: "0", PYTHONINSPECT: "" },
    stdin: () => null,
    _sysExecutable: "/usr/bin/python3",
    createPyodideModule: async (settings) => {
      const instantiate = settings.instantiateWasm;
      settings.instantiateWasm = (imports, receive) =>
        instantiate(
          {
            ...imports,
            env: guarded(imports.env),
            wasi_snapshot_preview1: guarded(imports.wasi_snapshot_preview1),
          },
          receive,
        );
      module = await createModule(settings);
      return module;
    },
    ...options,
  });
}

/** Python text as the interpreter's own start would run it: no value crosses between the languages. */
function runPython(code) {
  const pointer = module.stringToNewUTF8(code);
  const status = module._PyRun_SimpleString(pointer);
  module._free(pointer);
  return status;
}

/** The answer to a request, and to those that it leads to. */
function answer({ text, judged, session, wallSeconds, outputBytes, resultBytes, ...settings }, output) {
  inSession = session !== undefined;
  memoryBytes = settings.memoryBytes;
  isPinned = settings.pinned;
  output.limit = outputBytes;
  output.length = 0;
  output.parts = [];
  const end = performance.now() + wallSeconds * 1000;
  for (let request = text, untouched = judged; ; untouched = false) {
    if (session !== "continue") begin();
    const reply = runOnce(request, end, { wallSeconds, resultBytes });
    const line = reply.indexOf("\n");
    const header = JSON.parse(reply.slice(0, line));
    request = reply.slice(line + 1);
    if (header.kind === "next") {
      if (untouched) frame(nonce, "plan", JSON.stringify(header.withheld));
      continue;
    }
    const said = { ...header, output: Buffer.concat(output.parts).toString() };
    return frame(nonce, state.isSpent() ? "last" : "reply", `${JSON.stringify(said)}\n${request}`);
  }
}

function begin() {
  state.restore();
  held = looks = draws = 0;
  said = told = [];
}

/** What the interpreter says to one request, in the state in which it is. */
function runOnce(request, end, { wallSeconds, resultBytes }) {
  isFull = false;
  module.FS.writeFile("/lab/request", request);
  globalThis.serve = () =>
    runPython(`__import__("lab.entry").entry.serve("/lab/request", "/lab/reply", ${resultBytes})`);
  try {
    // The host's own clock is the limit. This one is for the case that the host is gone and cannot kill.
    const timeout = Math.max(1, Math.ceil(end - performance.now())) + 5000;
    const status = new Script("serve()").runInThisContext({ timeout });
    if (status !== 0 && isFull) return stop("memory", "no memory was left for the answer");
    if (status !== 0 && isAnswerFree()) return stop("crashed", "the interpreter could not answer");
  } catch (error) {
    if (error?.name === "ExitStatus")
      return stop("exited", `the program ended the interpreter (${error.message})`);
    if (error?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT")
      return stop("time", `the program ran for longer than ${wallSeconds} s`);
    if (error instanceof RangeError)
      return stop("crashed", "the program nested deeper than the interpreter's stack");
    return stop("crashed", `the interpreter crashed: ${String(error?.message ?? error).slice(0, 500)}`);
  }
  const reply = isAnswerFree() ? module.FS.readFile("/lab/reply", { encoding: "utf8" }) : "";
  return reply.includes("\n") ? reply : stop("forged", "the program took the place of its answer");
}

/** Whether nothing but a file stands where answers are written. */
function isAnswerFree() {
  const { exists, object } = module.FS.analyzePath("/lab/reply", true);
  return !exists || module.FS.isFile(object.mode);
}

/** Counts what Python writes; the program that writes too much is ended on the spot. */
function listen(pyodide) {
  const output = { limit: 0, length: 0, parts: [] };
  const writer = (keep) => ({
    isatty: false,
    write(bytes) {
      output.length += bytes.length;
      if (sealed && output.length > output.limit)
        stop("output", `the program wrote more than ${output.limit} bytes`);
      if (keep) output.parts.push(Buffer.from(bytes));
      return bytes.length;
    },
  });
  pyodide.setStdout(writer(true));
  pyodide.setStderr(writer(false));
  return output;
}

const hello = readLine();
nonce = hello.nonce;
const prepare = `${hello.importer}\ninstall(__import__("json").loads(${JSON.stringify(JSON.stringify(hello.modules))}))\n${hello.preload}\n`;

if (hello.task === "snapshot") {
  const pyodide = await load({ _makeSnapshot: true });
  if (runPython(prepare) !== 0) throw new Error("the lab could not be loaded");
  frame(nonce, "snapshot", pyodide.makeMemorySnapshot());
  exit(0);
}

const pyodide = await load(
  hello.snapshotOffset === undefined ? {} : { _loadSnapshot: readSnapshot(hello.snapshotOffset) },
);
if (hello.snapshotOffset === undefined && runPython(prepare) !== 0)
  throw new Error("the lab could not be loaded");
const output = listen(pyodide);
limitFiles();
module.FS.mkdir("/lab");
let unsaid = [];
module.FS.createDevice("/lab", "looks", () => {
  if (unsaid.length === 0)
    unsaid = [...`${looks} ${draws}`].map((letter) => letter.charCodeAt(0)).concat(null);
  return unsaid.shift();
});
/** Tools of a session: a line that is written here is asked outside, and its answer is read. Refused to all other programs. */
module.FS.createDevice(
  "/lab",
  "tools",
  () => (told.length === 0 ? null : told.shift()),
  (letter) => {
    if (!inSession) throw new module.FS.ErrnoError(63); // EPERM
    if (letter !== 10) return void said.push(letter);
    frame(nonce, "call", Buffer.from(said));
    said = [];
    told = [...Buffer.from(`${readText()}\n`), null];
  },
);
if (runPython(hello.start) !== 0) throw new Error("the lab could not be started");
for (const name of ["fetch", "WebSocket", "require", "Worker", "BroadcastChannel"]) delete globalThis[name];
process.getBuiltinModule = undefined;
process.dlopen = undefined;
sealed = true;
state = keepState(module, setTimer);
frame(nonce, "ready", "");
for (;;) answer(readLine(), output);
