import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { pythonTest } from "../trace/python.test-helper.ts";
import type { Outcome } from "./host.ts";
import { describeHosts } from "./hosts.test-helper.ts";
import { judge } from "./verdict.ts";

const folder = fileURLToPath(new URL("../tracer/", import.meta.url));
const asked = (code: string) =>
  spawnSync(
    "python3",
    ["-I", "-B", "-c", `import sys\nsys.path.insert(0, ${JSON.stringify(folder)})\n${code}`],
    { encoding: "utf8" },
  );
pythonTest(
  "digests are the same where CPython finds values equal, and of typed ones where the types are the same as well",
  () => {
    const { stdout, stderr } = asked(`
import random
from collections import Counter, OrderedDict, defaultdict, namedtuple
from decimal import Decimal
from fractions import Fraction
from lab.digest import digest

class Words(str): pass
class Row(namedtuple("Row", "a b")): pass
chance = random.Random(20)
atoms = [None, ..., True, False, 0, 1, -1, 2**70, 1.0, -0.0, 0.5, float("inf"), -float("inf"), 1e300, 1j, 1 + 0j, "", "1", "é", "\\ud800",
    b"", b"1", bytearray(b"1"), Fraction(1, 2), Decimal("0.5"), Decimal(1), Decimal("Infinity"), Words("1"), "(", "s1:1", float("nan")]
def value(depth):
    if depth == 0 or chance.random() < 0.3: return chance.choice(atoms)
    inner = [value(depth - 1) for _ in range(chance.randrange(3))]
    hashable = [each for each in inner if hashed(each)]
    make = chance.randrange(10)
    if make == 0: return inner
    if make == 1: return tuple(inner)
    if make == 2: return set(hashable)
    if make == 3: return frozenset(hashable)
    if make == 4: return dict.fromkeys(hashable, inner)
    if make == 5: return OrderedDict.fromkeys(hashable, 1)
    if make == 6: return Counter(hashable)
    if make == 7: return defaultdict(list, dict.fromkeys(hashable, 1))
    if make == 8: return Row(1, tuple(inner))
    return dict.fromkeys(hashable, 1).keys()
def hashed(each):
    try: hash(each)
    except TypeError: return False
    return True
def nan(a): return "nan" in repr(a).lower()
def same(a, b):
    if type(a) is not type(b): return False
    if isinstance(a, (list, tuple)): return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict): return len(a) == len(b) and all(any(same(k, l) and same(a[k], b[l]) for l in b) for k in a)
    if isinstance(a, (set, frozenset, type({}.keys()))): return len(a) == len(b) and all(any(same(x, y) for y in b) for x in a)
    return a == b
counts = [0, 0, 0]
for n in range(15000):
    a, b = value(2), value(2)
    if chance.random() < 0.2: b = chance.choice(list(a)) if isinstance(a, (list, tuple)) and a else a
    if type(a) is OrderedDict and type(b) is OrderedDict and list(a) != list(b): continue
    if type(a) is Counter or type(b) is Counter: b = dict(b) if type(b) is Counter else b
    for typed in (False, True):
        one, two = digest(a, typed), digest(b, typed)
        if nan(a) or nan(b): right = False
        else: right = same(a, b) if typed else a == b
        found = one is not None and one == two
        if found != right: print("typed" if typed else "untyped", repr(a), repr(b), found)
        counts[found + typed * found] += 1
print("equal", counts[1] > 1000, "same", counts[2] > 1000)
`);
    expect(stderr).toBe("");
    expect(stdout).toBe("equal True same True\n");
  },
);

pythonTest("what is expected is not in what the program's process is sent", () => {
  const { stdout, stderr } = asked(`
import json
from lab.split import handle
cases = [
    ("def f(n): return n\\nassert f(20) == 6765 # 6765", None, False),
    ("def f(n): return n; \\nassert 'ü' and f('ü') == 6765; assert f(1) == [6765]\\nassert f(2) == {'a': float('6765')}, '6765'", None, False),
    ("def f(n): return n", "f(20) == 6765", False),
    ("def f(n): return n\\r\\nassert(f(\\r\\n  20)\\r\\n== set([6765]))\\r\\n", "(6765,) == f(n=1)", True),
    ("x = '''\\né''' ; assert x == '6765'", None, False),
]
for code, expression, typed in cases:
    made = handle({"code": code, "expression": expression, "typed": typed})
    text = json.dumps(made.request)
    assert "6765" not in text, text
    held = {}
    exec(made.request["code"], held)
    values = [eval(test.get("value") or test["truth"], held) for test in made.request["asked"]]
    print(len(made.withheld), values)
`);
  expect(stderr).toBe("");
  expect(stdout).toBe("1 [20]\n4 [True, 'ü', 1, 2]\n1 [20]\n2 [20, 1]\n1 ['\\né']\n");
});

