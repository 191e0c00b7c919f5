import { afterAll, beforeAll, expect, test } from "vitest";
import { type GoldenProgram, goldenPrograms } from "../trace/golden-programs.test-helper.ts";
import type { PythonHost } from "./host.ts";
import { findNative } from "./native.ts";
import { openHost } from "./open.ts";

/** Every fifth of the golden programs: a native interpreter is started for each. */
const programs: Pick<GoldenProgram, "name" | "source" | "call">[] = goldenPrograms.filter(
  (_, i) => i % 5 === 0,
);

/** The loop is exhausted although its body can end in a break: CPython 3.14 reports no line for the return after it. */
const untoldReturn = {
  name: "a return after a loop that ran out",
  source:
    "def f(x):\n    r = 1\n    for e in x:\n        if e:\n            r = 2\n            break\n    return r\n",
  call: "f([0, 0])",
};
/** The list is long enough that its first members are written in blocks (tracer/lab/states.py). */
const anotherClass = {
  name: "an object of a long list becomes one of another class, and its class is renamed",
  source: `class Open: pass
class Shut: pass
def f(n):
    doors = [Open() for _ in range(n)]
    later = 1
    doors[3].__class__ = Shut
    Shut.__name__ = "Closed"
    return type(doors[3]).__name__
`,
  call: "f(100)",
};
programs.push(untoldReturn, anotherClass);

const native = findNative();
const missing = native.kind === "missing" ? native.reason : undefined;

let hosts: PythonHost[] = [];
beforeAll(async () => {
  if (missing === undefined)
    hosts = await Promise.all([openHost("embedded", { atMost: 1 }), openHost("native")]);
}, 60_000);
afterAll(() => Promise.all(hosts.map((host) => host.close())));

test.skipIf(missing !== undefined)(
  `both hosts make the same traces, line by line and state by state${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  async () => {
    expect(programs.length).toBeGreaterThan(30);
    const [embedded, own] = await Promise.all(
      hosts.map((host) =>
        Promise.all(
          programs.map(async ({ source, call }) => {
            const outcome = await host.run({ operation: "trace", source, call, options: {} });
            if (outcome.kind !== "done") return outcome;
            // The record of trace.py. Versions and options are compared separately.
            const { python: _, environment: __, ...record } = outcome.value as Record<string, unknown>;
            return record;
          }),
        ),
      ),
    );
    for (const [i, { name }] of programs.entries()) {
      expect(embedded[i], name).toEqual(own[i]);
      const proven = name === untoldReturn.name ? true : expect.any(Boolean);
      expect(embedded[i], name).toMatchObject({ version: 1, proven });
    }
    const { lines } = embedded[programs.indexOf(anotherClass)] as { lines: { set: { doors: string } }[] };
    const classes = lines.flatMap(({ set }) => JSON.stringify(set.doors)?.match(/Open|Shut|Closed/g) ?? []);
    expect([...new Set(classes)]).toEqual(["Open", "Shut", "Closed"]);
  },
);

const manyObjects = `class Number:
    def __init__(self, value): self.value = value
def f(n):
    numbers = []
    for i in range(n):
        numbers.append(Number(i))
    return len(numbers)
`;

test.skipIf(missing !== undefined)(
  "a list of 1,500 objects is traced within the default limit",
  async () => {
    const outcome = await hosts[0].run({
      operation: "trace",
      source: manyObjects,
      call: "f(1500)",
      options: {},
    });
    expect(outcome).toMatchObject({ kind: "done", value: { proven: true, literal: "1500" } });
  },
  60_000,
);

/**
 * Several pieces are compiled separately: the import from __future__ applies to all, lines span several rows, the
 * last one raises.
 */
const inPieces = `from __future__ import annotations
class Broken(Exception): pass
def g(i) -> Missing:
    if i % 50 == 0:
        raise Broken(f"at {i}")
    return i * 3 % 7
def f(n: Missing):
    total, failures = 0, []
    for i in range(n):
        try:
            total += g(i) * (i + 1) - (total * 3 + i * 7 - 2) % 1000003 + ((i ^ 5) & 7) * ((i | 2) - (i >> 1)) - ((i + 3) * (i - 4) % 11) * ((i ^ 6) & 3) + (i * i - i + 41) % 13
        except Broken as problem:
            failures.append(str(problem))
    def h(x: Missing): return x
    return sorted(failures, key=h)[total > 0]
`;

test.skipIf(missing !== undefined)(
  `a long trace is proven in the memory of a short one${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  async () => {
    const [, own] = hosts;
    const limits = { seconds: 30, memoryBytes: 104 * 2 ** 20 };
    const outcome = await own.run(
      { operation: "trace", source: inPieces, call: "f(2500)", options: {} },
      limits,
    );
    expect(outcome).toMatchObject({ kind: "done", value: { proven: true, literal: "'at 0'" } });
    if (outcome.kind !== "done") return;
    const { lines } = outcome.value as { lines: { code: string }[] };
    expect(lines.length).toBeGreaterThan(10_000);

    const raising = inPieces.replace("return sorted(failures, key=h)[total > 0]", "return failures[total]");
    const raised = await own.run(
      { operation: "trace", source: raising, call: "f(900)", options: {} },
      limits,
    );
    expect(raised).toMatchObject({
      kind: "done",
      value: { proven: true, reason: expect.stringMatching(/IndexError/) },
    });
  },
  30_000,
);
