/** @file Programs that lie about how they ended, or keep others from telling: hooks, exits, signals, forged results, hostile objects. */

import { type Attack, brief } from "./attack.ts";

export const lying: readonly Attack[] = [
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
];
