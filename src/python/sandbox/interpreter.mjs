/**
 * @file Sandboxed CPython in WebAssembly, shared by the Node process (embedded-child.mjs) and the worker of the page
 * (web/python/python.worker.ts): its allowed imports, clock, files, and request loop.
 *
 *     const it = interpreter({ stop, umask, keepMemory, call });
 *     await it.load(loadPyodide, createModule, { indexURL });
 *     prepare(it.runPython, lab); it.start(pyodide, start); it.answer(request)
 *
 * WebAssembly can only call imported functions. After loading, these are reduced to the list below: in-memory files,
 * clocks, random numbers. A call of any other import ends the interpreter (`stop`).
 *
 * Each request starts in the loaded state, and so does each follow-up request (`next`): the expected values that the
 * first run splits off are no longer in WebAssembly's memory when the program runs. Cells of a session after its
 * first (`session`: continue) start where the last one ended, and may call tools outside (`tool`).
 */

import { fcntl, sealFiles } from "./files.mjs";
import { keepState } from "./memory-reset.mjs";
import { installProbes } from "./probes.mjs";

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

/** Words of the interpreter's state that are searched for the pointer to its table of modules. */
const runtimeWords = 4096;
const pinnedSince = Date.UTC(2025, 0, 1);

/**
 * Makes the tracer importable, then preloads imports of programs: two texts, because the first is long and uses
 * memory while it runs.
 */
export function prepare(runPython, { importer, modules, preload }) {
  const sources = JSON.stringify(JSON.stringify(modules));
  return (
    runPython(`${importer}\ninstall(__import__("json").loads(${sources}))\n`) || runPython(`${preload}\n`)
  );
}

/**
 * `host.stop(kind, words)` ends the interpreter and does not return; `host.call(serve, milliseconds)` calls the
 * function that runs Python; `host.plan(withheld)` receives the expected values; `host.tool(bytes)` answers a tool
 * call of a session with a line (only with sessions); `host.umask` and `host.keepMemory` are those of
 * memory-reset.mjs.
 */
