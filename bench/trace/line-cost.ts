/**
 * @file What one line of a trace costs, by how long the trace is: a loop that counts, and one whose list grows.
 *
 *     count    1,000 lines     0.10 ms a line
 *     count  100,000 lines     0.10 ms a line
 */

import { performance } from "node:perf_hooks";
import { fail } from "../../src/core/error.ts";
import { defaultLimits, type PythonHost } from "../../src/python/sandbox/host.ts";
import { parseTrace } from "../../src/schemas/trace.ts";

export interface LineCost {
  readonly program: string;
  readonly lines: number;
  readonly millisecondsALine: number;
}

const loop = (before: string, turn: string) =>
  `def f(n):\n    ${before}\n    for i in range(n):\n        ${turn}\n    return n\n`;
const programs = { count: loop("t = 0", "t += i"), append: loop("xs = []", "xs.append(i)") };
export const lengths = [100, 1_000, 10_000, 100_000];

export async function* lineCosts(host: PythonHost, signal: AbortSignal): AsyncGenerator<LineCost> {
  for (const [program, source] of Object.entries(programs))
    for (const lines of lengths) {
      await host.ready();
      const request = { operation: "trace", source, call: `f(${lines / 2 - 2})`, options: {} };
      const started = performance.now();
      const limits = { wallSeconds: 600, memoryBytes: 2 * defaultLimits.memoryBytes };
      const outcome = await host.run(request, limits, signal);
      const milliseconds = performance.now() - started;
      if (outcome.kind !== "done") fail("bench trace", `a trace of ${lines} lines`, outcome.words);
      const record = parseTrace(outcome.value, program);
      if (!record.proven) fail("bench trace", `a proof of ${lines} lines`, record.reason);
      yield { program, lines: record.lines.length, millisecondsALine: milliseconds / record.lines.length };
    }
}
