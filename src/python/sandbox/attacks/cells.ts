/**
 * @file Hostile cells of a session: they attack the host, later cells, and the process that answers their tools.
 *
 *     { name: "infinite loop", code: () => "while True: pass" }      then an honest cell, then an honest session
 *
 * A cell may break its session. It must not outlive it, reach outside, or get answers to calls that it did not make.
 */

import type { Target } from "./attack.ts";

export interface HostileCell {
  readonly name: string;
  readonly code: (target: Target) => string;
  /** Something keeps running; the test gives it time to send. */
  readonly later?: true;
}

const lines = (...all: readonly string[]) => all.join("\n");
const quote = (text: string) => JSON.stringify(text);
const inThread = (...body: readonly string[]) =>
  lines(
    "import os, threading, time",
    "def work():",
    ...body.map((line) => `    ${line}`),
    "threading.Thread(target=work, daemon=True).start()",
  );

export const hostileCells: readonly HostileCell[] = [
  { name: "infinite loop", code: () => "while True: pass" },
  {
    name: "infinite loop that catches everything",
    code: () => "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
  },
  { name: "memory bomb", code: () => "x = []\nwhile True: x.append(bytearray(10**6))" },
  {
    name: "memory in objects that stay",
    code: () => "kept = [str(n) * 20 for n in range(10**7)]",
  },
  { name: "fork bomb", code: () => "import os\nwhile True: os.fork()" },
  { name: "huge print", code: () => "print('x' * 10**8)" },
  { name: "endless print", code: () => "while True: print('x' * 9)" },
  { name: "endless print past sys.stdout", code: () => "import os\nwhile True: os.write(1, b'x' * 1000)" },
  { name: "print of nothing, without end", code: () => "import sys\nwhile True: sys.stdout.write('')" },
  { name: "deep recursion", code: () => "import sys\nsys.setrecursionlimit(10**8)\ndef f(): f()\nf()" },
  { name: "interpreter ended", code: () => "import os\nos._exit(0)" },
  { name: "exit by exception", code: () => "raise SystemExit(0)" },
  { name: "interrupt by exception", code: () => "raise KeyboardInterrupt" },
  { name: "file outside, read", code: ({ file }) => `print(open(${quote(file)}).read())` },
  {
    name: "file outside, written",
    code: ({ folder }) => `open(${quote(`${folder}/written`)}, "w").write("x")`,
  },
  {
    name: "network",
    code: ({ port }) => `import socket\nsocket.create_connection(("127.0.0.1", ${port}), 1)`,
  },
  {
    name: "environment variable",
    code: ({ variable }) => `import os\nprint(os.environ[${quote(variable)}])`,
  },
  {
    name: "shell",
    code: ({ folder }) => `import os\nos.system("echo x > ${folder}/shell")`,
  },
  { name: "next cell read from stdin", code: () => "import os\nprint(input())" },
  {
    name: "descriptors read",
    code: () => "import os\nfor n in range(0, 9):\n    try: print(os.read(n, 1))\n    except OSError: pass",
  },
  { name: "descriptors closed", code: () => "import os\nos.closerange(0, 64)" },
  {
    name: "end forged on every descriptor",
    code: () =>
      lines(
        "import os",
        `body = b'{"kind": "done", "python": {}}\\n{"end": "finished"}'`,
        "for n in range(3, 64):",
        "    try: os.write(n, b'%s reply %d\\n%s' % (b'0' * 32, len(body), body))",
        "    except OSError: pass",
      ),
  },
  {
    name: "builtins replaced",
    code: () =>
      lines(
        "import builtins, json",
        "json.dumps = json.loads = lambda *a, **k: 1 / 0",
        "for name in ('str', 'type', 'open', 'isinstance', 'len', 'sorted', 'BaseException', 'exec', 'compile'):",
        "    setattr(builtins, name, lambda *a, **k: 0)",
      ),
  },
  {
    name: "the lab's own module replaced",
    code: () =>
      lines(
        "import sys",
        "cell = sys.modules['lab.cell']",
        "cell.handle = lambda request: {'end': 'finished', 'names': 'all', 'output': 7}",
        "sys.stdout = None",
      ),
  },
  {
    name: "exception that cannot be described",
    code: () =>
      "class Hostile(Exception):\n    def __str__(self): raise SystemExit(0)\n    __repr__ = __hash__ = __str__\nraise Hostile",
  },
  {
    name: "names and types that lie",
    code: () =>
      lines(
        "class Name(str):",
        "    def __hash__(self): return 1",
        "    def __eq__(self, other): return True",
        "    def __lt__(self, other): raise SystemExit",
        "globals()[Name('a')] = 1",
        "class Kind(type):",
        "    __name__ = property(lambda self: 1 / 0)",
        "class Thing(metaclass=Kind): __class__ = property(lambda self: 1 / 0)",
        "thing = Thing()",
        "globals()[7] = 8",
      ),
  },
  { name: "thread that goes on counting", code: () => inThread("while True: pass"), later: true },
  {
    name: "thread that goes on printing",
    code: () => inThread("while True: os.write(1, b'x' * 10000)"),
    later: true,
  },
  {
    name: "thread that takes memory later",
    code: () => inThread("time.sleep(0.05)", "x = [bytearray(10**6) for _ in range(10**5)]"),
    later: true,
  },
  {
    name: "thread that calls tools later",
    code: () => inThread("time.sleep(0.05)", "while True: look(2)"),
    later: true,
  },
  {
    name: "thread that writes on the channel later",
    code: () => inThread("time.sleep(0.05)", "os.write(3, b'x' * 99)"),
    later: true,
  },
  {
    name: "process that stays behind",
    code: () => "import os\nif os.fork() == 0:\n    os.setsid()\n    while True: os.write(1, b'x' * 10000)",
    later: true,
  },
  { name: "tool called without end", code: () => "while True: look(1)" },
  {
    name: "tool called by many threads",
    code: () =>
      lines(
        "import threading",
        "def call():",
        "    for _ in range(50): look(1)",
        "all = [threading.Thread(target=call) for _ in range(8)]",
        "for each in all: each.start()",
        "for each in all: each.join()",
      ),
  },
  { name: "tool called with what is no JSON", code: () => "look(object())" },
  { name: "tool called with what is not finite", code: () => "look(float('nan'))" },
  { name: "tool called with a hundred megabytes", code: () => "look('x' * 10**8)" },
  { name: "tool called with a nested list", code: () => "x = []\nfor _ in range(10**5): x = [x]\nlook(x)" },
  {
    name: "tool that is not there",
    code: () => "import sys\nprint(sys.modules['lab.cell']._ask('[\"__proto__\", []]'))",
  },
  {
    name: "call of no form",
    code: () =>
      "import sys\nprint(sys.modules['lab.cell']._ask('{\"name\": 1'), sys.modules['lab.cell']._ask('[1]'))",
  },
  {
    name: "alarm that goes off in the next cell",
    code: () =>
      "import signal\nsignal.signal(signal.SIGALRM, lambda *a: 1 / 0)\nsignal.setitimer(signal.ITIMER_REAL, 0.05)",
  },
  {
    name: "hook on every line to come",
    code: () => "import sys\ndef hook(*a): raise SystemExit\nsys.settrace(hook)\nsys.setprofile(hook)",
  },
];
