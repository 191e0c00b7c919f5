/** @file Programs that take more than they may: time, memory, processes, output, the depth of the stack. */

import { type Attack, brief } from "./attack.ts";

const small = { memoryBytes: 192 * 2 ** 20, wallSeconds: 4 };

export const taking: readonly Attack[] = [
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
];
