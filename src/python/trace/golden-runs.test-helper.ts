/** @file What is asked of the programs of golden/trace. */

import { beforeAll, expect, test } from "vitest";
import { parseTrace, type TraceRecord } from "../../schemas/trace.ts";
import { openHost } from "../sandbox/open.ts";
import { goldenPrograms, goldenText } from "./golden-programs.test-helper.ts";
import { hasPython, runPython } from "./python.test-helper.ts";

function traces(requests: readonly { source: string; call: string }[], calls: "inline" | "keep") {
  const asked = requests.map(({ source, call }) => ({
    operation: "trace",
    source,
    call,
    options: { calls },
  }));
  return runPython(asked).map((answer, i) => parseTrace(answer, asked[i].call));
}

/** The trace with the arguments line and the expected value of another: what an exchange of the input leaves. */
function exchanged(trace: TraceRecord, other: TraceRecord): string {
  const take = (role: string) => other.lines.find((line) => line.role === role)?.code;
  return trace.lines
    .map((line) => (line.role === "arguments" || line.role === "assert" ? take(line.role) : line.code))
    .join("\n");
}

const raises = (name: string) => name.startsWith("raise-uncaught");

/** Each program's trace by the native Python, inline. */
export function describeGolden(): void {
  let records: TraceRecord[] = [];
  beforeAll(() => {
    if (hasPython) records = traces(goldenPrograms, "inline");
  });

  test("there are at least 150 programs", () => {
    expect(goldenPrograms.length).toBeGreaterThanOrEqual(150);
  });

  test.skipIf(!hasPython)("every program gives its golden trace, proven (skipped without python3)", () => {
    for (const [i, { name, trace }] of goldenPrograms.entries()) {
      expect(goldenText(records[i]), name).toBe(trace);
      expect([name, records[i].proven, records[i].truncated]).toEqual([name, true, false]);
      expect([name, records[i].reason === null]).toEqual([name, !raises(name)]);
    }
  });

  test.skipIf(!hasPython)(
    "outside of kept definitions no trace has a loop or a branch (skipped without python3)",
    () => {
      for (const [i, { lines }] of records.entries()) {
        const straight = lines.filter(({ role }) => role !== "definition").map(({ code }) => code);
        expect([
          goldenPrograms[i].name,
          straight.filter((code) => /^(?:for|while|if|async|return|def)\b/m.test(code)),
        ]).toEqual([goldenPrograms[i].name, []]);
      }
    },
  );
}

/** Checks that need extra runs, for every n-th program. */
export function describeGoldenRuns(every: number): void {
  const some = goldenPrograms.filter((_, i) => i % every === 0);
  const of = every === 1 ? "" : `, of every ${every}th`;

  test(`the embedded Python, another version with other words, gives the same golden traces, proven${of}`, async () => {
    const host = await openHost("embedded", { atMost: 1 });
    try {
      for (const { name, source, call, trace } of some) {
        const outcome = await host.run({ operation: "trace", source, call, options: {} });
        const record = parseTrace(outcome.kind === "done" ? outcome.value : outcome, name);
        expect(goldenText(record), name).toBe(trace);
        expect([name, record.proven, record.truncated]).toEqual([name, true, false]);
      }
    } finally {
      await host.close();
    }
  });

  test.skipIf(!hasPython)(
    `with its calls kept as calls every program is proven too${of} (skipped without python3)`,
    () => {
      for (const [i, record] of traces(some, "keep").entries())
        expect([some[i].name, record.proven, record.reason === null]).toEqual([
          some[i].name,
          true,
          !raises(some[i].name),
        ]);
    },
  );

  test.skipIf(!hasPython)(
    `where another input takes the same path, exchanging the arguments alone gives its result${of} (skipped without python3)`,
    () => {
      const pairs = some.flatMap(({ source, call, exchange }) =>
        exchange === undefined ? [] : [{ source, call, exchange }],
      );
      const first = traces(pairs, "inline");
      const second = traces(
        pairs.map(({ source, exchange }) => ({ source, call: exchange })),
        "inline",
      );
      const runs = runPython(
        first.map((trace, i) => ({ operation: "execute", code: exchanged(trace, second[i]) })),
      );
      for (const [i, run] of runs.entries())
        expect([pairs[i].source, run]).toEqual([
          pairs[i].source,
          expect.objectContaining({ outcome: "passed" }),
        ]);
      expect(pairs.length).toBeGreaterThan(120 / every);
    },
  );
}
