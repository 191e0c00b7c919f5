import { afterAll, beforeAll, expect, test } from "vitest";
import type { PythonHost } from "./host.ts";
import { openHost } from "./open.ts";

let host: PythonHost;
beforeAll(async () => {
  host = await openHost("embedded", { share: true, atMost: 1 });
}, 60_000); // the first on a machine makes the snapshot
afterAll(() => host.close());

async function run(code: string) {
  const outcome = await host.run({ operation: "execute", code });
  if (outcome.kind !== "done") throw new Error(outcome.words);
  return outcome;
}

test("a program that changes nothing is found to have changed nothing", async () => {
  const honest = [
    "x = [1]",
    "import re, collections, json\nassert re.sub('a', 'b', 'aa') == 'bb' and json.loads('[1]') == [1]",
    "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nassert P(1) == P(1)",
    "import enum\nclass E(enum.Enum):\n    A = 1\nassert E.A.value == 1",
    "from typing import NamedTuple, get_type_hints\nclass Q(NamedTuple):\n    a: int\nassert get_type_hints(Q) == {'a': int}",
    "from collections import namedtuple, Counter, deque\nassert namedtuple('A', 'b')(1).b == 1",
    "raise ValueError(1)",
    "import math, itertools, functools\nf = functools.lru_cache(lambda n: n)\nassert f(2) == 2",
  ];
  for (const code of honest) expect((await run(code)).restored, code).toEqual([]);
});

/** What a program does, what is said of it, and a look that fails where it was not undone. */
const changes: readonly (readonly [code: string, restored: readonly string[], look: string])[] = [
  ["import builtins\nbuiltins.len = lambda x: 5", ["builtins.len"], "assert len([1]) == 1"],
  [
    "import builtins\nbuiltins.extra = 1",
    ["builtins.extra"],
    "import builtins\nassert not hasattr(builtins, 'extra')",
  ],
  ["import json\njson.dumps = lambda x: 'x'", ["json.dumps"], "import json\nassert json.dumps(1) == '1'"],
  [
    "import json\njson.loads.__code__ = (lambda s: 1).__code__",
    ["json.loads"],
    "import json\nassert json.loads('2') == 2",
  ],
  [
    "import textwrap\ntextwrap.indent.__defaults__ = (lambda line: False,)",
    ["textwrap.indent"],
    "import textwrap\nassert textwrap.indent('a', 'b') == 'ba'",
  ],
  [
    "import textwrap\ndel textwrap.indent.__defaults__",
    ["textwrap.indent"],
    "import textwrap\nassert textwrap.indent('a', 'b') == 'ba'",
  ],
  [
    "import json\njson.dumps.__kwdefaults__ = {**json.dumps.__kwdefaults__, 'indent': 3}",
    ["json.dumps"],
    "import json\nassert json.dumps([1]) == '[1]'",
  ],
  [
    "import json\njson.dumps.__kwdefaults__['indent'] = 3",
    ["json.dumps"],
    "import json\nassert json.dumps([1]) == '[1]'",
  ],
  [
    // the names that the guard itself uses are replaced while it is looked away from
    "import builtins, json\nbuiltins.next = builtins.repr = lambda *_: ''\njson.loads.__code__ = (lambda s: 1).__code__",
    ["json.loads"],
    "import json\nassert json.loads('2') == 2",
  ],
  [
    // the guard's own hook, taken from the traceback of what it refuses
    `import json
try: import ctypes
except ImportError as error:
    step = error.__traceback__
    while step.tb_next: step = step.tb_next
    for value in list(step.tb_frame.f_locals.values()):
        try: value()
        except Exception: pass
    for name in list(step.tb_frame.f_locals): step.tb_frame.f_locals[name] = None
json.loads.__code__ = (lambda s: 1).__code__`,
    ["json.loads"],
    "import json\nassert json.loads('2') == 2",
  ],
  ["import math\ndel math.pi", ["math.pi"], "import math\nassert math.pi > 3"],
  [
    "import collections\ncollections.Counter.most_common = lambda self: 1",
    ["collections.Counter.most_common"],
    "import collections\nassert collections.Counter('a').most_common() == [('a', 1)]",
  ],
  ["import sys\nsys.modules['math'] = None", ["math"], "import math"],
  ["import sys\nsys.path.append('x')", ["sys.path"], "import sys\nassert 'x' not in sys.path"],
  [
    "import sys\nsys.settrace(lambda *a: None)",
    ["sys.settrace"],
    "import sys\nassert sys.gettrace() is None",
  ],
  [
    "import sys\nsys.setprofile(lambda *a: None)",
    ["sys.setprofile"],
    "import sys\nassert sys.getprofile() is None",
  ],
  [
    "import sys\nsys.monitoring.use_tool_id(3, 'x')",
    ["sys.monitoring"],
    "import sys\nassert sys.monitoring.get_tool(3) is None",
  ],
  ["import sys\nsys.stdout = None", ["sys.stdout"], "print(end='')"],
  [
    "import sys\nsys.setrecursionlimit(5000)",
    ["recursion limit"],
    "import sys\nassert sys.getrecursionlimit() == 1000",
  ],
  ["import os\nos.environ['A'] = '1'", ["os.environ"], "import os\nassert 'A' not in os.environ"],
  ["import os\nos.chdir('/')", ["working folder"], "import os\nassert os.getcwd() != '/'"],
  ["import gc\ngc.disable()", ["gc"], "import gc\nassert gc.isenabled()"],
  [
    "import decimal\ndecimal.getcontext().prec = 5",
    ["decimal"],
    "import decimal\nassert decimal.getcontext().prec == 28",
  ],
  [
    "import warnings\nwarnings.simplefilter('error')",
    ["warnings.filters"],
    "import warnings\nwarnings.warn('no error')",
  ],
  [
    "import os\nos.makedirs('/tmp/a/b')\nopen('/tmp/a/b/c', 'w').close()",
    ["/tmp/a"],
    "import os\nassert os.listdir('/tmp') == []",
  ],
  ["import colorsys", ["colorsys"], "import sys\nassert 'colorsys' not in sys.modules"],
];

test.each(changes)("%j is undone, and named %j", async (code, restored, look) => {
  const outcome = await run(code);
  expect(outcome.value).toEqual({ outcome: "passed" });
  expect(outcome.restored).toEqual(expect.arrayContaining([...restored]));
  expect(await run(look)).toMatchObject({ value: { outcome: "passed" }, restored: [] });
});

test("random numbers begin anew in each program", async () => {
  const draws = [];
  for (let n = 0; n < 2; n++) draws.push((await run("import random\nprint(random.random())")).output);
  expect(draws[0]).toBe(draws[1]);
});

test("an interpreter that hit a limit is replaced, and the next program never sees it", async () => {
  await run("pass");
  const stopped = await host.run({ operation: "execute", code: "while True: pass" }, { wallSeconds: 0.2 });
  expect(stopped.kind).toBe("time");
  expect(await run("assert 'x' not in globals()")).toMatchObject({
    value: { outcome: "passed" },
    restored: [],
  });
});
