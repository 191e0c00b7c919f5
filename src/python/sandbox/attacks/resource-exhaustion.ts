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
  {
    name: "memory in copies that a thread made of the program",
    code: () =>
      "import os, threading, time\n" +
      "def hold():\n    for _ in range(16):\n        if os.fork() == 0:\n            x = b'x' * (40 * 10**6)\n            time.sleep(60)\n    time.sleep(60)\n" +
      "thread = threading.Thread(target=hold)\nthread.start()\nthread.join(3)\nassert thread.is_alive()",
    limits: small,
    right: { native: ["memory"], embedded: ["raised RuntimeError"] },
  },
  {
    name: "memory in files that have no name",
    code: () =>
      "import os\nkept = []\n" +
      "for n in range(50):\n    kept.append(os.memfd_create(str(n)))\n    for _ in range(15): os.write(kept[-1], bytes(10**6))\n" +
      "import time\ntime.sleep(1)",
    limits: small,
    right: { native: ["crashed"], embedded: ["raised AttributeError"] },
  },
  {
    name: "memory that waits in sockets",
    code: () =>
      "import os, socket, time\nkept = []\n" +
      "for _ in range(15):\n    if os.fork() == 0: break\n" +
      "for _ in range(28):\n    a, b = socket.socketpair()\n    kept += [a, b]\n    a.setblocking(False)\n" +
      "    try:\n        while True: a.send(bytes(65536))\n    except BlockingIOError: pass\n" +
      "time.sleep(3)",
    limits: small,
    right: { native: ["memory"], embedded: ["raised OSError"] },
  },
  {
    name: "memory that waits in sockets made large",
    code: () =>
      "import socket\na, b = socket.socketpair()\na.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)",
    right: { native: ["crashed"], embedded: ["raised PermissionError"] },
  },
  {
    name: "memory that waits in pipes made large",
    code: () => "import fcntl, os\nfcntl.fcntl(os.pipe()[1], 1031, 1 << 20)",
    right: { native: ["crashed"], embedded: ["raised OSError"] },
  },
  {
    name: "memory that a process which is gone has filled",
    code: () =>
      "import mmap, os, time\nfor _ in range(4):\n    if os.fork() == 0:\n        x = mmap.mmap(-1, 100 * 10**6)\n" +
      "        if os.fork() == 0:\n            for at in range(0, len(x), 4096): x[at] = 1\n            os._exit(0)\n" +
      "        os.wait()\n        time.sleep(3)\ntime.sleep(3)",
    limits: small,
    right: { native: ["memory"], embedded: ["raised OSError"] },
  },
  {
    name: "memory that is shared with nobody",
    code: () =>
      "import mmap, os, time\nfor _ in range(16):\n    if os.fork() == 0:\n        x = mmap.mmap(-1, 120 * 10**6)\n        for at in range(0, len(x), 4096): x[at] = 1\n        time.sleep(60)\ntime.sleep(2)",
    limits: small,
    right: { native: ["memory"], embedded: ["raised OSError"] },
  },
  {
    name: "memory that is still held when the answer is due",
    code: () => "d, i = {}, 0\nwhile True:\n    d[i] = str(i) * 500\n    i += 1",
    limits: small,
    right: ["memory", "raised MemoryError"],
  },
  {
    name: "folders in folders, deeper than a path is long",
    code: () =>
      "import os\nos.chdir('/tmp')\nfor _ in range(1500):\n    os.mkdir('d')\n    os.chdir('d')\n1 / 0",
    limits: { wallSeconds: 3 },
    right: { native: ["raised ZeroDivisionError"], embedded: ["raised ZeroDivisionError", "time"] },
  },
  { name: "huge print", code: () => "print('x' * 10**7)", right: ["output"] },
  { name: "endless print", code: () => "while True: print('x' * 9)", right: ["output"] },
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
    // CPython that finds no memory deep in C may lose which exception it was.
    right: ["crashed", "memory", "time", "raised RecursionError", "raised SystemError", "raised MemoryError"],
  },
  {
    name: "deeply nested object",
    code: () => "a = []\nfor _ in range(10**6): a = [a]\nrepr(a)",
    right: ["raised RecursionError", "crashed"],
  },
];
