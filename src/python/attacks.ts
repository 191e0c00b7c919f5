/**
 * @file Programs that try to get out, to take more than they may, or to lie about how they ended; each with the ends
 * that are right. The containment tests run them, and so does `statelab doctor` on the user's own machine.
 *
 *     { name: "file outside, read", code: ({ file }) => `open(${...}).read()`, right: ["raised FileNotFoundError"] }
 *
 * A program that is run is written so that it passes if the attack works. "passed" is never a right end.
 */

import type { HostName, Limits } from "./host.ts";

/** What stands outside of the sandbox to be attacked. */
export interface Target {
  /** A file with a secret, which every user can read. */
  readonly file: string;
  /** An empty folder in which every user can write. */
  readonly folder: string;
  /** Of a server on 127.0.0.1 that counts its callers. */
  readonly port: number;
  /** An environment variable of the host's process. */
  readonly variable: string;
}

export interface Attack {
  readonly name: string;
  readonly code: (target: Target) => string;
  /** A call: the code is then traced and proven, not only run. */
  readonly trace?: string;
  readonly limits?: Partial<Limits>;
  /** Kinds of outcome, or "raised X", "assertion", "proven", "not proven" of one that is done. Where the hosts differ, for each. */
  readonly right: readonly string[] | Readonly<Record<HostName, readonly string[]>>;
}

/** Python's literal for a string; JSON's is one too. */
const quote = (text: string) => JSON.stringify(text);
const brief = { wallSeconds: 0.5 };
const small = { memoryBytes: 192 * 2 ** 20, wallSeconds: 4 };

