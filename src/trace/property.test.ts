import fc from "fast-check";
import { expect, test } from "vitest";
import { parseTrace, type TraceRecord } from "../records/trace.ts";
import { checkPrograms } from "./property.test-helper.ts";
import { hasPython, runPython } from "./python.test-helper.ts";
import { randomProgram } from "./random-program.test-helper.ts";

test.skipIf(!hasPython)(
  "80 random programs: every trace is proven, and a plain run shows the same states and result (skipped without python3)",
  () => {
    const programs = fc.sample(randomProgram, { numRuns: 80, seed: 20_261_122 });
    const { findings, raised, lines } = checkPrograms(programs);
    const shortest = findings.toSorted((a, b) => a.program.source.length - b.program.source.length)[0];
    expect(
      shortest && `${shortest.problem}\n${shortest.program.source}\n${shortest.program.call}`,
    ).toBeUndefined();
    expect(findings).toEqual([]);
    // the programs are worth tracing
    expect(raised).toBeGreaterThan(20);
    expect(lines).toBeGreaterThan(4_000);
  },
);

test.skipIf(!hasPython)(
  "an input that takes the same path changes nothing but the arguments and the final value (skipped without python3)",
  () => {
    const programs = fc.sample(randomProgram, { numRuns: 40, seed: 31 });
    const trace = (call: string, source: string) => ({ operation: "trace", source, call, options: {} });
    const other = (call: string) => call.replace(/^f\((-?\d+)/, (_, a) => `f(${Number(a) + 1}`);
    const records = runPython(
      programs.flatMap(({ source, call }) => [trace(call, source), trace(other(call), source)]),
    ).map((answer, i) => parseTrace(answer, String(i)));
    const path = ({ lines }: TraceRecord) => lines.map(({ line, role }) => `${line} ${role}`);
    const code = ({ lines }: TraceRecord) =>
      lines.filter(({ role }) => role !== "arguments" && role !== "assert").map((line) => line.code);
    let same = 0;
    for (let i = 0; i < programs.length; i++) {
      const [first, second] = records.slice(2 * i, 2 * i + 2);
      if (path(first).join() !== path(second).join()) continue;
      expect([programs[i].source, code(second)]).toEqual([programs[i].source, code(first)]);
      same++;
    }
    expect(same).toBeGreaterThan(20);
  },
);
