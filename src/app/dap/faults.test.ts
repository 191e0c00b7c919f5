import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { tmpFolder } from "../../../test/kit/tmp.ts";
import { Client, fasterHost } from "./client.test-helper.ts";

const folder = tmpFolder("faults");
let client: Client | undefined;
afterEach(() => client?.stop());

/** A program with one fault, marked by a comment, and an assertion that fails. */
interface Faulty {
  readonly fault: string;
  readonly program: string;
  /** The variable of the failing call whose last change is asked for; or console commands. */
  readonly by: { readonly variable: string; readonly condition?: string } | readonly string[];
}

const faulty: readonly Faulty[] = [
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

for level in [0, 1, 2, 0]:
    add()
    log(level)
assert count == 4, count
`,
    by: { variable: "count", condition: "count == 0" },
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
  },
];

test.each(faulty)("$fault: found in at most 4 requests", async ({ program, by }) => {
  const path = join(folder, "faulty.py");
  writeFileSync(path, program);
  const line = program.split("\n").findIndex((text) => text.includes("# fault")) + 1;
  client = new Client().inProcess();
  await client.open({ program: path, python: fasterHost });
  await client.ask("setExceptionBreakpoints", { filters: ["uncaught"] });
  const { reason, frameId } = await client.begin();
  expect(reason).toBe("exception");
  if ("variable" in by) {
    const { dataId } = await client.ask("dataBreakpointInfo", { name: by.variable, frameId });
    const { condition } = by;
    await client.ask("setDataBreakpoints", { breakpoints: [{ dataId, ...(condition && { condition }) }] });
    expect((await client.go("reverseContinue")).place).toMatch(new RegExp(`:${line}$`)); // with stackTrace
  } else {
    for (const expression of by.slice(0, -1)) await client.ask("evaluate", { expression, context: "repl" });
    const last = { expression: by.at(-1), context: "repl" };
    expect((await client.go("evaluate", last)).place).toMatch(new RegExp(`:${line}$`));
  }
  expect(client.requests).toBeLessThanOrEqual(4);
});
