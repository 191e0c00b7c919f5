import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hostNames, type PythonHost } from "./host.ts";
import { findNative } from "./native.ts";
import { openHost } from "./open.ts";

interface Said {
  readonly proven: boolean;
  readonly reason: string | null;
  readonly literal: string | null;
  readonly environment?: object;
}

/** `A` is what happens, whether or not the program catches an error: `f` returns -1 then. */
const caught = (imports: string, work: string) =>
  `${imports}\ndef f():\n    try:\n        ${work.replaceAll("\n", "\n        ")}\n    except Exception:\n        return -1\n`;

const proven = (literal: string, environment?: object): Partial<Said> => ({
  proven: true,
  literal,
  ...(environment && { environment }),
});
const refused = (reason: RegExp) => ({ proven: false, literal: null, reason: expect.stringMatching(reason) });

const clock = { clock: "2025-01-01T00:00:00Z" };
const reads = /^the program reads the clock \((time|datetime)\.\w+\); --host embedded pins it/;
const entropy = /^the program draws from the system's randomness/;

/** A program, and what each host says of it. */
const programs: readonly (readonly [name: string, source: string, embedded: object, native: object])[] = [
  ["nothing", caught("", "return 1"), proven("1"), proven("1")],
  [
    "an event loop",
    "import asyncio\nasync def w(n):\n    await asyncio.sleep(0.01)\n    return n\ndef f():\n    try:\n        return asyncio.run(w(3))\n    except Exception:\n        return -1\n",
    proven("3"),
    proven("3"),
  ],
  [
    "tasks in the order in which they end",
    "import asyncio\nasync def w(n, seen):\n    await asyncio.sleep(n / 50)\n    seen.append(n)\nasync def all():\n    seen = []\n    await asyncio.gather(w(3, seen), w(1, seen), w(2, seen))\n    return seen\ndef f():\n    return asyncio.run(all())\n",
    proven("[1, 2, 3]", { addresses: true }), // a loop keeps its tasks in sets
    proven("[1, 2, 3]"),
  ],
  [
    "a thread",
    caught(
      "import threading",
      "t = threading.Thread(target=len, args=('a',))\nt.start()\nt.join()\nreturn 3",
    ),
    refused(
      /^the program starts a thread \(_thread\.\w+\), which the embedded host cannot; --host native can, line 5$/,
    ),
    proven("3", { threads: true }),
  ],
  [
    "a pool of threads",
    caught(
      "from concurrent.futures import ThreadPoolExecutor",
      "with ThreadPoolExecutor(1) as pool:\n    return list(pool.map(abs, [-1]))",
    ),
    refused(/starts a thread/),
    { proven: expect.any(Boolean) },
  ],
  [
    "a process",
    caught("import subprocess", "return subprocess.run(['true']).returncode"),
    refused(/^the program starts a process \(subprocess\.Popen\)/),
    proven("0"),
  ],
  [
    "a fork",
    caught("import os", "pid = os.fork()\nif pid == 0: os._exit(0)\nos.waitpid(pid, 0)\nreturn 2"),
    refused(/^the program starts a process \(os\.fork\)/),
    { proven: expect.any(Boolean) },
  ],
  [
    "the network",
    caught("import socket", "socket.create_connection(('127.0.0.1', 9))\nreturn 1"),
    refused(/the network|a socket/),
    refused(/reaches for the network/),
  ],
  [
    "what only Linux has",
    caught("import os", "return hasattr(os, 'getegid')"),
    refused(/^the program asks for os\.getegid/),
    proven("True", { machine: ["os.getegid"] }),
  ],
  [
    "a module that only Linux has",
    caught("", "import resource\nreturn 1"),
    refused(/^the program imports resource/),
    proven("1"),
  ],
  ["the time", caught("import time", "return time.time() > 5"), proven("True", clock), refused(reads)],
  [
    "a duration",
    caught("import time", "return time.perf_counter() > 0"),
    proven("True", clock),
    refused(reads),
  ],
  [
    "the date",
    caught("from datetime import datetime", "return datetime.now().year"),
    proven("2025", clock),
    refused(reads),
  ],
  [
    "today",
    caught("import datetime", "return datetime.date.today().isoformat()"),
    proven("'2025-01-01'", clock),
    refused(reads),
  ],
  [
    "chance without a seed",
    caught("import random", "return random.random() < 2"),
    proven("True", { seed: 0 }),
    proven("True", { seed: 0 }),
  ],
  [
    "chance with a seed",
    caught("import random", "random.seed(3)\nreturn random.randint(1, 6)"),
    proven("2"),
    proven("2"),
  ],
  [
    "a seed after chance",
    caught("import random", "a = random.random() < 2\nrandom.seed(3)\nreturn a"),
    proven("True", { seed: 0 }),
    proven("True", { seed: 0 }),
  ],
  [
    "the system's chance",
    caught("import os", "return len(os.urandom(3))"),
    proven("3", { entropy: "pinned" }),
    refused(entropy),
  ],
  [
    "a generator without a seed",
    caught("import random", "return random.Random().random() < 2"),
    proven("True", { entropy: "pinned" }),
    refused(entropy),
  ],
  [
    "a variable",
    caught("import os", "return os.environ.get('STATELAB_NONE')"),
    proven("None", { variables: { STATELAB_NONE: null } }),
    proven("None", { variables: { STATELAB_NONE: null } }),
  ],
  [
    "a variable of its own",
    caught("import os", "os.environ['MINE'] = 'a'\nreturn os.environ['MINE']"),
    proven("'a'"),
    proven("'a'"),
  ],
  [
    "an address",
    caught("", "return id(f) > 0"),
    proven("True", { addresses: true }),
    proven("True", { addresses: true }),
  ],
  [
    "a copy, which asks for addresses itself",
    caught("import copy", "return copy.deepcopy([[1]])"),
    proven("[[1]]"),
    proven("[[1]]"),
  ],
  [
    "the largest index",
    caught("import sys", "return sys.maxsize"),
    proven(String(2n ** 63n - 1n)),
    proven(String(2n ** 63n - 1n)),
  ],
  ["a hash of a small integer", caught("", "return hash(5)"), proven("5"), proven("5")],
  ["a hash", caught("", "return hash(0.5) > 0"), proven("True", { wordBits: 32 }), proven("True")],
  [
    "the C library's sine",
    caught("import math", "return math.sin(0.0)"),
    proven("0.0", { libm: "musl" }),
    proven("0.0"),
  ],
  ["a power of floats", caught("", "return 4 ** 0.5"), proven("2.0", { libm: "musl" }), proven("2.0")],
  ["a negative power", caught("", "return 2 ** -1"), proven("0.5", { libm: "musl" }), proven("0.5")],
  ["a power of integers", caught("", "return 2 ** 70"), proven(String(2n ** 70n)), proven(String(2n ** 70n))],
  [
    "a square root, which is exact",
    caught("import math", "return math.sqrt(4.0)"),
    proven("2.0"),
    proven("2.0"),
  ],
  ["a complex number", caught("", "return abs(3 + 4j)"), proven("5.0", { libm: "musl" }), proven("5.0")],
  [
    "a draw that takes a logarithm",
    caught("import random", "random.seed(1)\nreturn random.gauss(0, 1) < 9"),
    proven("True", { libm: "musl" }),
    proven("True"),
  ],
  ["the platform", caught("import sys", "return len(sys.platform) > 1"), proven("True"), proven("True")],
  [
    "which classes there are",
    caught("", "return len(object.__subclasses__()) > 1"),
    proven("True"),
    proven("True"),
  ],
  [
    "which modules are loaded",
    caught("import sys", "return 'json' in sys.modules"),
    refused(/^the program asks which modules are loaded \(sys\.modules\)/),
    refused(/sys\.modules/),
  ],
];

const native = findNative();
describe.each(hostNames)("the %s host", (name) => {
  const skip = name === "native" && native.kind === "missing";
  let host: PythonHost;
  beforeAll(async () => {
    if (!skip) host = await openHost(name, { atMost: 1 });
  }, 60_000);
  afterAll(() => host?.close());

  test.skipIf(skip).each(programs)(
    "what it says of a program that reads %s",
    async (_, source, embedded, own) => {
      const outcome = await host.run({ operation: "trace", source, call: "f()", options: {} });
      if (outcome.kind !== "done") throw new Error(outcome.words);
      const said = outcome.value as Said; // the record of lab.trace
      const expected = name === "embedded" ? embedded : own;
      expect(said).toMatchObject(expected);
      if ("literal" in expected && said.proven && !("environment" in expected))
        expect(
          Object.keys(said.environment ?? {}).filter((key) => !["variables", "processes"].includes(key)),
        ).toEqual([]);
      if (!said.proven) expect(JSON.stringify(said)).not.toContain('"role":"assert"');
    },
  );
});