export function interpreter(host) {
  const { stop } = host;
  let module;
  /** Exports of WebAssembly, which locate the interpreter's tables. */
  let exports;
  let sealed = false;
  let inSession = false;
  /** Tool calls of a session: the part of a call written so far, and the unread part of its answer. */
  let said = [];
  let told = [];
  let memoryBytes = 0;
  /** Whether the program has exceeded its memory limit. */
  let isFull = false;
  /** While a program is traced, the clock advances one microsecond per reading, and randomness is a fixed sequence. */
  let isPinned = false;
  let looks = 0;
  let draws = 0;
  /** Reads of standard input, and places where Linux would wait for ever. */
  let questions = 0;
  let waits = 0;
  /** Emscripten's own, which are in no list of what it gives out. */
  let setTimer;
  let randomGet;
  let files;
  let state;
  const output = { limit: 0, length: 0, parts: [] };

  /** The notes of lab/probes.py; programs sleep on its clock. */
  let probes;
  const zone = 5;
  const pinnedMilliseconds = () => {
    const now = probes.clock.read();
    probes.clock.set(now + 1e-6);
    looks++;
    return now * 1000;
  };
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

  function guarded(imports) {
    const wrapped = {};
    setTimer ??= imports._setitimer_js;
    randomGet ??= imports.random_get;
    for (const [name, value] of Object.entries(imports)) {
      if (name in pinned)
        wrapped[name] = (...values) => (isPinned ? pinned[name](...values) : value(...values));
      else if (name === "__syscall_fcntl64")
        wrapped[name] = (...values) => (sealed ? fcntl(module, value, values) : value(...values));
      else if (name === "_localtime_js" || name === "_mktime_js")
        wrapped[name] = (...values) => {
          probes?.note(zone);
          return value(...values);
        };
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

  /** Emscripten's growth rule, a fifth more than requested, but never above the limit. */
  function grow(size, original) {
    if (module === undefined) return original(size);
    // Loaded state is restored for every program, so it should be small.
    if (!sealed) return module.growMemory(Math.ceil(size / 2 ** 20) * 2 ** 20) ? 1 : 0;
    if (size > memoryBytes) {
      isFull = true;
      return 0;
    }
    const page = 65_536;
    const wanted = Math.max(size, module.HEAPU8.length * 1.2);
    return module.growMemory(Math.min(memoryBytes, Math.ceil(wanted / page) * page)) ? 1 : 0;
  }

  /** Instantiates it with the reduced imports. Returns the result of `loadPyodide`; keeps its module. */
  function load(loadPyodide, createModule, options) {
    return loadPyodide({
      env: { HOME: "/home/pyodide", PYTHONHASHSEED: "0", PYTHONINSPECT: "" },
      stdin: () => {
        questions++;
        return null;
      },
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
            (instance, ...more) => {
              exports = instance.exports;
              return receive(instance, ...more);
            },
          );
        module = await createModule(settings);
        const length = options._loadSnapshot?.byteLength ?? 0;
        // Pyodide copies a snapshot into the existing memory; it is preceded by a header of less than a page.
        if (length > module.HEAPU8.length) module.growMemory(Math.floor(length / 65_536) * 65_536);
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

  /** Counts what Python writes; the program that writes too much is ended on the spot. */
  function listen(pyodide) {
    const writer = (keep) => ({
      isatty: false,
      write(bytes) {
        output.length += bytes.length;
        if (sealed && output.length > output.limit)
          stop("output", `the program wrote more than ${output.limit} bytes`);
        if (keep) output.parts.push(bytes.slice());
        return bytes.length;
      },
    });
    pyodide.setStdout(writer(true));
    pyodide.setStderr(writer(false));
  }

  /** Starts the tracer and closes the sandbox: no further imports are possible. */
  function start(pyodide, text) {
    listen(pyodide);
    makeLabFolder();
    files = sealFiles(
      module,
      pinnedSince,
      (place, length) => (isPinned ? pinned.random_get(place, length) : randomGet(place, length)),
      () => waits++,
    );
    if (runPython(text) !== 0) throw new Error("the lab could not be started");
    probes = installProbes(module, JSON.parse(module.FS.readFile("/lab/probes", { encoding: "utf8" })));
    module.FS.unlink("/lab/probes");
    closeModules();
    host.close();
    sealed = true;
    state = keepState(module, setTimer, host);
  }

  /**
   * Takes the modules that are closed to programs out of the tables of those that are built in, and of those that were loaded: what
   * is not there loads by no way. A table is pairs of a name and a function, and ends with zeros; the interpreter works with a copy of PyImport_Inittab.
   */
  function closeModules() {
    const list = "/lab/closed";
    if (runPython(`__import__("lab.guard").guard.list_closed("${list}")`) !== 0)
      throw new Error("no list of modules");
    const closed = new Set(module.FS.readFile(list, { encoding: "utf8" }).split(" "));
    module.FS.unlink(list);
    for (const each of closed) {
      const text = module.stringToNewUTF8(each);
      const object = exports.PyUnicode_FromString(text);
      exports._PyImport_ClearExtension(object, object);
      module._free(text);
    }
    const words = module.HEAPU32;
    const table = words[exports.PyImport_Inittab.value >>> 2] >>> 2;
    const [name, start] = words.subarray(table, table + 2);
    const runtime = exports._PyRuntime.value >>> 2;
    const copy = words
      .subarray(runtime, runtime + runtimeWords)
      .find((at) => at >>> 2 !== table && words[at >>> 2] === name && words[(at >>> 2) + 1] === start);
    if (copy === undefined) throw new Error("the interpreter's table of modules was not found");
    for (const first of [table, copy >>> 2]) {
      let end = first;
      for (let at = first; words[at] !== 0; at += 2)
        if (!closed.has(module.UTF8ToString(words[at]))) {
          words.copyWithin(end, at, at + 2);
          end += 2;
        }
      words[end] = words[end + 1] = 0;
    }
  }

  function makeLabFolder() {
    const { FS } = module;
    FS.mkdir("/lab");
    const device = FS.makedev(FS.createDevice.major++, 0);
    FS.registerDevice(device, {
      open(stream) {
        stream.seekable = false;
        probes.finish();
        stream.unread = new TextEncoder().encode(`${looks} ${draws} ${questions} ${waits}`);
      },
      read(stream, buffer, offset, length) {
        const part = stream.unread.subarray(0, length);
        buffer.set(part, offset);
        stream.unread = stream.unread.subarray(length);
        return part.length;
      },
    });
    FS.mkdev("/lab/looks", 0o444, device);
    // A line written here is sent to the host, and its answer is read. Refused to all programs except sessions.
    FS.createDevice(
      "/lab",
      "tools",
      () => (told.length === 0 ? null : told.shift()),
      (letter) => {
        if (!inSession) throw new FS.ErrnoError(63); // EPERM
        if (letter !== 10) return void said.push(letter);
        const answered = host.tool(Uint8Array.from(said));
        said = [];
        told = [...new TextEncoder().encode(`${answered}\n`), null];
      },
    );
  }

  /** The answer to a request, and to those that it leads to: its text, and whether it is the last that this interpreter can give. */
  function answer({ text, judged, session, wallSeconds, outputBytes, resultBytes, ...settings }) {
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
        if (untouched) host.plan(JSON.stringify(header.withheld));
        continue;
      }
      const whole = { ...header, output: textOf(output.parts) };
      return { text: `${JSON.stringify(whole)}\n${request}`, isLast: state.isSpent() };
    }
  }

  /** Resets to the loaded state. */
  function begin() {
    state.restore();
    files.reset();
    looks = draws = questions = waits = 0;
    probes.begin();
    said = [];
    told = [];
  }

  /** The reply to one request, run in the current state. */
  function runOnce(request, end, { wallSeconds, resultBytes }) {
    isFull = false;
    module.FS.writeFile("/lab/request", request);
    const serve = () =>
      runPython(`__import__("lab.entry").entry.serve("/lab/request", "/lab/reply", ${resultBytes})`);
    try {
      const status = host.call(serve, Math.max(1, Math.ceil(end - performance.now())));
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

  /** Whether the path for answers is unused or a regular file. */
  function isAnswerFree() {
    const { exists, object } = module.FS.analyzePath("/lab/reply", true);
    return !exists || module.FS.isFile(object.mode);
  }

  return { load, runPython, start, answer };
}

/** Bytes as text, a mark at its beginning included, as Node's own reading does. */
function textOf(parts) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return parts.map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
}
