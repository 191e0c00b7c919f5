/**
 * @file Programs that try to change later programs: through the standard library, files, descriptors, pipes,
 * settings.
 *
 *     change    open(library, "r+b").write(b"LEFT")               any call that writes
 *     look      open(library, "rb").read(4) == b"LEFT"            in the next program: true if the change persisted
 */

import type { Attack } from "./attack.ts";

export interface Leaving {
  readonly name: string;
  /** Statements; some of them may be refused. */
  readonly change: string;
  /** An expression of a later program: whether the change is still there. */
  readonly look: string;
  /** Another allowed outcome of the first program. */
  readonly right?: string;
}

const lines = (...all: readonly string[]) => all.join("\n");

/** `library` is a file of the standard library, `folder` one of its folders, `attempt` runs statements that may be refused. */
const prelude = lines(
  "import errno, fcntl, mmap, os, shutil, stat, sys, zipfile",
  "import colorsys",
  "library = colorsys.__file__",
  "while not os.path.isfile(library): library = os.path.dirname(library)",
  "folder = os.path.dirname(library)",
  "def attempt(*all):",
  "    for each in all:",
  "        try: each()",
  "        except (OSError, ValueError, AttributeError, TypeError, NotImplementedError): pass",
  "def opened(flags): return os.open(library, flags)",
);

const isMarked = "open(library, 'rb').read(4) == b'LEFT'";
const isCut = "os.path.getsize(library) < 1000";
const mapped = (access: string, flags: string, write: string) =>
  lines(
    "def change():",
    `    descriptor = opened(${flags})`,
    `    memory = mmap.mmap(descriptor, 0, ${access})`,
    "    memory[:4] = b'LEFT'",
    `    ${write}`,
    "attempt(change)",
  );
const shared = "flags=mmap.MAP_SHARED, prot=mmap.PROT_READ | mmap.PROT_WRITE";

