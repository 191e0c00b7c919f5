/** @file Every program of golden/trace on the embedded host, with its calls kept, and with its arguments exchanged. */

import { expect, test } from "vitest";
import { parseTrace, type TraceRecord } from "../../schemas/trace.ts";
import { openHost } from "../sandbox/open.ts";
import { goldenPrograms, goldenText, raises, traces } from "./golden-programs.test-helper.ts";
import { pythonTest, runPython } from "./python.test-helper.ts";

const every = process.env.SOAK_SLICE === "ci" ? 10 : 1;
const some = goldenPrograms.filter((_, i) => i % every === 0);
const of = every === 1 ? "" : `, of every ${every}th`;

/** The trace with the arguments line and the expected value of another: what an exchange of the input leaves. */
function exchanged(trace: TraceRecord, other: TraceRecord): string {
  const take = (role: string) => other.lines.find((line) => line.role === role)?.code;
  return trace.lines
    .map((line) => (line.role === "arguments" || line.role === "assert" ? take(line.role) : line.code))
    .join("\n");
}

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

pythonTest(`with its calls kept as calls every program is proven too${of}`, () => {
  for (const [i, record] of traces(some, "keep").entries())
    expect([some[i].name, record.proven, record.reason === null]).toEqual([
      some[i].name,
      true,
      !raises(some[i].name),
    ]);
});

pythonTest(
  `where another input takes the same path, exchanging the arguments alone gives its result${of}`,
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