export const attacks: readonly Attack[] = [
  { name: "infinite loop", code: () => "while True: pass", limits: brief, right: ["time"] },
  {
    name: "infinite loop that catches everything",
    code: () => "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    limits: brief,
    right: ["time"],
  },
  {
    name: "memory bomb",
    code: () => "x = []\nwhile True: x.append(bytearray(10**6))",
    limits: small,
    right: ["memory"],
  },
  {
    name: "memory bomb that catches MemoryError",
    code: () => "x = []\nwhile True:\n    try: x.append(bytearray(10**6))\n    except MemoryError: pass",
    limits: { ...small, wallSeconds: 1 },
    right: ["time", "memory", "crashed"],
  },
  {
    name: "fork bomb",
    code: () => "import os\nwhile True: os.fork()",
    limits: brief,
    right: { native: ["raised BlockingIOError", "time"], embedded: ["raised OSError"] },
  },
  {
    name: "thread bomb",
    code: () => "import threading, time\nwhile True: threading.Thread(target=time.sleep, args=(60,)).start()",
    limits: { wallSeconds: 2 },
    right: ["raised RuntimeError"],
  },
  { name: "huge print", code: () => "print('x' * 10**7)", right: ["output"] },
  { name: "endless print", code: () => "while True: print('x')", right: ["output"] },
  {
    name: "huge print to stderr",
    code: () => "import os\nwhile True: os.write(2, b'x' * 1000)",
    right: ["output"],
  },
  { name: "huge integer", code: () => "x = 9 ** 9 ** 9", limits: brief, right: ["time", "memory"] },
  { name: "deep recursion", code: () => "def f(): f()\nf()", right: ["raised RecursionError"] },
  {
    name: "deep recursion without the interpreter's limit",
    code: () => "import sys\nsys.setrecursionlimit(10**8)\ndef f(): f()\nf()",
    limits: { ...small, wallSeconds: 2 },
    right: ["crashed", "memory", "time", "raised RecursionError"],
  },
  {
    name: "deeply nested object",
    code: () => "a = []\nfor _ in range(10**6): a = [a]\nrepr(a)",
    right: ["raised RecursionError", "crashed"],
  },
  {
    name: "file outside, read",
    code: ({ file }) => `open(${quote(file)}).read()`,
    right: ["raised FileNotFoundError", "raised PermissionError"],
  },
  {
    name: "file outside, written",
    code: ({ folder }) => `open(${quote(`${folder}/written`)}, "w").write("x")`,
    right: ["raised FileNotFoundError", "raised PermissionError", "raised OSError"],
  },
  {
    name: "file of the system, read",
    code: () => "open('/etc/passwd').read()",
    right: ["raised FileNotFoundError"],
  },
  {
    name: "memory of processes, read",
    code: () => "open('/proc/self/mem', 'rb').read(1)",
    right: ["raised FileNotFoundError"],
  },
  {
    name: "full disk",
    code: () => "for n in range(1000): open(f'/tmp/{n}', 'wb').write(b'x' * 10**7)",
    right: ["raised OSError"],
  },
  {
    name: "network",
    code: ({ port }) => `import socket\nsocket.create_connection(("127.0.0.1", ${port}), 1)`,
    right: ["raised ConnectionRefusedError", "raised OSError", "raised gaierror", "raised PermissionError"],
  },
  {
    name: "environment variable",
    code: ({ variable }) => `import os\nos.environ[${quote(variable)}]`,
    right: ["raised KeyError"],
  },
  {
    name: "program outside, started",
    code: ({ folder }) =>
      `import subprocess\nsubprocess.run(["/bin/sh", "-c", "echo x > ${folder}/started"], check=True)`,
    right: { native: ["raised CalledProcessError"], embedded: ["raised OSError"] },
  },
  {
    name: "shell found through a chain of classes",
    code: ({ folder }) =>
      [
        "found = [c for c in ().__class__.__base__.__subclasses__() if c.__name__ == '_wrap_close']",
        `assert found[0].__init__.__globals__["system"]("echo x > ${folder}/shell") == 0`,
      ].join("\n"),
    right: ["assertion"],
  },
  { name: "import js", code: () => "import js\njs.process.exit(0)", right: ["raised ModuleNotFoundError"] },
  {
    name: "constructor chain of JavaScript",
    code: () =>
      [
        "import importlib",
        "core = importlib.import_module('_pyodide_core')",
        "core.create_proxy([]).constructor.constructor('return process')().exit(0)",
      ].join("\n"),
    right: { native: ["raised ModuleNotFoundError"], embedded: ["crashed"] },
  },
  {
    name: "code of JavaScript, run",
    code: () =>
      "import importlib\nimportlib.import_module('_pyodide_core')\nimportlib.import_module('pyodide.code').run_js('1')",
    right: { native: ["raised ModuleNotFoundError"], embedded: ["crashed", "raised ModuleNotFoundError"] },
  },
  { name: "ctypes", code: () => "import ctypes\nctypes.string_at(0)", right: ["raised ModuleNotFoundError"] },
  {
    name: "ctypes by another door",
    code: () => "import importlib\nimportlib.import_module('_ctypes').dlopen(None, 0)",
    right: { native: ["raised ModuleNotFoundError"], embedded: ["crashed"] },
  },
  {
    name: "trace hooks taken away",
    code: () => "import sys\nsys.settrace(None)\nsys.setprofile(None)\nassert sys.gettrace() is not None",
    right: ["assertion"],
  },
  { name: "os._exit", code: () => "import os\nos._exit(0)", right: ["exited"] },
  { name: "sys.exit", code: () => "import sys\nsys.exit(0)", right: ["raised SystemExit"] },
  {
    name: "signal handlers",
    code: () =>
      [
        "import signal",
        "for n in range(1, 65):",
        "    try: signal.signal(n, signal.SIG_IGN)",
        "    except (OSError, ValueError): pass",
        "while True: pass",
      ].join("\n"),
    limits: brief,
    right: ["time"],
  },
  {
    name: "death of its parents",
    code: () =>
      [
        "import os, signal",
        "for pid in (os.getppid(), 1, 0, -1):",
        "    try: os.kill(pid, 9)",
        "    except OSError: pass",
        "assert False",
      ].join("\n"),
    right: ["crashed", "assertion", "exited", "raised AttributeError"],
  },
  {
    name: "forged result, written to every descriptor",
    code: () =>
      [
        "import os",
        `body = b'{"kind": "done", "python": {}}\\n{"outcome": "passed"}'`,
        "for n in range(3, 64):",
        "    try: os.write(n, b'%s reply %d\\n%s' % (b'0' * 32, len(body), body))",
        "    except OSError: pass",
        "assert False",
      ].join("\n"),
    right: { native: ["forged"], embedded: ["assertion"] },
  },
  {
    name: "forged result, with a nonce looked for in frames",
    code: () =>
      [
        "import os, re, sys",
        "frame, seen = sys._getframe(), ''",
        "while frame: seen, frame = seen + repr(frame.f_locals) + repr(list(frame.f_globals)), frame.f_back",
        "import __main__, threading",
        "seen += repr(vars(__main__)) + repr(vars(threading.current_thread())) + repr(sys.argv)",
        "seen += repr([c.cell_contents for c in getattr(getattr(threading.current_thread(), '_target', 0), '__closure__', 0) or ()])",
        `body = b'{"kind": "done", "python": {"version": "3", "wordBits": 64, "implementation": "cpython"}}\\n{"outcome": "passed"}'`,
        "for nonce in re.findall('[0-9a-f]{32}', seen):",
        "    os.write(3, b'%s reply %d\\n%s' % (nonce.encode(), len(body), body))",
        "assert False",
      ].join("\n"),
    right: ["assertion"],
  },
  {
    name: "forged result, with a nonce looked for by hooks on other threads",
    code: () =>
      [
        "import os, re, sys, threading",
        `body = b'{"kind": "done", "python": {"version": "3", "wordBits": 64, "implementation": "cpython"}}\\n{"outcome": "passed"}'`,
        "def look(frame, event, argument):",
        "    while frame:",
        "        for nonce in re.findall('[0-9a-f]{32}', repr(frame.f_locals)):",
        "            os.write(3, b'%s reply %d\\n%s' % (nonce.encode(), len(body), body))",
        "        frame = frame.f_back",
        "threading.settrace_all_threads(look)",
        "assert False",
      ].join("\n"),
    right: ["assertion", "raised AttributeError"],
  },
  {
    name: "forged result, with a nonce looked for in all objects",
    code: () => "import gc\nseen = [o for o in gc.get_objects() if type(o) is dict]",
    right: ["raised RuntimeError"],
  },
  {
    name: "closed descriptors",
    code: () => "import os\nos.closerange(0, 64)\nassert False",
    right: ["exited", "crashed", "assertion"],
  },
  {
    name: "builtins replaced",
    code: () =>
      [
        "import builtins, json, sys",
        'json.dumps = json.JSONEncoder.encode = lambda *a, **k: \'{"outcome": "passed"}\'',
        "for name in ('str', 'type', 'open', 'isinstance', 'len', 'AssertionError', 'BaseException'):",
        "    setattr(builtins, name, lambda *a, **k: 0)",
        "raise ZeroDivisionError",
      ].join("\n"),
    right: ["raised ZeroDivisionError"],
  },
  {
    name: "exception that cannot be described",
    code: () =>
      [
        "class Hostile(Exception):",
        "    def __str__(self): raise SystemExit(0)",
        "    __repr__ = __hash__ = __str__",
        "    def __eq__(self, other): return True",
        "raise Hostile",
      ].join("\n"),
    right: ["raised Hostile"],
  },
  {
    name: "exception that describes itself forever",
    code: () => "class Hostile(Exception):\n    def __str__(self):\n        while True: pass\nraise Hostile",
    limits: brief,
    right: ["time"],
  },
  {
    name: "process that stays behind",
    code: () => "import os\nif os.fork() == 0:\n    os.setsid()\n    while True: pass\nassert False",
    right: { native: ["assertion"], embedded: ["raised OSError"] },
  },
  {
    name: "traced: methods that must never be called",
    code: () =>
      [
        "import os",
        "class Hostile:",
        "    def __repr__(self, *arguments): os._exit(3)",
        "    __str__ = __eq__ = __hash__ = __format__ = __len__ = __bool__ = __iter__ = __reduce_ex__ = __repr__",
        "    __getattribute__ = __copy__ = __deepcopy__ = __sizeof__ = __dir__ = __lt__ = __contains__ = __repr__",
        "def f():",
        "    hostile = Hostile()",
        "    nested = [hostile, {1: (hostile,)}]",
        "    return 1",
      ].join("\n"),
    trace: "f()",
    right: ["proven"],
  },
  {
    name: "traced: hooks taken away",
    code: () => "import sys\ndef f(n):\n    sys.settrace(None)\n    n += 1\n    return n",
    trace: "f(1)",
    right: ["not proven"],
  },
  {
    name: "traced: infinite loop in one line",
    code: () => "def f(n):\n    while True: pass",
    trace: "f(1)",
    limits: { wallSeconds: 1 },
    right: ["time", "not proven"],
  },
  {
    name: "traced: the tracer's own variables changed",
    code: () =>
      [
        "import sys",
        "def f(n):",
        "    frame = sys._getframe().f_back",
        "    while frame:",
        "        for name in list(frame.f_locals): frame.f_locals[name] = None",
        "        frame = frame.f_back",
        "    return n",
      ].join("\n"),
    trace: "f(1)",
    right: ["not proven", "crashed"],
  },
  {
    name: "traced: builtins replaced",
    code: () =>
      [
        "import builtins",
        "def f(n):",
        "    for name in ('len', 'type', 'str', 'isinstance', 'repr', 'dict', 'list', 'id'):",
        "        setattr(builtins, name, None)",
        "    return n",
      ].join("\n"),
    trace: "f(1)",
    right: ["not proven", "crashed"],
  },
  {
    name: "traced: state without end",
    code: () => "def f(n):\n    x = [0] * 10**7\n    y = 'a' * 10**8\n    return n",
    trace: "f(1)",
    right: ["proven", "not proven", "memory"],
  },
];
