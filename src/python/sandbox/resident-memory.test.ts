import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { afterAll, expect, test } from "vitest";
import { findNative } from "./native.ts";
import { openHost } from "./open.ts";
import { residentBytes } from "./resident-memory.ts";

const skip = process.platform !== "linux" || spawnSync("python3", ["-I", "--version"]).status !== 0;
const million = 1_000_000;

/** Each process uses 200 million bytes once it has written a line. */
const holding = {
  "its own pages": "x = b'x' * (200 * 10**6)",
  "copies of itself that a thread made": `
import threading
def hold():
    for _ in range(10):
        if os.fork() == 0:
            x = b'x' * (20 * 10**6)
            os.write(ready, b'.')
            time.sleep(60)
threading.Thread(target=hold, daemon=True).start()
told = b''
while len(told) < 10: told += os.read(waiting, 10)`,
  "files without a name, mapped by nobody": `
kept = [os.memfd_create(str(n)) for n in range(10)]
for each in kept: os.write(each, bytes(20 * 10**6))`,
  "shared memory of its own": `
import mmap
x = mmap.mmap(-1, 200 * 10**6)
for at in range(0, len(x), 4096): x[at] = 1`,
  "shared memory that a process which is gone has filled": `
import mmap
x = mmap.mmap(-1, 200 * 10**6)
if os.fork() == 0:
    for at in range(0, len(x), 4096): x[at] = 1
    os._exit(0)
os.wait()`,
  "a memory file that is mapped and open": `
import mmap
file = os.memfd_create('x')
os.ftruncate(file, 200 * 10**6)
x = mmap.mmap(file, 200 * 10**6)
for at in range(0, len(x), 4096): x[at] = 1`,
};

test.skipIf(skip).each(Object.entries(holding))(
  "a process that holds 200 MB in %s is found to hold them (skipped without python3)",
  async (_, code) => {
    const program = `import os, time\nwaiting, ready = os.pipe()\n${code}\nprint('ready', flush=True)\ntime.sleep(60)`;
    const child = spawn("python3", ["-I", "-c", program], {
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    });
    try {
      await once(child.stdout, "data");
      const held = residentBytes(child.pid!); // it runs
      expect(held).toBeGreaterThan(200 * million);
      expect(held).toBeLessThan(400 * million);
    } finally {
      process.kill(-child.pid!, "SIGKILL");
    }
  },
);

const native = findNative();
const host = native.kind === "missing" ? undefined : openHost("native", { atMost: 1 });
afterAll(async () => (await host)?.close());
const limits = { memoryBytes: 192 * 2 ** 20, wallSeconds: 6 };
const many = "import os, socket, time\nfor _ in range(15):\n    if os.fork() == 0: break\nkept = []\n";

test.skipIf(native.kind === "missing").each([
  ["sockets", `${many}for _ in range(28): kept += socket.socketpair()\ntime.sleep(4)`, ["memory"]],
  [
    "sockets that are full",
    `${many}for _ in range(28):\n    pair = socket.socketpair()\n    pair[0].setblocking(False)\n    kept.append(pair)\n    try:\n        while True: pair[0].send(bytes(65536))\n    except BlockingIOError: pass\ntime.sleep(4)`,
    ["memory"],
  ],
  [
    "sockets of the network",
    "import socket, time\nserver = socket.create_server(('127.0.0.1', 0))\nkept = [(socket.create_connection(server.getsockname()), server.accept()) for _ in range(25)]\ntime.sleep(4)",
    ["memory"],
  ],
  [
    "sockets made large",
    "import socket\nsocket.socketpair()[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 30)",
    ["crashed"],
  ],
  [
    "pipes",
    `${many}for _ in range(28): kept += os.pipe()\nfor _ in range(40):\n    if os.fork() == 0: time.sleep(4)\ntime.sleep(4)`,
    ["memory", "done"],
  ],
  [
    "pipes made large",
    "import fcntl, os\nfcntl.fcntl(os.pipe()[1], fcntl.F_SETPIPE_SZ, 1 << 20)",
    ["crashed"],
  ],
  [
    "memory files on their way",
    "import os, socket\na, b = socket.socketpair()\nsocket.send_fds(a, [b'x'], [os.memfd_create('x')])",
    ["crashed"],
  ],
  [
    "regions that others filled",
    "import mmap, os, time\nfor _ in range(4):\n    if os.fork() == 0:\n        x = mmap.mmap(-1, 100 * 10**6)\n        if os.fork() == 0:\n            for at in range(0, len(x), 4096): x[at] = 1\n            os._exit(0)\n        os.wait()\n        time.sleep(4)\ntime.sleep(4)",
    ["memory"],
  ],
  [
    "System V's memory",
    "import subprocess\nassert subprocess.run(['perl', '-e', 'exit(defined(shmget(0, 1000, 0600)) ? 0 : 1)']).returncode in (-31, 127)",
    ["done"],
  ],
])(
  "memory of the native host outside of pages is counted or closed: %s (skipped without bubblewrap)",
  async (_, code, ends) => {
    const outcome = await (await host!).run({ operation: "execute", code }, limits);
    expect(ends).toContain(outcome.kind);
    if (outcome.kind === "done") expect(outcome.value).not.toMatchObject({ outcome: "assertion" });
  },
);

test.skipIf(native.kind === "missing")(
  "an event loop, a local server and a pipe have the room they need (skipped without bubblewrap)",
  async () => {
    const code = [
      "import asyncio, os, socket",
      "async def main(): await asyncio.sleep(0.2); return 3",
      "assert asyncio.run(main()) == 3",
      "server = socket.create_server(('127.0.0.1', 0))",
      "client = socket.create_connection(server.getsockname())",
      "client.send(b'x')",
      "assert server.accept()[0].recv(2) == b'x'",
      "assert [os.write(w, b'y') and os.read(r, 2) for r, w in [os.pipe()]] == [b'y']",
    ].join("\n");
    const outcome = await (await host!).run({ operation: "execute", code }, limits);
    expect(outcome).toMatchObject({ kind: "done", value: { outcome: "passed" } });
  },
);