test("whatever the program's process says: it passes with the expected values alone", () => {
  const plan = JSON.stringify([
    { digest: "right", message: "a" },
    { digest: null, message: "b" },
  ]);
  const first = JSON.stringify([{ digest: "right", message: "a" }]);
  const done = (value: unknown): Outcome => ({
    ...{ kind: "done", value, output: "" },
    python: { version: "3", wordBits: 64, implementation: "cpython", host: "native" },
  });
  const ended = (plan: string, value: unknown) => judge(plan, done(value));
  expect(ended(first, { outcome: "passed", told: ["right"] })).toMatchObject({
    value: { outcome: "passed", tests: { judged: 1, said: 0 } },
  });
  for (const told of [["wrong"], [true], [null]])
    expect(ended(first, { outcome: "passed", told })).toMatchObject({
      value: { outcome: "assertion", message: "a" },
    });
  expect(ended(plan, { outcome: "passed", told: ["right", null] })).toMatchObject({
    value: { outcome: "assertion", message: "b" },
  });
  for (const value of [
    ...[
      { outcome: "passed" },
      { outcome: "passed", told: ["right", "right"] },
      { outcome: "right" },
      null,
      "passed",
    ],
    ...[{ outcome: "passed", told: "right" }, { told: ["right"] }],
  ])
    expect(ended(first, value)).toMatchObject({ kind: "forged" });
  expect(
    ended(JSON.stringify([{ holds: false, message: "" }]), { outcome: "passed", told: [true] }),
  ).toMatchObject({ value: { outcome: "assertion" } });
});