/** Ways to change a file of the standard library, each by different calls. */
const changes: readonly [name: string, change: string, look: string][] = [
  ["write", "attempt(lambda: open(library, 'r+b').write(b'LEFT'))", isMarked],
  ["write by descriptor", "attempt(lambda: os.write(opened(os.O_WRONLY), b'LEFT'))", isMarked],
  ["pwrite", "attempt(lambda: os.pwrite(opened(os.O_RDWR), b'LEFT', 0))", isMarked],
  ["writev", "attempt(lambda: os.writev(opened(os.O_RDWR), [b'LE', b'FT']))", isMarked],
  ["pwritev", "attempt(lambda: os.pwritev(opened(os.O_RDWR), [b'LE', b'FT'], 0))", isMarked],
  [
    "write to what is open for reading",
    lines(
      "descriptor = opened(os.O_RDONLY)",
      "attempt(lambda: fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_RDWR))",
      "attempt(lambda: os.write(descriptor, b'LEFT'), lambda: os.ftruncate(descriptor, 3))",
    ),
    `${isMarked} or ${isCut}`,
  ],
  [
    "write to a copy of a descriptor",
    lines(
      "descriptor = opened(os.O_RDONLY)",
      "attempt(lambda: os.write(os.dup(descriptor), b'LEFT'), lambda: os.write(os.dup2(descriptor, 9), b'LEFT'))",
      "attempt(lambda: os.write(fcntl.fcntl(descriptor, fcntl.F_DUPFD, 7), b'LEFT'))",
    ),
    isMarked,
  ],
  ["memory that is shared, flush", mapped(shared, "os.O_RDWR", "memory.flush()"), isMarked],
  ["memory that is shared, close", mapped(shared, "os.O_RDWR", "memory.close()"), isMarked],
  ["memory that is shared, let go", mapped(shared, "os.O_RDWR", "del memory"), isMarked],
  ["memory that is shared, of a file to read", mapped(shared, "os.O_RDONLY", "memory.flush()"), isMarked],
  [
    "memory that is the program's own, flush",
    mapped(shared.replace("SHARED", "PRIVATE"), "os.O_RDONLY", "memory.flush(); memory.close()"),
    isMarked,
  ],
  [
    "memory to be copied",
    mapped("access=mmap.ACCESS_COPY", "os.O_RDONLY", "memory.flush(); memory.close()"),
    isMarked,
  ],
  [
    "memory made longer",
    mapped(shared, "os.O_RDWR", "memory.resize(2 * len(memory)); memory.flush()"),
    isMarked,
  ],
  ["truncate", "attempt(lambda: os.truncate(library, 3))", isCut],
  ["ftruncate", "attempt(lambda: os.ftruncate(opened(os.O_RDWR), 3))", isCut],
  [
    "truncate by opening",
    "attempt(lambda: open(library, 'w'), lambda: opened(os.O_RDONLY | os.O_TRUNC), lambda: opened(os.O_CREAT | os.O_TRUNC))",
    isCut,
  ],
  [
    "space for more",
    "size = os.path.getsize(library)\nattempt(lambda: os.posix_fallocate(opened(os.O_RDWR), 0, 2 * size))",
    "os.path.getsize(library) > 3_000_000",
  ],
  [
    "copies by the kernel",
    lines(
      "open('mark', 'wb').write(b'LEFT')",
      "source = os.open('mark', os.O_RDONLY)",
      "attempt(lambda: os.sendfile(opened(os.O_RDWR), source, 0, 4), lambda: os.copy_file_range(source, opened(os.O_RDWR), 4))",
    ),
    isMarked,
  ],
  [
    "copy of a file",
    "open('mark', 'wb').write(b'LEFT')\nattempt(lambda: shutil.copyfile('mark', library))",
    isMarked,
  ],
  [
    "append to a zip",
    "attempt(lambda: zipfile.ZipFile(library, 'a').writestr('left_behind.py', 'value = 1'))",
    "__import__('importlib').util.find_spec('left_behind') is not None",
  ],
  [
    "another file in its place",
    lines(
      "open('mark', 'wb').write(b'LEFT')",
      "attempt(lambda: os.rename('mark', library), lambda: os.replace('mark', library), lambda: shutil.move('mark', library))",
    ),
    isMarked,
  ],
  [
    "a link in its place",
    lines(
      "open('mark', 'wb').write(b'LEFT')",
      "attempt(lambda: os.unlink(library), lambda: os.symlink(os.path.abspath('mark'), library))",
      "attempt(lambda: os.link(os.path.abspath('mark'), library))",
    ),
    isMarked,
  ],
  [
    "unlink",
    "attempt(lambda: os.unlink(library), lambda: os.remove(library))",
    "not os.path.exists(library)",
  ],
  [
    "another name",
    "attempt(lambda: os.rename(library, library + '.old'), lambda: os.rename(folder, '/tmp/moved'))",
    "os.path.exists(library + '.old') or os.path.exists('/tmp/moved')",
  ],
  [
    "a module beside it",
    lines(
      "def put(place):",
      "    open(os.path.join(place, 'left_behind.py'), 'w').write('value = 1')",
      "for place in [folder, *sys.path]: attempt(lambda: put(place))",
      "attempt(lambda: os.mkdir(os.path.join(folder, 'left_behind')))",
    ),
    "__import__('importlib').util.find_spec('left_behind') is not None or os.path.exists(os.path.join(folder, 'left_behind'))",
  ],
  [
    "folders",
    "for path, _, _ in list(os.walk('/', topdown=False)): attempt(lambda: os.rmdir(path))",
    "not all(os.path.isdir(path) for path in ('/tmp', '/dev', folder, os.getcwd()))",
  ],
  [
    "rights",
    "for path in (library, folder, '/', '/dev'): attempt(lambda: os.chmod(path, 0o1747), lambda: os.chmod(path, 0o1747, follow_symlinks=False))\nattempt(lambda: os.fchmod(opened(os.O_RDONLY), 0o1747))",
    "any(stat.S_IMODE(os.stat(path).st_mode) == 0o1747 for path in (library, folder, '/', '/dev'))",
  ],
  [
    "times",
    "for path in (library, folder, '/', '/tmp', '/dev/null'): attempt(lambda: os.utime(path, (7, 7)))\nattempt(lambda: os.utime(opened(os.O_RDONLY), (7, 7)))",
    "any(int(os.stat(path).st_mtime) == 7 for path in (library, folder, '/', '/tmp', '/dev/null'))",
  ],
];

