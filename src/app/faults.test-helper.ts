/** @file Programs with one fault, marked by a comment, and an assertion that fails; and how a user or an agent finds the line. */

interface Fault {
  readonly fault: string;
  readonly program: string;
  /** In an editor: the variable of the failing call whose last change is asked for; or console commands. */
  readonly by: { readonly variable: string; readonly condition?: string } | readonly string[];
  /** Of an agent: tool calls after `debug_open` at the end; the last names the fault. */
  readonly asks: readonly (readonly [tool: string, args: Readonly<Record<string, unknown>>])[];
  readonly wrote: { readonly name: string; readonly value?: string };
}

export const faultLine = (program: string) =>
  program.split("\n").findIndex((text) => text.includes("# fault")) + 1;

const from = (name: string, more = {}) => ["where_from", { name, ...more }] as const;

export const faults: readonly Fault[] = [
  {
    fault: "a shared default argument",
    program: `
def collect(item, into=[]):
    into.append(item)  # fault
    return into

first = collect(1)
second = collect(2)
assert first == [1], first
`,
    by: { variable: "first" },
    asks: [from("first", { every: true })],
    wrote: { name: "first", value: "[1, 2]" },
  },
  {
    fault: "a global that a helper resets",
    program: `
count = 0

def add():
    global count
    count += 1

def log(level):
    global count
    if level > 1:
        count = 0  # fault

for level in [0, 1, 2, 0, 0]:
    add()
    log(level)
assert count == 5, count
`,
    by: { variable: "count", condition: "count == 0" },
    asks: [from("count", { steps: 3 })],
    wrote: { name: "count", value: "0" },
  },
  {
    fault: "arguments in the wrong order, two calls up",
    program: `
def ratio(part, whole):
    value = part / whole
    return value

def share(whole, part):
    found = ratio(whole, part)  # fault
    return found

result = share(8, 2)
assert result == 0.25, result
`,
    by: ["goto 0; continue part == 8", "back out; back over"],
    asks: [["debug_step", { commands: ["goto 0", "continue part == 8"] }], from("part")],
    wrote: { name: "part", value: "8" },
  },
  {
    fault: "a row that is stored twice",
    program: `
row = [0, 0]
grid = [row, row]
for i in range(2):
    grid[i][0] = i + 1  # fault
assert grid[0][0] == 1, grid
`,
    by: { variable: "grid" },
    asks: [from("grid", { every: true })],
    wrote: { name: "grid", value: "[[2, 0], [2, 0]]" },
  },
  {
    fault: "an object whose field a method overwrites",
    program: `
class Account:
    def __init__(self, balance):
        self.balance = balance

    def fee(self, amount):
        self.balance = amount  # fault

account = Account(100)
account.fee(5)
name = "a" * 3
assert account.balance == 95, account.balance
`,
    by: { variable: "account" },
    asks: [from("account", { every: true })],
    wrote: { name: "account" },
  },
];