describeHosts((host) => {
  const value = async (request: object) => {
    const outcome = await host.run({ operation: "execute", ...request });
    return outcome.kind === "done" ? outcome.value : outcome;
  };

  test("says how many tests were judged outside and of how many the program says that they hold", async () => {
    const code = "def f(n): return [n]\nassert f(2) == [2] and f(1)\nassert len(f(1)) < 2";
    expect(await value({ code })).toEqual({ outcome: "passed", tests: { judged: 1, said: 2 } });
    expect(await value({ code, expression: "f(1) == [1.0]" })).toMatchObject({
      tests: { judged: 2, said: 2 },
    });
  });

  test("takes the types into account where it is asked to", async () => {
    const code = "def f(n): return [n]";
    const typed = { code, typed: true };
    expect(await value({ ...typed, expression: "f(1) == [1]" })).toMatchObject({ outcome: "passed" });
    expect(await value({ ...typed, expression: "f(1) == [1.0]" })).toMatchObject({ outcome: "assertion" });
    expect(await value({ ...typed, expression: "f(1) == f(1)" })).toMatchObject({ outcome: "assertion" });
    expect(await value({ ...typed, expression: "'\\N{BULLET}' == '•'" })).toMatchObject({
      outcome: "passed",
    });
  });

  test("ends as CPython does at the first test that fails, with its words", async () => {
    const code = "def f(n): return 1 // n\nassert f(1) == 1\nassert f(2) == 1, 'two'\nassert f(0) == 1";
    expect(await value({ code })).toEqual({
      outcome: "assertion",
      exception: "AssertionError",
      message: "two",
    });
    expect(await value({ code: code.replace(", 'two'", " - 1") })).toMatchObject({
      ...{ outcome: "raised", exception: "ZeroDivisionError" },
    });
  });

  // Looks for what is expected in code, frames and texts, and gives it.
  const cheat = [
    "import re, sys",
    "def f(n):",
    "    seen, frame = '', sys._getframe()",
    "    while frame:",
    "        seen += repr(frame.f_code.co_consts) + repr(frame.f_locals) + repr(frame.f_globals)",
    "        frame = frame.f_back",
    "    a, b = 0, 1",
    "    for _ in range(n): a, b = b, a + b",
    "    return a if str(a) in re.findall('[0-9]+', seen) else 0", // other numbers of four digits may be there by chance
    "",
  ].join("\n");
  const deep = `x = ${"(".repeat(150)}1${")".repeat(150)}; \\\n`;
  const deeper = `x = ${"-".repeat(2500)}1\n`;
  test.each([
    ["nothing", "", "assertion"],
    ["a mark at its beginning", "\ufeff", "assertion"],
    ["a line that goes on", "x = 1; \\\n", "assertion"],
    ["a line that goes on twice", "x = 1; \\\n\\\n   \\\n", "assertion"],
    ["a statement on the test's line", "x = 1; y = 2; ", "assertion"],
    ["a form feed", "x = 1\n\f", "assertion"],
    ["other ends of lines", "x = 1\r\ny = '''\r\n'''\r", "assertion"],
    ["letters of more bytes", "é = 'ü'; ", "assertion"],
    ["an encoding", "x = 1\n# coding: utf-16\n", "assertion"],
    ["a future", "from __future__ import annotations; \\\n", "syntax"],
    ["brackets, deeply nested", deep, "assertion"],
    ["an if that holds", "if 1: \\\n", "untested"],
    ["an if that holds, with more", "if 1: x = 1; \\\n", "untested"],
    ["an if that does not", "if 0: \\\n", "untested"],
    ["a loop", "for _ in [1]: \\\n", "untested"],
    ["a function", "def g(): \\\n", "untested"],
    ["a class", "class A: \\\n", "untested"],
    ["an open text", "x = '''\n", "syntax"],
    ["an open bracket", "x = (\n", "syntax"],
    ["a null", "x = 1\0\n", "syntax"],
    ["an open line", "x = \\\n", "syntax"],
    ["an exit", "raise SystemExit(0)\n", "raised"],
    ["the site's exit", "exit()\n", "raised"],
    ["an expression that is deep", deeper, "assertion"],
    ["asserts that raise what is none", "__builtins__.AssertionError = int\n", "assertion"],
    ["other builtins", "__builtins__.eval = __builtins__.bool = lambda *a: True\n", "assertion"],
  ])("no program is given what is expected before its test: %s", async (name, before, outcome) => {
    const test = "assert f(20) == 6765";
    const code = name.startsWith("a mark") ? `${before}${cheat}${test}` : `${cheat}${before}${test}`;
    expect(await value({ code })).toMatchObject({ outcome });
  });

  test("runs nothing where the program is too deep for its test to be parted", async () => {
    const code = `${cheat}x = 1${"+1".repeat(100_000)}\nassert f(20) == 6765`;
    const right = { embedded: { kind: "crashed" }, native: { outcome: "untested" } };
    expect(await value({ code })).toMatchObject(right[host.name]);
  });

  test("takes computed words, a mark at the beginning and a line that goes on", async () => {
    const passed = { outcome: "passed", tests: { judged: 1, said: 0 } };
    const code = "def f(n): return n * n\n";
    expect(await value({ code: `${code}assert f(3) == 9, f"not {f(3)}"` })).toEqual(passed);
    expect(await value({ code: `\ufeff${code}assert f(3) == 9` })).toEqual(passed);
    expect(await value({ code: `${code}x = 3; \\\nassert f(x) == 9` })).toEqual(passed);
    expect(await value({ code: `\ufeff${code}` })).toEqual({ outcome: "passed" });
  });

  test("compares numbers out of range as Python does, or says what Python raises", async () => {
    const digits = `1${"0".repeat(400)}`;
    const code = (given: string) => `def f(): return ${given}\n`;
    const passed = { outcome: "passed" };
    expect(await value({ code: `${code("float('inf')")}assert f() == ${digits}.0` })).toMatchObject(passed);
    expect(await value({ code: `${code(digits)}assert f() == ${digits}` })).toMatchObject(passed);
    for (const given of [`float(${digits})`, `-float(${digits})`, `[float(${digits})]`])
      expect(await value({ code: `${code("1")}assert f() == ${given}` })).toMatchObject({
        ...{ outcome: "raised", exception: "OverflowError" },
      });
    const expression = `f() == float(${digits})`;
    expect(await value({ code: code("1"), expression, typed: true })).toMatchObject({ outcome: "raised" });
  });
});