/** Other state that would outlive a program without a reset. */
const others: readonly Leaving[] = [
  {
    name: "files wherever they can be written",
    change: lines(
      "for path in ('/', '/tmp', '/dev', '/dev/shm', '/dev/shm/tmp', '/home/pyodide', '/home', '/lab', '/proc', '/proc/self', os.getcwd()):",
      "    attempt(lambda: open(os.path.join(path, 'left-behind'), 'w').write('x'), lambda: os.mkdir(os.path.join(path, '.left')))",
    ),
    look: "[1 for path, folders, files in os.walk('/') if path != '/usr' and ('left-behind' in files or '.left' in folders)] != []",
  },
  {
    name: "all the space there is",
    change: "file = open('full', 'wb')\nattempt(*[lambda: file.write(bytes(10**6))] * 70)",
    look: "not attempt(lambda: open('much', 'wb').write(bytes(10**7))) and os.path.getsize('much') < 10**7",
  },
  {
    name: "descriptors",
    change:
      "held = []\nattempt(*[lambda: held.append(opened(os.O_RDONLY))] * 5000)\nattempt(lambda: os.dup2(1, 40))",
    look: "opened(os.O_RDONLY) > 20",
    right: "crashed", // none is left to answer by
  },
  {
    name: "flags of the standard streams",
    change:
      "for n in (0, 1, 2): attempt(lambda: fcntl.fcntl(n, fcntl.F_SETFL, os.O_RDWR | os.O_APPEND | os.O_NONBLOCK), lambda: os.read(n, 1))",
    look: "any(fcntl.fcntl(n, fcntl.F_GETFL) & (os.O_APPEND | os.O_NONBLOCK) for n in (0, 1, 2))",
  },
  {
    name: "pipes and what is in them",
    change:
      "for _ in range(9):\n    left = os.pipe()\n    os.write(left[1], b'x' * 1000)\nif os.path.exists('/proc/self/fd'): attempt(lambda: os.readlink(f'/proc/self/fd/{left[0]}'))",
    look: "[os.readlink(f'/proc/self/fd/{os.pipe()[0]}') != 'pipe[0]' for _ in (1,) if os.path.exists('/proc/self/fd')] == [True]",
  },
  {
    name: "the terminal, read and written",
    change:
      "for path in ('/dev/tty', '/dev/tty1', '/dev/console', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'):\n    attempt(lambda: open(path).read(1), lambda: open(path, 'w').write('\\x1b[31mleft'), lambda: os.read(os.open(path, os.O_RDWR), 1))",
    look: "any([1 for path in ('/dev/tty', '/dev/tty1', '/dev/console') if not attempt(lambda: open(path)) and os.access(path, os.R_OK) and opens(path)])",
  },
  {
    name: "the counts of clocks, read in part and taken away",
    change:
      "attempt(lambda: os.read(os.open('/lab/looks', os.O_RDONLY), 1), lambda: os.unlink('/lab/looks'), lambda: os.rename('/lab/looks', '/tmp/looks'))",
    look: "os.path.exists('/lab') and len(open('/lab/looks').read().split()) != 4",
  },
  {
    name: "the folder, the mask and the environment",
    change: "os.chdir('/')\nos.umask(0o123)\nos.putenv('LEFT', '1')\nos.environ['LEFT'] = '1'",
    look: "os.getcwd() == '/' or os.umask(0) == 0o123 or 'LEFT' in os.environ or os.getenv('LEFT') is not None",
  },
];

const leavings: readonly Leaving[] = [
  ...changes.map(([name, change, look]) => ({ name: `the standard library, by ${name}`, change, look })),
  ...others,
];

const opens = lines(
  "def opens(path):",
  "    try: open(path).close()",
  "    except OSError: return False",
  "    return True",
);

/** Each change followed by its check: both end at an assert if the change did not outlive its program. */
export const leaving: readonly Attack[] = leavings.flatMap(
  ({ name, change, look, right = "assertion" }): Attack[] => [
    {
      name: `left behind: ${name}`,
      code: () => lines(prelude, change, "assert None"),
      right: ["assertion", right],
    },
    {
      name: `left behind, looked for: ${name}`,
      code: () => lines(prelude, opens, `found = ${look}`, "assert found is True"),
      right: ["assertion"],
    },
  ],
);
