import { describe, expect, test } from "vitest";
import { hasPython } from "../trace/python.test-helper.ts";
import { recorded } from "./bdb.test-helper.ts";
import { commandsIn, execute, openSession, type Recording, renderReply } from "./index.ts";

const values = [
  "from collections import Counter, OrderedDict, defaultdict, deque, namedtuple",
  "from datetime import date, timedelta",
  "from decimal import Decimal",
  "from enum import Enum",
  "from fractions import Fraction",
  "from pathlib import PurePosixPath",
  "class Color(Enum):",
  "    RED = 1",
  "P = namedtuple('P', 'x y')",
  "class Own(P):",
  "    def __repr__(self): raise SystemExit",
  "def f():",
  "    c = Counter('abb'); d = defaultdict(list, {1: [2]}); o = OrderedDict(a=1); q = deque([1, 2], maxlen=2)",
  "    m = Decimal('0.30'); r = Fraction(1, 3); t = timedelta(days=2); b = PurePosixPath('a/b'); p = P(1, 'a')",
  "    e = Color.RED; own = Own(1, 2); raw = b'a\\x00'; long = tuple(range(9000)); day = date(2020, 1, 2); err = ValueError('x')",
  "    m += Decimal('0.1')",
  "    q.append(3)",
  "    return 1",
].join("\n");

const parts = [
  "import random",
  "def f():",
  "    xs = list(range(1500))",
  "    r = random.Random(1)",
  "    xs[1400] = 0",
  "    r.random()",
  "    xs[3] = 9",
  "    return 1",
].join("\n");

const deleted = [
  "def f():",
  "    x, y = 1, 2",
  "    x, y = y, x",
  "    try:",
  "        1 / 0",
  "    except ZeroDivisionError as err:",
  "        y = 5",
  "    del x, y",
  "    return (z := 4)",
].join("\n");

/** Programs that catch what ends them. */
const catching = [
  "    while True:\n        try:\n            n += 1\n        except:\n            n += 2\n",
  "    while True:\n        try:\n            while True:\n                n += 1\n        except BaseException as error:\n            kept.append(error)\n        finally:\n            n += 1\n",
  "    def each():\n        while True:\n            try:\n                yield 1\n            except:\n                pass\n    while True:\n        try:\n            for n in each():\n                pass\n        except:\n            continue\n",
].map((body) => ({ source: `def f():\n    n = 0\n    kept = []\n${body}`, options: { maximumSteps: 3000 } }));

function replies(run: Recording, text: string): string[] {
  let session = openSession(run);
  return commandsIn(text).map((command) => {
    const done = execute(session, command);
    session = done.session;
    return renderReply(done.reply);
  });
}

describe.skipIf(!hasPython)("recorded by python3 (skipped without it)", () => {
  const programs = [{ source: values }, { source: parts }, { source: deleted }, ...catching];
  const [ofValues, ofParts, ofDeleted, ...ofCatching] = hasPython
    ? recorded(programs.map((program) => ({ ...program, call: "f()" })))
    : [];

  test.each([
    ["c['b']", "2"],
    ["c['z']", "0"],
    ["c", "Counter({'b': 2, 'a': 1})"],
    ["d[1]", "[2]"],
    ["d", "defaultdict(<class 'list'>, {1: [2]})"],
    ["len(d)", "1"],
    ["d[5]", "*** NotRecorded: the key 5 is not there, and its default is not made"],
    ["o['a'] == 1", "True"],
    ["q", "deque([2, 3], maxlen=2)"],
    ["q[1] in q", "True"],
    ["m", "Decimal('0.40')"],
    ["0 < m < 0.5 and m > r", "True"],
    ["r", "Fraction(1, 3)"],
    ["t", "datetime.timedelta(days=2)"],
    ["t.days", "2"],
    ["b", "PurePosixPath('a/b')"],
    ["p", "P(x=1, y='a')"],
    ["p.y + p[1]", "'aa'"],
    ["e", "<Color.RED: 1>"],
    ["e.name", "'RED'"],
    ["own", "<Own (1, 2)>"],
    ["raw", "b'a\\x00'"],
    ["raw[0]", "97"],
    ["len(long)", "9000"],
    ["long[5]", "5"],
    ["long[5000]", "*** NotRecorded: not recorded beyond 1000 of 9000 items"],
    ["5000 in long", "*** NotRecorded: not recorded beyond 1000 of 9000 items"],
    ["day.year", "2020"],
    ["err", "ValueError('x')"],
  ])("print %s gives %s", (expression, value) => {
    expect(replies(ofValues, `end; print ${expression}`).at(-1)).toBe(value);
  });

  test("a change inside of an object of the library is seen", () => {
    const [, m, q] = replies(ofValues, "end; changed m; changed q");
    expect(m).toMatch(/^m = Decimal\('0.40'\) {2}\(was Decimal\('0.30'\)\) {2}bound by line 16 of f/);
    expect(q).toMatch(
      /^q = deque\(\[2, 3\], maxlen=2\) {2}\(was deque\(\[1, 2\], maxlen=2\)\) {2}changed by line 17 of f/,
    );
  });

  test("where a value is recorded in part, changed says so", () => {
    const [, xs, r] = replies(ofParts, "end; changed xs; changed r");
    expect(xs).toMatch(
      /changed by line 7 of f.*\nxs is recorded in part; changes to the rest are not shown$/,
    );
    expect(r).toMatch(/bound by line 4 of f.*\nr is recorded in part; changes to the rest are not shown$/);
  });

  test("writes and changed of a name that is deleted or not yet bound", () => {
    const places = (command: string) =>
      replies(ofDeleted, command)
        .at(-1)
        ?.split("\n")
        .map((line) => /(bound|deleted) by line \d+/.exec(line)?.[0] ?? line);
    expect(places("end; writes x")).toEqual(["bound by line 2", "bound by line 3", "deleted by line 8"]);
    expect(places("end; writes y")).toEqual([
      "bound by line 2",
      "bound by line 3",
      "bound by line 7",
      "deleted by line 8",
    ]);
    expect(places("end; writes err")).toEqual(["bound by line 6", "deleted by line 7"]);
    expect(places("end; changed x")).toEqual(["deleted by line 8"]);
    expect(places("writes x")).toEqual(["bound by line 2", "bound by line 3", "deleted by line 8"]);
    expect(places("changed x")).toEqual(["*** NameError: name 'x' has no value yet"]);
    expect(places("writes nosuch")).toEqual(["*** NameError: name 'nosuch' is not defined here"]);
  });

  test("the stop after the recorded events cannot be caught", () => {
    expect(ofCatching).toHaveLength(3);
    for (const { record } of ofCatching) expect(record.reason).toBe("more than 3000 events");
  });
});
