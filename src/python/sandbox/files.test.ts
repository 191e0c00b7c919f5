import { afterAll, beforeAll, expect, test } from "vitest";
import { leaving } from "./attacks/index.ts";
import type { PythonHost } from "./host.ts";
import { openHost } from "./open.ts";

let host: PythonHost;
beforeAll(async () => {
  host = await openHost("embedded", { atMost: 1 });
}, 60_000);
afterAll(() => host.close());

async function printed(...code: readonly string[]): Promise<string> {
  const outcome = await host.run({ operation: "execute", code: code.join("\n") });
  if (outcome.kind !== "done") return `${outcome.kind}: ${outcome.words}`;
  const { outcome: end, exception, message } = outcome.value as Readonly<Record<string, string>>;
  return end === "passed" ? outcome.output.trim() : `${exception}: ${message}`;
}

/** All that a program can see of files, descriptors and the process, but for the clock. */
const everything = [
  "import os, zlib",
  "def digest(path):",
  "    with open(path, 'rb') as file: return zlib.crc32(file.read())",
  "seen = [os.getcwd(), os.umask(0), sorted(os.environ.items()), os.statvfs('/')]",
  "for path, folders, files in os.walk('/'):",
  "    if path.startswith('/proc'): folders.clear(); files.clear()",
  "    if path == '/lab': files.remove('request')",
  "    seen.append((path, folders, files, tuple(os.stat(path))[:7 if path == '/lab' else 10]))",
  "    for name in files:",
  "        each = os.path.join(path, name)",
  "        seen.append((each, tuple(os.lstat(each))))",
  "        if not each.startswith(('/dev', '/lab/')): seen.append(digest(each))",
  "for name in os.listdir('/proc/self/fd'):",
  "    try: seen.append((name, os.readlink('/proc/self/fd/' + name)))",
  "    except OSError: seen.append(name)",
  "seen += [os.pipe(), os.readlink('/proc/self/fd/3'), os.open('new', os.O_CREAT), os.stat('new').st_ino]",
  "print(*seen, sep='\\n')",
];

test("a program sees the same files, descriptors and settings, whatever one before it has changed", async () => {
  const before = await printed(...everything);
  expect(before).toContain("/lib/python314.zip");
  for (const { name, code } of leaving.filter((each) => each.name.startsWith("left behind: "))) {
    await host.run({ operation: "execute", code: code({ file: "", folder: "", port: 0, variable: "" }) });
    expect([name, await printed(...everything)]).toEqual([name, before]);
  }
}, 180_000);

test("a trace that takes a module from the library is that of the library, after a program that maps its file", async () => {
  const poison = [
    "import mmap, zipfile",
    "def f(n):",
    "    at = zipfile.ZipFile('/lib/python314.zip').getinfo('colorsys.py').header_offset",
    "    file = open('/lib/python314.zip', 'r+b')",
    "    with mmap.mmap(file.fileno(), 0) as memory: memory[at + 40:at + 44] = b'LEFT'",
    "    return n",
  ].join("\n");
  const honest = "def g(r):\n    import colorsys\n    return colorsys.rgb_to_hsv(r, 0.5, 0.5)";
  await host.run({ operation: "trace", source: poison, call: "f(1)", options: {} });
  const outcome = await host.run({ operation: "trace", source: honest, call: "g(0.5)", options: {} });
  expect(outcome).toMatchObject({ value: { proven: true, literal: "(0.0, 0.0, 0.5)" } });
});

test.each([
  ["open('/lib/python314.zip', 'r+b')", "PermissionError"],
  ["open('/lib/new', 'w')", "PermissionError"],
  ["__import__('os').mkdir('/new')", "PermissionError"],
  ["__import__('os').unlink('/lab/looks')", "OSError"],
  ["__import__('os').chmod('/lib/python314.zip', 0o777)", "PermissionError"],
  ["open('/dev/tty').read(1)", "OSError"],
  ["open('/dev/tty1')", "FileNotFoundError"],
])("%s is refused", async (code, exception) => {
  expect(await printed(code)).toContain(exception);
});

test("files, folders, links and pipes count towards the space that there is, and what is cut off is free again", async () => {
  const full = (once: string) =>
    `import os\ntry:\n    for n in range(10**6): ${once}\nexcept OSError as error: print(error.strerror)`;
  const space = "No space left on device";
  expect(await printed(full("open(f'/tmp/{n}', 'wb').write(bytes(10**6))"))).toBe(space);
  expect(await printed(full("os.mkdir(f'/tmp/{n}')"))).toBe(space);
  expect(await printed(full("os.symlink('x' * 10**6, f'/tmp/{n}')"))).toBe(space);
  expect(await printed(full("[os.close(end) for end in os.pipe()]"))).toBe(space);
  expect(await printed("for n in range(100): open('again', 'wb').write(bytes(10**6))\nprint('free')")).toBe(
    "free",
  );
});

test("a pipe holds what it holds on Linux", async () => {
  const code =
    "import os\nr, w = os.pipe()\nos.write(w, bytes(65536))\ntry: os.write(w, b'x')\nexcept BlockingIOError: print('full')";
  expect(await printed(code)).toBe("full");
});

test("flags of a descriptor are those that Linux lets a program set", async () => {
  const set =
    "import fcntl, os\nfd = os.open('a', os.O_CREAT | os.O_RDONLY)\nfcntl.fcntl(fd, fcntl.F_SETFL, os.O_RDWR | os.O_NONBLOCK)";
  expect(
    await printed(
      `${set}\nprint(fcntl.fcntl(fd, fcntl.F_GETFL) & (os.O_ACCMODE | os.O_NONBLOCK) == os.O_NONBLOCK, os.get_blocking(fd))`,
    ),
  ).toBe("True False");
  expect(await printed(`${set}\nos.set_blocking(fd, True)\nprint(os.get_blocking(fd))`)).toBe("True");
  expect(await printed(`${set}\nos.write(fd, b'x')`)).toContain("OSError");
  expect(await printed("import fcntl\nfcntl.fcntl(1, fcntl.F_DUPFD, 10**6)")).toContain("OSError");
});

test("the system's randomness by its device is a fixed sequence in a trace, counted as a draw, and refused by its name", async () => {
  const source = "def f():\n    with open('/dev/urandom', 'rb') as file: return file.read(4).hex()";
  const traced = async () => {
    const outcome = await host.run({ operation: "trace", source, call: "f()", options: {} });
    return outcome.kind === "done" ? outcome.value : outcome;
  };
  const first = await traced();
  expect(first).toMatchObject({
    ...{ proven: false, environment: { entropy: "pinned" } },
    reason: expect.stringContaining("/dev/urandom"),
  });
  expect(await traced()).toEqual(first);
});
