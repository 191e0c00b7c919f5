/** @file Ten programs with a seeded fault, each with a failing test, and how an agent finds the line that wrote the wrong value. */

interface Fault {
  readonly name: string;
  readonly source: string;
  /** Tool calls after `debug_open` at the end; the last names the fault. */
  readonly asks: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[];
  readonly wrote: { readonly name: string; readonly value: string; readonly line: number };
}

const from = (name: string, more = {}) => ["where_from", { name, ...more }] as const;

export const faults: readonly Fault[] = [
  {
    name: "a sum starts at 1",
    source: `def total(xs):
    s = 1
    for x in xs:
        s += x
    return s

def test():
    got = total([2, 3])
    assert got == 5
`,
    asks: [from("got")],
    wrote: { name: "s", value: "1", line: 2 },
  },
  {
    name: "a loop ends one early",
    source: `def last(xs):
    found = None
    for i in range(len(xs) - 1):
        found = xs[i]
    return found

def test():
    got = last([4, 5, 6])
    assert got == 6
`,
    asks: [from("got", { steps: 3 })],
    wrote: { name: "i", value: "1", line: 3 },
  },
  {
    name: "rows share one list",
    source: `def grid(n):
    rows = [[0] * n] * n
    rows[0][0] = 1
    return rows

def test():
    got = grid(2)
    assert got == [[1, 0], [0, 0]]
`,
    asks: [from("got"), ["debug_step", { commands: ["back continue 4"] }], from("rows", { every: true })],
    wrote: { name: "rows", value: "[[1, 0], [1, 0]]", line: 3 },
  },
  {
    name: "a default argument is kept between calls",
    source: `def collect(x, into=[]):
    into.append(x)
    return into

def test():
    first = collect(1)
    second = collect(2)
    assert first == [1]
`,
    asks: [from("first", { every: true })],
    wrote: { name: "first", value: "[1, 2]", line: 2 },
  },
  {
    name: "a count is stored under the wrong key",
    source: `def count(words):
    seen = {}
    for word in words:
        key = word[0]
        seen[key] = seen.get(key, 0) + 1
    return seen

def test():
    got = count(["to", "be", "to"])
    assert got == {"to": 2, "be": 1}
`,
    asks: [from("got"), ["debug_step", { commands: ["back continue 5"] }], from("key")],
    wrote: { name: "key", value: "'t'", line: 4 },
  },
  {
    name: "a swap loses a value",
    source: `def swap(a, b):
    a = b
    b = a
    return [a, b]

def test():
    got = swap(1, 2)
    assert got == [2, 1]
`,
    asks: [from("got")],
    wrote: { name: "b", value: "2", line: 3 },
  },
  {
    name: "an inner loop overwrites the outer variable",
    source: `def table(n):
    out = []
    for i in range(n):
        row = []
        for i in range(2):
            row.append(i)
        out.append((i, row))
    return out

def test():
    got = table(1)
    assert got[0][0] == 0
`,
    asks: [["debug_step", { commands: ["back continue 8"] }], from("i", { every: true })],
    wrote: { name: "i", value: "1", line: 5 },
  },
  {
    name: "a mean is rounded down",
    source: `def mean(xs):
    size = len(xs)
    result = sum(xs) // size
    return result

def test():
    got = mean([1, 2])
    assert got == 1.5
`,
    asks: [from("got")],
    wrote: { name: "result", value: "1", line: 3 },
  },
  {
    name: "a helper changes a module variable",
    source: `limit = 3

def check(n):
    global limit
    limit = n
    return n <= 3

def test():
    check(7)
    assert limit == 3
`,
    asks: [from("limit")],
    wrote: { name: "limit", value: "7", line: 5 },
  },
  {
    name: "a recursion has the wrong base",
    source: `def power(x, n):
    if n == 0:
        base = x
        return base
    return x * power(x, n - 1)

def test():
    got = power(2, 2)
    assert got == 4
`,
    asks: [["debug_step", { commands: ["back continue 4"] }], from("base")],
    wrote: { name: "base", value: "2", line: 3 },
  },
];
