/** @file Five programs with a seeded fault, each with a failing test, and how an agent finds the line that wrote the wrong value. */

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
];
